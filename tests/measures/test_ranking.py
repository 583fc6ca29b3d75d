"""Which tokens are listed, and that nothing of the probability is lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.measures.vocabulary import chosen_probabilities, listed, rank, shares


@given(seed=st.integers(0, 999), k=st.integers(1, 11), also=st.lists(st.integers(0, 10), max_size=4))
def test_the_bars_hold_the_whole_distribution(seed: int, k: int, also: list[int]) -> None:
    probabilities = np.random.default_rng(seed).dirichlet(np.ones(11))
    ids = listed(probabilities, k, also)
    assert len(set(ids.tolist())) == len(ids) >= k
    assert set(also) <= set(ids.tolist())
    assert set(np.argsort(-probabilities)[:k].tolist()) <= set(ids.tolist())
    bars = shares(probabilities, ids)
    assert len(bars) == len(ids) + 1
    assert (np.diff(bars[:-1]) <= 0).all()
    assert bars.sum() == pytest.approx(1.0)


def test_rank_counts_the_more_probable_ones() -> None:
    probabilities = np.array([0.1, 0.5, 0.1, 0.3])
    assert [rank(probabilities, token) for token in range(4)] == [3, 1, 3, 2]


def test_chosen_probabilities_are_those_of_each_rows_own_token() -> None:
    log_probs = np.log(np.array([[0.2, 0.8], [0.7, 0.3]]))
    np.testing.assert_allclose(chosen_probabilities(log_probs, (1, 0)), [0.8, 0.7])
