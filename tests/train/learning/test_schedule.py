"""Schedules: check values from the formulas, no jumps, and the highest rate that a request reaches."""

import dataclasses
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from explainer.train.learning import schedule
from explainer.train.learning.request import TrainRequest
from explainer.train.learning.schedule import highest_rate, misses_peak

PAPER = partial(schedule.inverse_square_root, d_model=512, warmup=4000)
TRAPEZOID = partial(schedule.trapezoid, peak=2e-3, warmup=100, decay_from=700, steps=1000)
COSINE = partial(schedule.cosine, peak=2e-3, warmup=100, steps=1000)
REQUEST = TrainRequest(corpus="", steps=800, warmup=100, peak=3e-3, decay=0.5)


def test_the_papers_schedule() -> None:
    """Up to 1 / √(512 · 4000) at step 4000; four times as many steps later it is half of that, nine times a third."""
    assert PAPER(4000) == pytest.approx(6.988e-4, abs=5e-8)
    assert max(PAPER(step) for step in range(1, 20_000)) == PAPER(4000)
    for step, share in {1: 1 / 4000, 1000: 1 / 4, 2000: 1 / 2, 4000: 1, 16_000: 1 / 2, 36_000: 1 / 3}.items():
        assert PAPER(step) == pytest.approx(share / (512 * 4000) ** 0.5)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (TRAPEZOID, {1: 2e-5, 50: 1e-3, 100: 2e-3, 400: 2e-3, 700: 2e-3, 850: 1e-3, 1000: 0.0, 1001: 0.0}),
        # after a quarter of the way down (1 + cos 45°) / 2 = 0.853553
        (COSINE, {1: 2e-5, 50: 1e-3, 100: 2e-3, 325: 2e-3 * 0.853553, 550: 1e-3, 1000: 0.0, 1001: 0.0}),
    ],
)
def test_the_other_shapes(rate: Callable[[int], float], expected: dict[int, float]) -> None:
    assert {step: rate(step) for step in expected} == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("rate", "peak", "warmup"), [(PAPER, PAPER(4000), 4000), (TRAPEZOID, 2e-3, 100), (COSINE, 2e-3, 100)]
)
def test_no_jumps_and_steps_are_counted_from_1(
    rate: Callable[[int], float], peak: float, warmup: int
) -> None:
    rates = [rate(step) for step in range(1, 1500)]
    assert rates[0] > 0
    assert all(0 <= rate <= peak * (1 + 1e-12) for rate in rates)
    assert all(abs(b - a) <= peak / warmup * 1.0001 for a, b in pairwise(rates))
    with pytest.raises(ValueError, match="step = 0: steps are counted from 1"):
        rate(0)


PAPERS = {
    "schedule": "inverse_sqrt",
    "d_model": 512,
    "n_heads": 8,
    "warmup": 400,
}  # its peak is (512 · 400)^−0.5


@pytest.mark.parametrize(
    ("changed", "rate", "missed"),
    [
        ({}, 3e-3, False),
        ({"steps": 30}, 3e-3 * 26 / 100, True),  # s / 100 and (30 − s) / 15 meet just above step 26
        ({"steps": 150}, 3e-3 * 0.86, True),  # s / 100 and (150 − s) / 75 meet between 85 and 86
        ({"steps": 100, "schedule": "cosine"}, 3e-3, False),
        ({"steps": 40, "schedule": "cosine"}, 3e-3 * 40 / 100, True),
        (PAPERS, (512 * 400) ** -0.5, False),
        ({**PAPERS, "steps": 100}, (512 * 400) ** -0.5 / 4, True),
    ],
)
def test_the_highest_rate(changed: dict[str, Any], rate: float, missed: bool) -> None:
    request = dataclasses.replace(REQUEST, **changed)
    assert highest_rate(request) == pytest.approx(rate, rel=0.01)
    assert misses_peak(request) == missed
