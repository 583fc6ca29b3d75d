r"""The learning-rate schedules as formulas over many steps at once, and the arithmetic of one step."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from explainer.equations.story import written
from explainer.story import CellStory

INVERSE_SQUARE_ROOT = (
    r"\mathrm{lrate} = d_{model}^{-0.5} \cdot \min\left(\mathrm{step}^{-0.5},\; "
    r"\mathrm{step} \cdot \mathrm{warmup}^{-1.5}\right)"
)
# s is the step, w the warm-up, n the steps in all, d the step from which the trapezoid falls
TRAPEZOID = r"\mathrm{peak} \cdot \min\left(1,\; \frac{s}{w},\; \frac{n - s}{n - d}\right)"
COSINE = r"\mathrm{peak} \cdot \tfrac{1}{2}\left(1 + \cos \pi\, \frac{s - w}{n - w}\right), \quad s > w"
Steps = Float[np.ndarray, " step"]


def inverse_square_root(steps: Steps, d_model: int, warmup: int) -> Steps:
    """d_model^−0.5 · min(step^−0.5, step · warmup^−1.5) (Vaswani et al. 2017, eq. 3)."""
    return d_model**-0.5 * np.minimum(steps**-0.5, steps * warmup**-1.5)


def trapezoid(steps: Steps, peak: float, warmup: int, decay_from: int, total: int) -> Steps:
    """Straight up, level, straight down to 0 at the last step."""
    falling = (total - steps) / max(1, total - decay_from)
    return peak * np.clip(np.minimum(steps / max(1, warmup), falling), 0.0, 1.0)


def cosine(steps: Steps, peak: float, warmup: int, total: int) -> Steps:
    """Straight up, then half a cosine wave down to 0 at the last step."""
    done = np.clip((steps - warmup) / max(1, total - warmup), 0.0, 1.0)
    return peak * np.where(steps <= warmup, steps / warmup, 0.5 * (1 + np.cos(np.pi * done)))


def shaped(
    schedule: str, steps: Steps, *, d_model: int, peak: float, warmup: int, decay: float, total: int
) -> Steps:
    """The learning rates of a schedule by its name in a training request.

    Args:
        schedule: "inverse_sqrt" (which has its own peak), "trapezoid" or "cosine".
        steps: From 1.
        d_model: Width of the model.
        peak: Highest learning rate.
        warmup: Steps until it is reached.
        decay: Share of the steps, at the end, in which the trapezoid falls.
        total: Steps in all.

    Raises:
        ValueError: no schedule has this name.
    """
    if schedule == "inverse_sqrt":
        return inverse_square_root(steps, d_model, warmup)
    if schedule == "trapezoid":
        return trapezoid(steps, peak, warmup, round(total * (1 - decay)), total)
    if schedule == "cosine":
        return cosine(steps, peak, warmup, total)
    raise ValueError(f"schedule = {schedule!r}: must be inverse_sqrt, trapezoid or cosine")


def drawn_steps(total: int, also: Sequence[int], points: int = 240) -> Steps:
    """Steps from 1 to `total` at which a curve is drawn: even, closer at the start, and `also`."""
    even = np.linspace(1, total, points // 2)
    close = np.geomspace(1, total, points // 2)
    inside = [step for step in also if 1 <= step <= total]
    return np.unique(np.round(np.concatenate([even, close, inside])))


def check_values(d_model: int, warmup: int, total: int) -> list[tuple[int, float, float]]:
    """Steps worth checking, their learning rates, and these as shares of the peak."""
    steps = sorted({1, max(1, warmup // 4), warmup, 4 * warmup, 9 * warmup, total})
    rates = inverse_square_root(np.array(steps, dtype=np.float64), d_model, warmup)
    peak = peak_of(d_model, warmup)
    return [(step, rate, rate / peak) for step, rate in zip(steps, rates.tolist(), strict=True)]


def rate_at(steps: Steps, rates: Steps, step: float) -> float:
    """The learning rate at a step, on the straight line between the two that are known beside it."""
    return float(np.interp(step, steps, rates))


def peak_of(d_model: int, warmup: int) -> float:
    """1 / √(d_model · warmup): the largest learning rate of the paper's schedule."""
    return float((d_model * warmup) ** -0.5)


def peak_latex(d_model: int, warmup: int) -> str:
    """The peak of the paper's schedule in symbols and with its numbers, as LaTeX."""
    return (
        r"\begin{aligned} \mathrm{lrate}(\mathrm{warmup}) &= \frac{1}{\sqrt{d_{model} \cdot \mathrm{warmup}}} \\"
        rf" &= \frac{{1}}{{\sqrt{{{d_model} \cdot {warmup}}}}} = {powers(peak_of(d_model, warmup))} \end{{aligned}}"
    )


def powers(value: float, decimals: int = 3) -> str:
    """A small number as LaTeX: 6.988 · 10^−4."""
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{decimals}e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


def rate_story(step: int, d_model: int, warmup: int, model: float) -> tuple[str, CellStory]:
    """The learning rate of one step with its numbers, as LaTeX, and as a story beside what the trainer uses."""
    falling, rising = step**-0.5, step * warmup**-1.5
    result = d_model**-0.5 * min(falling, rising)
    latex = (
        rf"\begin{{aligned}} \mathrm{{lrate}} &= {d_model}^{{-0.5}} \cdot "
        rf"\min({step}^{{-0.5}},\; {step} \cdot {warmup}^{{-1.5}}) \\"
        rf" &= {written(d_model**-0.5, 6)} \cdot \min({powers(falling, 5)},\; {powers(rising, 5)}) \\"
        rf" &= {powers(result)} \end{{aligned}}"
    )
    return latex, CellStory(symbol=r"\mathrm{lrate}", result=float(result)).against(model)
