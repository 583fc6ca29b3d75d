"""Learning-rate schedules: functions of the step, counted from 1."""

import math
from collections.abc import Callable
from functools import lru_cache

from explainer.train.learning.request import TrainRequest


def learning_rate_of(request: TrainRequest) -> Callable[[int], float]:
    """The schedule that the request names, as a function of the step counted from 1."""
    if request.schedule == "inverse_sqrt":
        return lambda step: inverse_square_root(step, d_model=request.d_model, warmup=request.warmup)
    if request.schedule == "cosine":
        return lambda step: cosine(step, peak=request.peak, warmup=request.warmup, steps=request.steps)
    falls = {"decay_from": round(request.steps * (1 - request.decay)), "steps": request.steps}
    return lambda step: trapezoid(step, peak=request.peak, warmup=request.warmup, **falls)


def inverse_square_root(step: int, *, d_model: int, warmup: int) -> float:
    """Lrate = d_model^−0.5 · min(step^−0.5, step · warmup^−1.5) (Vaswani et al. 2017, eq. 3)."""
    _check(step)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def trapezoid(step: int, *, peak: float, warmup: int, decay_from: int, steps: int) -> float:
    """Up to `peak` in `warmup` steps, level until `decay_from`, then straight down to 0 at `steps`."""
    _check(step)
    falling = (steps - step) / max(1, steps - decay_from)
    return peak * max(0.0, min(1.0, step / max(1, warmup), falling))


def cosine(step: int, *, peak: float, warmup: int, steps: int) -> float:
    """Up to `peak` in `warmup` steps, then half a cosine wave down to 0 at `steps`."""
    _check(step)
    if step <= warmup:
        return peak * step / warmup
    done = min(1.0, (step - warmup) / max(1, steps - warmup))
    return peak * 0.5 * (1 + math.cos(math.pi * done))


def _check(step: int) -> None:
    if step < 1:
        raise ValueError(f"step = {step}: steps are counted from 1")


_ROUNDING = 1e-9  # as a share of the peak


@lru_cache(maxsize=64)
def highest_rate(request: TrainRequest) -> float:
    """The maximum over the steps 1 … `steps` of the learning rate that the trainer uses at that step."""
    rate = learning_rate_of(request)
    return max(rate(step) for step in range(1, request.steps + 1))


def misses_peak(request: TrainRequest) -> bool:
    """Whether the schedule falls, or the run ends, before the learning rate has come up to `peak`.

    The paper's schedule has its own peak, reached at the end of the warm-up.
    """
    if request.schedule == "inverse_sqrt":
        return request.warmup > request.steps
    return highest_rate(request) < (1 - _ROUNDING) * request.peak
