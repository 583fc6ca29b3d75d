"""The measure that chooses the first layer and head."""

import numpy as np
import pytest

from explainer.measures.telling import is_word, most_telling, most_telling_cell

WORDS = [" The", " dog", " runs", ".", "</s>"]


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        (" dog", True),
        ("ing", True),
        (" 7", True),
        (".", False),
        ("</s>", False),
        ("<0xF0>", False),
        (" ", False),
    ],
)
def test_what_counts_as_a_word(piece: str, expected: bool) -> None:
    assert is_word(piece) is expected


def test_a_head_that_aligns_beats_a_sink_and_a_uniform_head() -> None:
    aligned = np.eye(5) * 0.8 + 0.04
    sink = np.zeros((5, 5))
    sink[:, 4] = 1.0  # everything looks at </s>
    one_word = np.zeros((5, 5))
    one_word[:, 1] = 1.0  # everything looks at the same word
    uniform = np.full((5, 5), 0.2)
    weights = np.stack([np.stack([sink, one_word]), np.stack([uniform, aligned])])
    best = most_telling(weights, WORDS, WORDS, same=False)
    assert (best.layer, best.head) == (1, 1)
    assert best.focus == pytest.approx(0.84)
    assert best.variety == 1.0


def test_looking_at_itself_tells_nothing_in_self_attention() -> None:
    itself, previous = np.eye(5), np.eye(5, k=-1)
    previous[0, 0] = 1.0
    best = most_telling(np.stack([np.stack([itself, previous])]), WORDS, WORDS, same=True)
    assert (best.layer, best.head) == (0, 1)


def test_the_first_cell_is_the_largest_weight_between_words() -> None:
    weights = np.full((5, 5), 0.1)
    weights[2, 1], weights[0, 4], weights[2, 2] = 0.5, 0.9, 0.8
    assert most_telling_cell(weights, WORDS, WORDS, same=True) == (2, 1)
    assert most_telling_cell(weights, WORDS, WORDS, same=False) == (2, 2)


def test_no_word_at_all_is_no_error() -> None:
    best = most_telling(np.full((1, 2, 2, 2), 0.5), [".", "</s>"], [".", "</s>"], same=True)
    assert (best.layer, best.head, best.score) == (0, 0, 0.0)
