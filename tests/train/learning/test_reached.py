"""The highest learning rate of a request: straight lines that meet, worked out by hand."""

import dataclasses
from typing import Any

import pytest

from explainer.train.learning.request import TrainRequest
from explainer.train.learning.schedule import highest_rate, misses_peak

REQUEST = TrainRequest(corpus="", steps=800, warmup=100, peak=3e-3, decay=0.5)


@pytest.mark.parametrize(
    ("changed", "rate"),
    [
        ({}, 3e-3),
        ({"steps": 30}, 3e-3 * 26 / 100),  # s / 100 and (30 − s) / 15 meet just above step 26
        (
            {"steps": 150},
            3e-3 * 0.86,
        ),  # s / 100 and (150 − s) / 75 meet between 85 and 86: (150 − 86) / 75 is less
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
