"""Waves of the position encoding: their lengths, and how positions compare."""

import math

import numpy as np
import pytest

from explainer.equations import waves
from explainer.equations.stream import sinusoids


def test_wavelengths_are_the_papers() -> None:
    """Vaswani et al. 2017, §3.5: a geometric progression from 2π (towards 10000 · 2π)."""
    found = [waves.wavelength(pair, 512) for pair in range(256)]
    assert found[0] == pytest.approx(2 * math.pi)
    np.testing.assert_allclose(np.diff(np.log(found)), math.log(10000) / 256)


@pytest.mark.parametrize("pair", [0, 3, 7])
def test_a_wave_comes_back_after_its_wavelength(pair: int) -> None:
    at = np.linspace(0, 50, 101)
    np.testing.assert_allclose(
        waves.wave(pair, 16, at), waves.wave(pair, 16, at + waves.wavelength(pair, 16)), atol=1e-9
    )


def test_at_whole_positions_a_wave_is_two_columns_of_the_table() -> None:
    table = sinusoids(40, 16)
    for pair in range(8):
        np.testing.assert_allclose(waves.wave(pair, 16, np.arange(40.0)).T, table[:, 2 * pair : 2 * pair + 2])
    np.testing.assert_allclose(waves.close_together(2, 0.5), [0, 0.5, 1, 1.5, 2])


def test_the_comparison_is_a_sum_of_cosines_of_the_distance() -> None:
    table = sinusoids(60, 24)
    for one, other in ((0, 0), (3, 50), (50, 3), (20, 23)):
        story = waves.dot_story(one, other, 24, (0, 5, 11))
        assert story.result == pytest.approx(float(table[one] @ table[other]))
        assert sum(term.value for term in story.terms) + story.rest == pytest.approx(story.total)
        assert story.n_rest == 9
    assert waves.dots(table, 7)[7] == pytest.approx(12.0)  # d_model / 2
    np.testing.assert_allclose(waves.dots(table, 7)[8:20], waves.dots(table, 27)[28:40])  # only p − q counts


def test_distance_follows_from_the_product() -> None:
    table = sinusoids(60, 24)
    np.testing.assert_allclose(waves.distances(table, 9) ** 2, 24 - 2 * waves.dots(table, 9), atol=1e-9)


def test_distance_grows_only_at_first() -> None:
    """CAREFUL: whoever says that PE distance grows with distance is wrong after the first steps."""
    table = sinusoids(300, 256)
    turn, found = waves.first_turn(table), waves.distances(table, 0)
    assert 0 < turn < 299
    assert (np.diff(found[: turn + 1]) > 0).all()
    assert found[turn + 1] <= found[turn]
    assert waves.first_turn(np.arange(5.0)[:, None]) == 4  # a straight line never turns


def test_the_other_layout_is_the_same_numbers_in_another_order() -> None:
    table = sinusoids(9, 16)
    other = waves.concatenated(table)
    np.testing.assert_allclose(other[:, :8], np.sin(np.arange(9)[:, None] / 10000 ** (np.arange(8) / 8)))
    np.testing.assert_allclose(other[:, 8:], np.cos(np.arange(9)[:, None] / 10000 ** (np.arange(8) / 8)))
    for dim in range(16):
        pair = waves.pair_of(dim, 16, is_concatenated=True)
        assert any(np.array_equal(other[:, dim], table[:, one]) for one in (2 * pair, 2 * pair + 1))
        assert waves.pair_of(dim, 16, is_concatenated=False) == dim // 2


def test_every_position_has_the_same_length() -> None:
    np.testing.assert_allclose(waves.lengths(sinusoids(100, 32)), math.sqrt(16))
    np.testing.assert_allclose(waves.lengths(np.array([[3.0, 4.0], [0.0, 2.0]])), [5.0, 2.0])
