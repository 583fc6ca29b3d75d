"""Schedules: check values from the formulas, no jumps, and the highest rate that a request reaches."""

import dataclasses
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from explainer.train.learning.request import TrainRequest
from explainer.train.learning.schedule import (
    cosine,
    highest_rate,
    inverse_square_root,
    misses_peak,
    trapezoid,
)

PAPER = partial(inverse_square_root, d_model=512, warmup=4000)
TRAPEZOID = partial(trapezoid, peak=2e-3, warmup=100, decay_from=700, steps=1000)
COSINE = partial(cosine, peak=2e-3, warmup=100, steps=1000)
REQUEST = TrainRequest(corpus="", steps=800, warmup=100, peak=3e-3, decay=0.5)


def test_the_papers_peak() -> None:
    """d_model^−0.5 · warmup^−0.5 = 1 / √(512 · 4000) = 6.988e-4, reached at step 4000."""
    assert PAPER(4000) == pytest.approx(1 / (512 * 4000) ** 0.5)
    assert PAPER(4000) == pytest.approx(6.988e-4, abs=5e-8)
    assert max(PAPER(step) for step in range(1, 20_000)) == PAPER(4000)


@pytest.mark.parametrize(
    ("step", "share"), [(1, 1 / 4000), (1000, 1 / 4), (2000, 1 / 2), (16_000, 1 / 2), (36_000, 1 / 3)]
)
def test_the_papers_schedule(step: int, share: float) -> None:
    """Linear before the peak; four times as many steps later it is half the peak, nine times a third."""
    assert PAPER(step) == pytest.approx(share / (512 * 4000) ** 0.5)


@pytest.mark.parametrize(
    ("step", "rate"),
    [(1, 2e-5), (50, 1e-3), (100, 2e-3), (400, 2e-3), (700, 2e-3), (850, 1e-3), (1000, 0.0), (1001, 0.0)],
)
def test_the_trapezoid(step: int, rate: float) -> None:
    assert TRAPEZOID(step) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("step", "rate"),
    [(1, 2e-5), (50, 1e-3), (100, 2e-3), (325, 2e-3 * 0.853553), (550, 1e-3), (1000, 0.0), (1001, 0.0)],
)
def test_the_cosine(step: int, rate: float) -> None:
    """After a quarter of the way down (1 + cos 45°) / 2 = 0.853553."""
    assert COSINE(step) == pytest.approx(rate, abs=1e-9)


@pytest.mark.parametrize(
    ("schedule", "peak", "warmup"), [(PAPER, PAPER(4000), 4000), (TRAPEZOID, 2e-3, 100), (COSINE, 2e-3, 100)]
)
def test_no_jumps(schedule: Callable[[int], float], peak: float, warmup: int) -> None:
    rates = [schedule(step) for step in range(1, 1500)]
    assert all(0 <= rate <= peak * (1 + 1e-12) for rate in rates)
    assert all(abs(b - a) <= peak / warmup * 1.0001 for a, b in pairwise(rates))


@pytest.mark.parametrize("schedule", [PAPER, TRAPEZOID, COSINE])
def test_steps_are_counted_from_1(schedule: Callable[[int], float]) -> None:
    assert schedule(1) > 0
    with pytest.raises(ValueError, match="step = 0: steps are counted from 1"):
        schedule(0)


@pytest.mark.parametrize(
    ("changed", "rate"),
    [
        ({}, 3e-3),
        ({"steps": 30}, 3e-3 * 26 / 100),  # s / 100 and (30 − s) / 15 meet just above step 26
        ({"steps": 150}, 3e-3 * 0.86),  # s / 100 and (150 − s) / 75 meet between 85 and 86
        ({"steps": 100, "schedule": "cosine"}, 3e-3),
        ({"steps": 40, "schedule": "cosine"}, 3e-3 * 40 / 100),
    ],
)
def test_the_highest_rate(changed: dict[str, Any], rate: float) -> None:
    request = dataclasses.replace(REQUEST, **changed)
    assert highest_rate(request) == pytest.approx(rate, rel=0.01)
    assert misses_peak(request) == (rate < 3e-3)


def test_the_papers_schedule_has_its_own_peak() -> None:
    """1 / √(d_model · warmup), at the end of the warm-up; before it the rate grows in proportion to the step."""
    paper = dataclasses.replace(REQUEST, schedule="inverse_sqrt", d_model=512, n_heads=8, warmup=400)
    assert highest_rate(paper) == pytest.approx((512 * 400) ** -0.5)
    assert not misses_peak(paper)
    short = dataclasses.replace(paper, steps=100)
    assert highest_rate(short) == pytest.approx((512 * 400) ** -0.5 / 4)
    assert misses_peak(short)
