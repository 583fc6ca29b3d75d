"""Positions against the formula in plain Python; what the stories show."""

import math

import numpy as np
import pytest

from explainer.equations.equation import Equation
from explainer.equations.stream import INPUT, PLACE, POSITION, SCALED, SCALED_TOKEN, TOKEN, sinusoids


def by_hand(position: int, dim: int, d_model: int) -> float:
    i = dim // 2
    angle = position / math.pow(10000.0, 2 * i / d_model)
    return math.sin(angle) if dim == 2 * i else math.cos(angle)


@pytest.mark.parametrize(("n_positions", "d_model"), [(1, 2), (61, 24), (512, 8)])
def test_positions_are_the_papers_formula(n_positions: int, d_model: int) -> None:
    expected = [[by_hand(pos, dim, d_model) for dim in range(d_model)] for pos in range(n_positions)]
    np.testing.assert_allclose(sinusoids(n_positions, d_model), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("index", "parts"),
    [
        ((3, 4), (r"\sin\left(3 \div 10000^{4/16}\right)", f"{3 / 10:.4f}", "i = 2")),
        ((3, 5), (r"\cos\left(3 \div 10000^{4/16}\right)", f"{3 / 10:.4f}", "i = 2")),
    ],
)
def test_the_story_of_a_position_shows_pos_i_angle_and_wave(
    index: tuple[int, int], parts: tuple[str, ...]
) -> None:
    seen = {TOKEN: np.zeros((5, 16), dtype=np.float32), PLACE: sinusoids(5, 16)}
    story = POSITION.story(seen, index)
    for part in (*parts, f"pos = {index[0]}"):
        assert part in story.finish + story.note
    assert story.result == pytest.approx(by_hand(*index, 16))


@pytest.mark.parametrize(
    ("equation", "seen", "finish", "result"),
    [
        (
            SCALED,
            {TOKEN: np.full((1, 16), -0.25)},
            r"\sqrt{16} \cdot (-0.2500) = 4.0000 \cdot (-0.2500)",
            -1.0,
        ),
        (
            INPUT,
            {SCALED_TOKEN: np.full((1, 16), 1.5), PLACE: np.full((1, 16), -0.5)},
            "1.5000 + (-0.5000)",
            1.0,
        ),
    ],
    ids=["scaled", "input"],
)
def test_products_and_sums_are_written_out(
    equation: Equation, seen: dict[str, np.ndarray], finish: str, result: float
) -> None:
    (computed,) = np.unique(equation.compute(*equation.operands(seen)))
    assert computed == pytest.approx(result)
    story = equation.cell(*equation.operands(seen), (0, 3))
    assert (story.finish, story.result) == (finish, pytest.approx(result))
