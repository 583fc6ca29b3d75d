"""Neighbours against torch, and what a cosine must be."""

import numpy as np
import pytest
import torch

from explainer.equations.softmax import largest_difference
from explainer.measures.vocabulary import cosine_story, cosines, nearest


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


def test_length_does_not_matter(table: np.ndarray) -> None:
    scaled = table * np.linspace(0.1, 9.0, len(table), dtype=np.float32)[:, None]
    np.testing.assert_array_equal(nearest(scaled, 5, 20).ids, nearest(table, 5, 20).ids)


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
