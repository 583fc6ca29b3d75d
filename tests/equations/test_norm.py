"""Layer norm against PyTorch's own."""

import numpy as np
import pytest
import torch

from explainer.equations.stream import MEAN, MIDDLE, NORM_OUTPUT, NORMALIZED, SCALE, SPREAD, X


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
