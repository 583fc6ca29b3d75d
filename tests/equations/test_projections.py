"""Projections: which columns of W belong to which head, and what the stories say."""

import numpy as np
import pytest
import torch

from explainer.equations.attention import CONCAT, CONCATENATED, MIX, OUTPUT, QUERIES, Q
from explainer.equations.feed_forward import FFN_OUTPUT, POST, PRE

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


def test_each_head_projects_the_full_vector_by_its_own_part_of_the_weights(
    seen: dict[str, np.ndarray],
) -> None:
    queries = QUERIES.compute(*QUERIES.operands(seen))
    for head in range(HEADS):
        own = slice(head * D_HEAD, (head + 1) * D_HEAD)
        expected = torch.nn.functional.linear(
            torch.tensor(seen["hook_x"]),
            torch.tensor(seen["query.weight"][own]),
            torch.tensor(seen["query.bias"][own]),
        )
        np.testing.assert_allclose(queries[head], expected.numpy(), rtol=1e-10)


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


def test_the_output_is_the_sum_of_what_the_heads_write(seen: dict[str, np.ndarray]) -> None:
    """Concat W_O = Σ_h Z_h W_O^h: a head's rows of W_O are its way into the stream."""
    weight, bias = seen["query.weight"], seen["query.bias"]
    of_heads = [seen[MIX][head] @ weight[:, head * D_HEAD : (head + 1) * D_HEAD].T for head in range(HEADS)]
    computed = OUTPUT.compute(CONCAT.compute(seen[MIX]), weight, bias)
    np.testing.assert_allclose(computed, sum(of_heads) + bias, rtol=1e-10)


def test_the_feed_forward_layer_is_torchs() -> None:
    x, inner, outer = torch.randn(5, 6), torch.nn.Linear(6, 9), torch.nn.Linear(9, 6)
    with torch.no_grad():
        expected = outer(torch.relu(inner(x))).numpy()
        layers = [p.numpy() for p in (inner.weight, inner.bias, outer.weight, outer.bias)]
    computed = FFN_OUTPUT.compute(POST.compute(PRE.compute(x.numpy(), *layers[:2])), *layers[2:])
    np.testing.assert_allclose(computed, expected, atol=1e-6)


@pytest.mark.parametrize(("before", "after", "off"), [(-0.34, 0.0, True), (1.5, 1.5, False)])
def test_relu_says_when_a_neuron_is_off(before: float, after: float, off: bool) -> None:
    inner = np.array([[before]])
    story = POST.story({POST.reads[0]: inner, POST.explains: POST.compute(inner)}, (0, 0))
    assert (story.result, story.model) == (after, after)
    assert ("off" in story.note) is off
