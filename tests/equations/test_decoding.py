"""Greedy decoding in NumPy: the worked example of the literature, and sums against exact ones."""

import math

import numpy as np
import pytest

from explainer.equations.decoding import (
    CHOICE,
    SUM,
    cache_bytes,
    cross_attention_rows,
    lead,
    runner_up,
    seen_of,
    self_attention_rows,
)

TOKENS = ("A", "B", "C", "</s>")
ROWS = {  # Zhang et al., Dive into Deep Learning, §10.8: greedy finds A B C </s>, A C B </s> is more probable
    (): (0.5, 0.2, 0.2, 0.1),
    ("A",): (0.1, 0.4, 0.3, 0.2),
    ("A", "B"): (0.2, 0.2, 0.4, 0.2),
    ("A", "B", "C"): (0.0, 0.2, 0.2, 0.6),
    ("A", "C"): (0.1, 0.6, 0.2, 0.1),
    ("A", "C", "B"): (0.1, 0.2, 0.1, 0.6),
}


def log_probs(*prefixes: tuple[str, ...]) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.array([ROWS[prefix] for prefix in prefixes]))


def test_choice_and_sum_of_the_example() -> None:
    rows = log_probs((), ("A",), ("A", "B"), ("A", "B", "C"))
    tokens = np.array([0, 1, 2, 3])
    sums = np.array([math.log(p) for p in (0.5, 0.5 * 0.4, 0.5 * 0.4 * 0.4, 0.048)])
    seen = seen_of(rows, tokens, sums)
    assert CHOICE.deviation(seen) == 0
    assert SUM.deviation(seen) < 1e-12
    story = SUM.story(seen, (3,))
    assert math.exp(story.result) == pytest.approx(0.048)
    assert [math.exp(term.value) for term in story.terms] == pytest.approx([0.5, 0.4, 0.4, 0.6])


def test_a_wrong_choice_is_noticed() -> None:
    rows = log_probs((), ("A",))
    assert CHOICE.deviation(seen_of(rows, np.array([0, 2]), np.zeros(2))) == 1
    assert not SUM.agrees(seen_of(rows, np.array([0, 1]), np.log([0.5, 0.5 + 0.4])))  # added, not multiplied


def test_the_lead_is_the_logarithm_of_a_ratio() -> None:
    rows = log_probs((), ("A",), ("A", "B"))
    np.testing.assert_allclose(lead(rows), np.log([0.5 / 0.2, 0.4 / 0.3, 0.4 / 0.2]))
    assert [runner_up(row) for row in rows] == [1, 2, 0]  # of equals the first


@pytest.mark.parametrize("n_layers", [1, 3])
def test_rows_grow_with_the_square_of_the_length_or_with_the_length(n_layers: int) -> None:
    for n in (1, 2, 10, 100):
        assert self_attention_rows("re-feed", n, n_layers).sum() == 3 * n_layers * n * (n + 1) // 2
        assert self_attention_rows("cache", n, n_layers).sum() == 3 * n_layers * n
        fed, kept = (cross_attention_rows(mode, n, n_layers, 7).sum() for mode in ("re-feed", "cache"))
        assert fed == n_layers * (n * (n + 1) // 2 + 14 * n)
        assert kept == n_layers * (n + 14)
    assert cache_bytes(n_layers, 5, 8) == 2 * 5 * 8 * 4 * n_layers
