"""Measures of growing attention, on weights whose answer is known."""

import numpy as np
import torch

from explainer.measures.growth import alignment, by_position, cosine_matrix, evenness, largest_rise
from explainer.measures.heads import HeadMeasures, measure

WORDS = tuple("abcdef")


def measured(weights: np.ndarray) -> list[HeadMeasures]:
    allowed = np.ones(weights.shape, dtype=bool)
    return [measure(weights, allowed, WORDS, WORDS, same=True)]


def test_an_even_look_has_no_neighbour_and_no_choice() -> None:
    heads = measured(np.full((6, 6), 1 / 6))
    np.testing.assert_allclose(evenness(heads), 1.0)
    np.testing.assert_allclose(by_position(heads), 1 / 6, atol=1e-9)
    assert alignment(heads) < 0.1


def test_a_look_at_the_token_before_is_by_position_and_not_even() -> None:
    weights = np.roll(np.eye(6), -1, axis=1)  # row 0 looks at the last token: it has none before
    heads = measured(weights)
    assert by_position(heads) == 1.0
    assert evenness(heads) == 0.0
    assert alignment(heads) == 1.0


def test_cosines_are_torchs() -> None:
    rows, columns = torch.randn(4, 8), torch.randn(3, 8)
    rows[2] = 0
    expected = torch.nn.functional.cosine_similarity(rows[:, None], columns[None], dim=-1)
    np.testing.assert_allclose(cosine_matrix(rows.numpy(), columns.numpy()), expected.numpy(), atol=1e-6)


def test_the_largest_rise() -> None:
    assert largest_rise([0.1, 0.2, 0.7, 0.8]) == 2
    assert largest_rise([0.3]) == 0
