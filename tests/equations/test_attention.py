"""The attention equations on the page are the model: for every layer, kind and cell."""

import numpy as np
import pytest
import torch

from explainer.capture.record import record
from explainer.capture.trace import Trace
from explainer.equations.attention import MASKED_SCORES, SCORES, WEIGHTS
from explainer.equations.output import LOG_PROB, sequence_log_prob, top_k
from explainer.equations.softmax import log_softmax, softmax
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
    assert np.all(np.isneginf(seen[MASKED_SCORES.explains][:, later]))
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
