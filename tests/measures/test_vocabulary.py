"""Neighbours and the principal plane against torch and NumPy; which tokens are listed, and nothing is lost."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explainer.equations.softmax import largest_difference
from explainer.measures.vocabulary import (
    chosen_probabilities,
    cosine_story,
    cosines,
    listed,
    nearest,
    principal_plane,
    rank,
    shares,
)


@pytest.fixture
def table() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(211, 17)).astype(np.float32)


def test_cosines_are_torchs(table: np.ndarray) -> None:
    rows = torch.tensor(table, dtype=torch.double)
    expected = torch.nn.functional.cosine_similarity(rows, rows[23:24])
    np.testing.assert_allclose(cosines(table, 23), expected, atol=1e-12)


@pytest.mark.parametrize("token", [0, 23, 210])
def test_the_nearest_are_those_of_a_full_ranking(table: np.ndarray, token: int) -> None:
    rows = torch.nn.functional.normalize(torch.tensor(table, dtype=torch.double), dim=1)
    ranked = (rows @ rows[token]).topk(11)
    found = nearest(table, token, 10)
    assert ranked.indices[0] == token  # a row agrees with itself best, and is left out
    np.testing.assert_array_equal(found.ids, ranked.indices[1:])
    np.testing.assert_allclose(found.cosines, ranked.values[1:], atol=1e-12)


def test_a_row_of_zeros_has_no_direction(table: np.ndarray) -> None:
    table[7] = 0
    assert cosines(table, 3)[7] == 0
    assert (cosines(table, 7) == 0).all()
    assert len(nearest(table, 7, 1000).ids) == len(table) - 1


def test_the_story_is_the_cosine_term_by_term(table: np.ndarray) -> None:
    story = cosine_story(table, 23, 24)
    assert story.result == pytest.approx(float(cosines(table, 23)[24]))
    for term in story.terms:
        assert term.value == pytest.approx(float(table[23, term.place]) * float(table[24, term.place]))
    assert sum(term.value for term in story.terms) + story.rest == pytest.approx(story.total)


def test_largest_difference() -> None:
    assert largest_difference(np.array([1.0, -4.0]), np.array([1.5, -1.0])) == 3.0
    assert largest_difference(np.ones((2, 2)), np.ones((2, 2))) == 0.0


@pytest.fixture
def points() -> np.ndarray:
    draws = np.random.default_rng(5)
    return (draws.normal(size=(97, 7)) * [9, 1, 4, 1, 1, 1, 1] @ draws.normal(size=(7, 7)) + 3).astype(
        np.float32
    )


def test_the_plane_is_that_of_the_singular_value_decomposition(points: np.ndarray) -> None:
    centred = points - points.mean(axis=0, dtype=np.float64)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    plane = principal_plane(points)
    np.testing.assert_allclose(np.abs(np.sum(plane.axes * axes[:2], axis=1)), 1.0)  # up to the sign
    np.testing.assert_allclose(plane.shares, sizes[:2] ** 2 / (sizes**2).sum())


def test_what_is_kept_is_the_variance_of_the_shadows(points: np.ndarray) -> None:
    plane = principal_plane(points)
    shadows = plane.project(points)
    np.testing.assert_allclose(shadows.mean(axis=0), 0.0, atol=1e-9)
    total = points.astype(np.float64).var(axis=0).sum()
    assert plane.kept == pytest.approx(shadows.var(axis=0).sum() / total)


def test_the_same_cloud_always_gives_the_same_map(points: np.ndarray) -> None:
    plane, upside_down = principal_plane(points), principal_plane(points[::-1])
    np.testing.assert_allclose(plane.axes, upside_down.axes, atol=1e-9)
    assert (np.take_along_axis(plane.axes, np.abs(plane.axes).argmax(axis=1)[:, None], axis=1) > 0).all()


def test_a_cloud_in_a_plane_is_kept_whole() -> None:
    flat = np.random.default_rng(1).normal(size=(20, 2)) @ np.random.default_rng(2).normal(size=(2, 9))
    assert principal_plane(flat).kept == pytest.approx(1.0)
    assert principal_plane(np.ones((4, 3))).kept == 0.0
    with pytest.raises(ValueError, match="1 dimension"):
        principal_plane(np.ones((4, 1)))


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
