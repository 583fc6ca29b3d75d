"""Projections: which columns of W belong to which head, and what the stories say."""

import numpy as np
import pytest

from explainer.equations.attention import CONCAT, CONCATENATED, MIX, QUERIES, Q
from explainer.equations.feed_forward import POST

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
