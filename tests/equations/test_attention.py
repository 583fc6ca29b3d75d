"""The attention equations on the page are the model, for every layer, kind and cell; and what their stories say."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from explainer.capture.record import record
from explainer.capture.trace import Trace
from explainer.equations.attention import (
    CONCAT,
    CONCATENATED,
    MASKED_SCORES,
    MIX,
    QUERIES,
    SCORES,
    WEIGHTS,
    Q,
    spread_of_dots,
)
from explainer.equations.feed_forward import POST
from explainer.equations.output import LOG_PROB, sequence_log_prob, top_k
from explainer.equations.softmax import log_softmax, softmax
from explainer.figures.lines.spread import spread_curves
from explainer.figures.style import LIGHT
from explainer.measures.anatomy import attention_path
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer

CONFIG = TransformerConfig(
    vocab_size=31, d_model=24, n_heads=3, d_ff=20, n_encoder_layers=2, n_decoder_layers=1
)


@pytest.fixture(scope="module")
def trace() -> Trace:
    torch.manual_seed(5)
    model = Transformer(CONFIG).eval()
    for parameter in model.parameters():
        parameter.data *= 2.0  # scores large enough for uneven weights
    return record(model, torch.randint(4, 31, (1, 7)), torch.randint(4, 31, (1, 5)))


def test_a_story_writes_out_the_largest_terms(trace: Trace) -> None:
    seen = trace.under(attention_path("encoder", 1))
    story = SCORES.story(seen, (1, 2, 3))
    products = seen["hook_q"][1, 2] * seen["hook_k"][1, 3]
    smallest_shown = min(abs(term.value) for term in story.terms)
    left_out = np.delete(products, [term.place for term in story.terms])
    assert len(left_out) == story.n_rest
    assert np.all(np.abs(left_out) <= smallest_shown + 1e-6)


def test_a_cell_that_is_not_there_is_refused(trace: Trace) -> None:
    with pytest.raises(IndexError, match="no cell"):
        SCORES.story(trace.under(attention_path("encoder", 0)), (0, 7, 0))


def test_masked_cells_are_minus_infinity_then_exactly_zero(trace: Trace) -> None:
    seen = trace.under(attention_path("decoder", 0))
    later = np.triu(np.ones((5, 5), dtype=bool), k=1)
    for masked in (seen[MASKED_SCORES.explains], MASKED_SCORES.compute(*MASKED_SCORES.operands(seen))):
        assert np.all(np.isneginf(masked[:, later]))
    assert np.all(seen[WEIGHTS.explains][:, later] == 0.0)
    np.testing.assert_allclose(seen[WEIGHTS.explains].sum(axis=-1), 1.0, atol=1e-6)
    assert WEIGHTS.story(seen, (0, 0, 1)).result == 0.0


def test_a_wrong_mask_shows_as_an_infinite_deviation(trace: Trace) -> None:
    seen = dict(trace.under(attention_path("decoder", 0)))
    seen["attend.hook_mask"] = np.ones_like(seen["attend.hook_mask"])
    assert MASKED_SCORES.deviation(seen) == float("inf")


def test_softmax_agrees_with_torch() -> None:
    scores = torch.randn(4, 9, dtype=torch.double) * 30
    np.testing.assert_allclose(softmax(scores.numpy()), scores.softmax(-1).numpy(), rtol=1e-12)
    np.testing.assert_allclose(log_softmax(scores.numpy()), scores.log_softmax(-1).numpy(), rtol=1e-12)


def test_top_k_and_the_rest_make_one(trace: Trace) -> None:
    row = trace[LOG_PROB][2]
    ids, probs, rest = top_k(row, 4)
    assert ids.tolist() == sorted(range(31), key=lambda i: -row[i])[:4]
    assert probs.sum() + rest == pytest.approx(1.0)
    assert rest == pytest.approx(np.exp(np.delete(row, ids).astype(float)).sum(), abs=1e-6)


def test_the_log_probability_of_a_sequence_is_the_sum_over_its_rows(trace: Trace) -> None:
    rows, ids = trace[LOG_PROB], [3, 1, 4, 1, 5]
    by_torch = -torch.nn.functional.nll_loss(torch.tensor(rows), torch.tensor(ids), reduction="sum")
    assert sequence_log_prob(rows, ids) == pytest.approx(float(by_torch), rel=1e-5)


HEADS, POSITIONS, D_HEAD = 3, 5, 4
D_MODEL = HEADS * D_HEAD


@pytest.fixture
def seen() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(4).normal
    return {
        "hook_x": draw(size=(POSITIONS, D_MODEL)),
        "query.weight": draw(size=(D_MODEL, D_MODEL)),
        "query.bias": draw(size=D_MODEL),
        MIX: draw(size=(HEADS, POSITIONS, D_HEAD)),
    }


def test_the_bias_has_a_line_of_its_own(seen: dict[str, np.ndarray]) -> None:
    seen[Q] = QUERIES.compute(*QUERIES.operands(seen))
    story = QUERIES.story(seen, (2, 1, 3))
    assert story.bias == seen["query.bias"][2 * D_HEAD + 3]
    assert story.n_rest == D_MODEL - len(story.terms)
    place = story.terms[0].place
    assert story.terms[0].factors == (seen["hook_x"][1, place], seen["query.weight"][11, place])
    assert story.deviation < 1e-12


def test_a_cell_of_the_concatenation_is_one_number_of_one_head(seen: dict[str, np.ndarray]) -> None:
    seen[CONCATENATED] = CONCAT.compute(seen[MIX])
    np.testing.assert_array_equal(seen[CONCATENATED], np.concatenate(list(seen[MIX]), axis=-1))
    story = CONCAT.story(seen, (4, 6))
    assert story.result == story.model == seen[MIX][1, 4, 2]
    assert story.note == "is head 2's z at dimension 3"


@pytest.mark.parametrize(("before", "after", "off"), [(-0.34, 0.0, True), (1.5, 1.5, False)])
def test_relu_says_when_a_neuron_is_off(before: float, after: float, off: bool) -> None:
    inner = np.array([[before]])
    story = POST.story({POST.reads[0]: inner, POST.explains: POST.compute(inner)}, (0, 0))
    assert (story.result, story.model) == (after, after)
    assert ("off" in story.note) is off


def test_independent_components_spread_like_the_root_of_their_number() -> None:
    generator = np.random.default_rng(0)
    q, k = generator.normal(size=(2, 200, 64))
    found = spread_of_dots(q, k)
    assert found.sizes.tolist() == [1, 2, 4, 8, 16, 32, 64]
    np.testing.assert_allclose(found.dots, np.sqrt(found.sizes), rtol=0.03)  # the paper's footnote 4
    np.testing.assert_allclose(found.divided, 1, rtol=0.03)
    np.testing.assert_allclose(found.independent, found.dots, rtol=0.03)


def test_equal_components_spread_like_their_number() -> None:
    q, k = (np.repeat(np.random.default_rng(1).normal(size=(9, 1)), 8, axis=1) for _ in range(2))
    found = spread_of_dots(q, k)
    np.testing.assert_allclose(found.dots / found.dots[0], found.sizes)


@pytest.mark.parametrize("d_head", [1, 5, 12, 64])
def test_all_dimensions_are_the_dot_products(d_head: int) -> None:
    q, k = (np.random.default_rng(d_head).normal(size=(n, d_head)).astype(np.float32) for n in (3, 7))
    found = spread_of_dots(q, k)
    assert found.sizes[-1] == d_head
    assert found.dots[-1] == pytest.approx((q @ k.T).std(), rel=1e-5)
    assert found.divided[-1] == pytest.approx((q @ k.T / np.sqrt(d_head)).std(), rel=1e-5)


def test_the_curves_are_drawn() -> None:
    found = spread_of_dots(*np.random.default_rng(2).normal(size=(2, 4, 8)))
    curves = found.dots, found.divided, found.independent
    shown: Any = go.Figure(spread_curves(found.sizes, curves, "abc", LIGHT, here="d"))
    for trace, curve in zip(shown.data, curves, strict=True):
        np.testing.assert_allclose(trace["y"], curve, rtol=1e-6)
    assert shown.layout.xaxis.ticktext[-1] == "8 = d"
