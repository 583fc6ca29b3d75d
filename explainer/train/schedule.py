"""Learning-rate schedules: functions of the step, counted from 1."""

import math


def inverse_square_root(step: int, *, d_model: int, warmup: int) -> float:
    """Lrate = d_model^−0.5 · min(step^−0.5, step · warmup^−1.5) (Vaswani et al. 2017, eq. 3)."""
    if step < 1:
        raise ValueError(f"step = {step}: steps are counted from 1")
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def trapezoid(step: int, *, peak: float, warmup: int, decay_from: int, steps: int) -> float:
    """Up to `peak` in `warmup` steps, level until `decay_from`, then straight down to 0 at `steps`."""
    if step < 1:
        raise ValueError(f"step = {step}: steps are counted from 1")
    falling = (steps - step) / max(1, steps - decay_from)
    return peak * max(0.0, min(1.0, step / max(1, warmup), falling))


def cosine(step: int, *, peak: float, warmup: int, steps: int) -> float:
    """Up to `peak` in `warmup` steps, then half a cosine wave down to 0 at `steps`."""
    if step < 1:
        raise ValueError(f"step = {step}: steps are counted from 1")
    if step <= warmup:
        return peak * step / warmup
    done = min(1.0, (step - warmup) / max(1, steps - warmup))
    return peak * 0.5 * (1 + math.cos(math.pi * done))
