"""Adam and the schedules in NumPy are those of torch and the trainer, and the numbers of the papers."""

import math
import re

import numpy as np
import pytest
import torch

from explainer.equations import optimiser as schedule
from explainer.equations.optimiser import AdamStep, adam, adam_latex, noise_level
from explainer.train.learning.autograd import torch_adam
from explainer.train.learning.request import TrainRequest
from explainer.train.learning.schedule import learning_rate_of


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


def test_equal_gradients_of_any_size_give_whole_steps_and_contrary_ones_small_ones() -> None:
    for size in (0.5, -3.0, 1e-4, 2e5):
        assert directions([size] * 4) == pytest.approx([np.sign(size)] * 4, rel=1e-4)
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


STEPS = schedule.drawn_steps(9000, (1, 1000, 4000))


def test_check_values_of_the_base_model() -> None:
    """d_model 512, warm-up 4000: 1/√(512·4000) at the peak, 512^−0.5 · 4000^−1.5 at step 1."""
    values = {step: rate for step, rate, _ in schedule.check_values(512, 4000, 20_000)}
    assert values[1] == pytest.approx(1.747e-7, abs=5e-11)
    assert values[4000] == pytest.approx(6.988e-4, abs=5e-8)
    assert schedule.peak_of(512, 4000) == values[4000]
    shares = {step: share for step, _, share in schedule.check_values(512, 4000, 20_000)}
    assert (shares[1000], shares[16_000], shares[36_000]) == pytest.approx((1 / 4, 1 / 2, 1 / 3))


@pytest.mark.parametrize("name", ["inverse_sqrt", "trapezoid", "cosine"])
def test_a_request_means_the_same_here_as_in_the_worker(name: str) -> None:
    request = TrainRequest.from_json(
        {"corpus": "x", "schedule": name, "steps": 900, "warmup": 77, "decay": 0.37}
    )
    steps = np.arange(1.0, 901.0)
    ours = schedule.shaped(
        name, steps, d_model=request.d_model, peak=request.peak, warmup=77, decay=0.37, total=900
    )
    rate = learning_rate_of(request)
    np.testing.assert_allclose(ours, [rate(int(step)) for step in steps], rtol=1e-12, atol=1e-18)


def test_an_unknown_schedule_is_refused() -> None:
    with pytest.raises(ValueError, match="schedule = 'stairs'"):
        schedule.shaped("stairs", STEPS, d_model=1, peak=1.0, warmup=1, decay=0.0, total=9)


def test_a_curve_is_drawn_through_the_places_that_matter() -> None:
    assert {1, 1000, 4000, 9000} <= set(STEPS.tolist())
    assert (np.diff(STEPS) > 0).all()
    assert len(STEPS) < 300
    assert 5000 not in schedule.drawn_steps(100, (5000,))


def test_the_arithmetic_of_a_step() -> None:
    latex, told = schedule.rate_story(1, 512, 4000, 1.7469281e-7)
    assert r"1.747 \cdot 10^{-7}" in latex
    assert r"0.044194 \cdot \min(1.00000 \cdot 10^{0},\; 3.95285 \cdot 10^{-6})" in latex
    assert told.deviation < 1e-13


def test_the_peak_with_its_numbers() -> None:
    assert r"\frac{1}{\sqrt{512 \cdot 4000}} = 6.988 \cdot 10^{-4}" in schedule.peak_latex(512, 4000)


def test_the_rate_between_two_known_steps() -> None:
    steps, rates = np.array([1.0, 11.0, 21.0]), np.array([0.0, 1.0, 0.5])
    assert [schedule.rate_at(steps, rates, step) for step in (6, 11, 16)] == pytest.approx([0.5, 1.0, 0.75])


@pytest.mark.parametrize("d_model", [192, 256, 512])
@pytest.mark.parametrize("step", [1, 7, 333, 4000, 54321])
def test_the_written_learning_rate_survives_a_calculator(d_model: int, step: int) -> None:
    latex, _ = schedule.rate_story(step, d_model, 4000, 0.0)
    number = r"[\d.]+(?: \\cdot 10\^\{-?\d+\})?"
    found = re.search(rf"&= ([\d.]+) \\cdot \\min\(({number}),\\; ({number})\) \\\\ &= ({number})", latex)
    assert found
    factor, falling, rising, result = (
        float(shown.replace(r" \cdot 10^{", "e").rstrip("}")) for shown in found.groups()
    )
    unit = 10.0 ** (math.floor(math.log10(result)) - 3)
    assert abs(factor * min(falling, rising) - result) <= unit
