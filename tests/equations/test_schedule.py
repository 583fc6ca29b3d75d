"""The schedules in NumPy are those of the trainer, and the numbers of the paper."""

import math
import re

import numpy as np
import pytest

from explainer.equations import optimiser as schedule
from explainer.train.learning.request import TrainRequest
from explainer.train.learning.schedule import learning_rate_of

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
