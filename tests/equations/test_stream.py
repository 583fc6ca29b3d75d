"""Positions against the formula in plain Python, layer norm against PyTorch; what the stories show."""

import math

import numpy as np
import pytest
import torch

from explainer.equations.stream import (
    INPUT,
    MEAN,
    MIDDLE,
    NORM_OUTPUT,
    NORMALIZED,
    PLACE,
    POSITION,
    SCALE,
    SCALED,
    SCALED_TOKEN,
    SPREAD,
    TOKEN,
    X,
    sinusoids,
)


def by_hand(position: int, dim: int, d_model: int) -> float:
    i = dim // 2
    angle = position / math.pow(10000.0, 2 * i / d_model)
    return math.sin(angle) if dim == 2 * i else math.cos(angle)


@pytest.mark.parametrize(("n_positions", "d_model"), [(1, 2), (61, 24), (512, 8)])
def test_positions_are_the_papers_formula(n_positions: int, d_model: int) -> None:
    expected = [[by_hand(pos, dim, d_model) for dim in range(d_model)] for pos in range(n_positions)]
    np.testing.assert_allclose(sinusoids(n_positions, d_model), expected, atol=1e-12)


@pytest.mark.parametrize(("dim", "wave"), [(4, "sin"), (5, "cos")])
def test_the_story_of_a_position_shows_pos_i_angle_and_wave(dim: int, wave: str) -> None:
    seen = {TOKEN: np.zeros((5, 16), dtype=np.float32), PLACE: sinusoids(5, 16)}
    story = POSITION.story(seen, (3, dim))
    for part in (rf"\{wave}\left(3 \div 10000^{{4/16}}\right)", f"{3 / 10:.4f}", "i = 2", "pos = 3"):
        assert part in story.finish + story.note
    assert story.result == pytest.approx(by_hand(3, dim, 16))


def test_products_and_sums_are_written_out() -> None:
    numbers = {TOKEN: -0.25, SCALED_TOKEN: 1.5, PLACE: -0.5}
    seen = {name: np.full((1, 16), number) for name, number in numbers.items()}
    scaled, total = (one.cell(*one.operands(seen), (0, 3)) for one in (SCALED, INPUT))
    assert (scaled.finish, scaled.result) == (r"\sqrt{16} \cdot (-0.2500) = 4.0000 \cdot (-0.2500)", -1.0)
    assert (total.finish, total.result) == ("1.5000 + (-0.5000)", 1.0)


@pytest.mark.parametrize("spread", [1e-3, 1.0, 30.0])  # with 1e-3 ε counts
def test_the_four_equations_together_are_torchs_layer_norm(spread: float) -> None:
    x = torch.randn(5, 24, dtype=torch.double) * spread + 2
    gain, bias = torch.randn(24, dtype=torch.double), torch.randn(24, dtype=torch.double)
    seen = {X: x.numpy(), "weight": gain.numpy(), "bias": bias.numpy()}
    for equation in (MEAN, SCALE, NORMALIZED, NORM_OUTPUT):
        seen[equation.explains] = equation.compute(*equation.operands(seen))
    expected = torch.nn.functional.layer_norm(x, (24,), gain, bias).numpy()
    np.testing.assert_allclose(seen[NORM_OUTPUT.explains], expected, rtol=1e-9)


def test_the_variance_is_the_biased_one() -> None:
    """Of 1 and 3 it is 1; divided by n − 1 it would be 2."""
    x = np.array([[1.0, 3.0]])
    assert MEAN.compute(x).tolist() == [[2.0]]
    np.testing.assert_allclose(SCALE.compute(x), [[np.sqrt(1 + 1e-5)]], rtol=1e-12)


def test_the_story_of_the_scale_squares_distances_from_the_mean() -> None:
    x = np.array([[1.0, 3.0, 8.0]])
    story = SCALE.story({X: x, SPREAD: SCALE.compute(x)}, (0, 0))
    assert [term.factors for term in story.terms] == [(-3.0, -3.0), (-1.0, -1.0), (4.0, 4.0)]
    assert story.total == pytest.approx(26.0)
    assert story.deviation < 1e-12
    assert "4.000" in story.note


def test_the_story_of_the_mean_adds_plain_numbers() -> None:
    x = np.array([[1.0, 3.0, 8.0]])
    story = MEAN.story({X: x, MIDDLE: MEAN.compute(x)}, (0, 0))
    assert [(term.factors, term.value) for term in story.terms] == [((), 1.0), ((), 3.0), ((), 8.0)]
    assert (story.total, story.result) == (12.0, 4.0)
