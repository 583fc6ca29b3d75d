"""Adam in NumPy is torch's, with and without decoupled weight decay; and what follows from its formula."""

import numpy as np
import pytest
import torch

from explainer.equations.optimiser import AdamStep, adam, adam_latex, noise_level
from explainer.train.learning.autograd import torch_adam


def by_torch(gradients: list[float], rates: list[float], weight: float, decay: float | None) -> list[float]:
    """The weight after each step of torch.optim.Adam, or of AdamW if there is a decay."""
    leaf = torch.tensor([weight], dtype=torch.double)
    if decay is None:
        optimizer: torch.optim.Optimizer = torch.optim.Adam([leaf], betas=(0.9, 0.98), eps=1e-9)
    else:
        optimizer = torch.optim.AdamW([leaf], betas=(0.9, 0.98), eps=1e-9, weight_decay=decay)
    path = []
    for gradient, rate in zip(gradients, rates, strict=True):
        optimizer.param_groups[0]["lr"] = rate
        leaf.grad = torch.tensor([gradient], dtype=torch.double)
        optimizer.step()
        path.append(float(leaf))
    return path


def directions(gradients: list[float], *, corrected: bool = True) -> list[float]:
    return [one.direction for one in adam(gradients, [1.0] * len(gradients), corrected=corrected)]


@pytest.mark.parametrize("decay", [None, 0.0, 0.3])
def test_every_step_is_torchs(decay: float | None) -> None:
    draws = np.random.default_rng(3)
    gradients, rates = draws.normal(size=40).tolist(), draws.uniform(0.001, 0.1, 40).tolist()
    ours = adam(gradients, rates, weight=0.7, weight_decay=decay or 0.0)
    expected = by_torch(gradients, rates, 0.7, decay)
    np.testing.assert_allclose([one.weight for one in ours], expected, rtol=1e-9)


@pytest.mark.parametrize("betas", [(0.0, 0.9), (0.9, 0.999), (0.99, 0.98)])
def test_other_betas_are_torchs(betas: tuple[float, float]) -> None:
    gradients = np.random.default_rng(4).normal(size=15).tolist()
    ours = adam(gradients, [1.0] * 15, betas=betas)
    expected = torch_adam(gradients, betas=betas)
    np.testing.assert_allclose([one.weight for one in ours], expected, rtol=1e-9)
    assert rf"v_{{1}} &= {betas[1]} \cdot" in adam_latex(ours, 1, betas=betas)


def test_with_0_999_and_no_correction_the_first_step_is_too_long() -> None:
    """(1 − 0.9) / √(1 − 0.999) = 0.1 / 0.0316."""
    (first,) = adam([0.4], [1.0], betas=(0.9, 0.999), corrected=False)
    assert first.direction == pytest.approx(10**0.5)


def test_two_steps_by_hand() -> None:
    """g = 0.5, 0.3. m₂ = 0.9·0.05 + 0.1·0.3 = 0.075; v₂ = 0.98·0.005 + 0.02·0.09 = 0.0067;
    m̂₂ = 0.075/0.19 = 0.394737; v̂₂ = 0.0067/0.0396 = 0.169192; 0.394737/0.411330 = 0.959660."""
    second: AdamStep = adam([0.5, 0.3], [1.0, 1.0])[1]
    found = (second.m, second.v, second.m_hat, second.v_hat, second.direction)
    assert found == pytest.approx((0.075, 0.0067, 0.394737, 0.169192, 0.959660), abs=2e-6)
    latex = adam_latex(adam([0.5, 0.3], [1.0, 1.0]), 2)
    for text in (r"0.9 \cdot 0.05 + 0.1 \cdot 0.3 = 0.075", "/ (1 - 0.9^{2}) = 0.3947", "= 0.9597"):
        assert text in latex


@pytest.mark.parametrize("gradient", [0.5, -3.0, 1e-4, 2e5])
def test_the_first_step_is_the_whole_learning_rate(gradient: float) -> None:
    assert directions([gradient])[0] == pytest.approx(np.sign(gradient), rel=1e-4)


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_the_size_of_the_gradients_does_not_matter(factor: float) -> None:
    gradients = [0.5, 0.4, -0.2, 0.3]
    assert directions([factor * g for g in gradients]) == pytest.approx(directions(gradients), rel=1e-6)


def test_equal_gradients_give_whole_steps_and_contrary_ones_small_ones() -> None:
    assert directions([1.0] * 4) == pytest.approx([1.0] * 4)
    assert abs(directions([1.0, -1.0, 1.0, -1.0])[3]) < 0.06


def test_without_bias_correction_the_first_step_is_too_short_and_the_tenth_too_long() -> None:
    steps = directions([1.0] * 10, corrected=False)
    assert steps[0] == pytest.approx(0.1 / 0.02**0.5)
    assert steps[0] < 1 < steps[9]
    assert "(1 -" not in adam_latex(adam([1.0], [1.0], corrected=False), 1, corrected=False)


def test_noise_leads_to_short_steps() -> None:
    """Gradients that are nothing but noise, long after the start."""
    noise = np.random.default_rng(5).normal(size=60_000).tolist()
    late = np.array(directions(noise)[2000:])
    assert np.sqrt((late**2).mean()) == pytest.approx(noise_level(), rel=0.03)
