r"""Adam on one weight, step by step (Kingma & Ba 2015, algorithm 1; Loshchilov & Hutter 2019 for the decay)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from explainer.equations.story import CellStory, written

BETAS = (0.9, 0.98)
EPSILON = 1e-9
ADAM = (
    r"\begin{aligned}"
    r" m_t &= \beta_1 m_{t-1} + (1-\beta_1)\, g_t & \hat m_t &= m_t / (1-\beta_1^t) \\"
    r" v_t &= \beta_2 v_{t-1} + (1-\beta_2)\, g_t^2 & \hat v_t &= v_t / (1-\beta_2^t) \\"
    r" \Delta w_t &= -\mathrm{lrate} \cdot \hat m_t / (\sqrt{\hat v_t} + \epsilon) \end{aligned}"
)


@dataclass(frozen=True, kw_only=True)
class AdamStep:
    """One update of one weight: step t, from 1.

    `m` and `v` are the running means of the gradients and of their squares, `m_hat` and `v_hat` these corrected for
    their start at 0 (or themselves, without correction). `direction` is m̂ / (√v̂ + ε), the update in units of the
    learning rate; `weight` is w after the step.
    """

    step: int
    gradient: float
    m: float
    v: float
    m_hat: float
    v_hat: float
    direction: float
    weight: float


def adam(
    gradients: Sequence[float],
    rates: Sequence[float],
    *,
    weight: float = 0.0,
    betas: tuple[float, float] = BETAS,
    epsilon: float = EPSILON,
    weight_decay: float = 0.0,
    corrected: bool = True,
) -> list[AdamStep]:
    """Every step of Adam on one weight, w before the first, that meets these gradients at these learning rates.

    AdamW: each step first takes rate · weight_decay · w away. `corrected`: m and v are divided by 1 − β^t.
    """
    m = v = 0.0
    steps = []
    for t, (g, rate) in enumerate(zip(gradients, rates, strict=True), 1):
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g * g
        share = (1 - betas[0] ** t, 1 - betas[1] ** t) if corrected else (1.0, 1.0)
        m_hat, v_hat = m / share[0], v / share[1]
        direction = m_hat / (np.sqrt(v_hat) + epsilon)
        weight = float(weight * (1 - rate * weight_decay) - rate * direction)
        steps.append(
            AdamStep(
                step=t,
                gradient=g,
                m=m,
                v=v,
                m_hat=m_hat,
                v_hat=v_hat,
                direction=float(direction),
                weight=weight,
            )
        )
    return steps


def noise_level(betas: tuple[float, float] = BETAS) -> float:
    """√((1 − β₁)/(1 + β₁)): the root mean square of m̂/√v̂ after many steps if gradients are nothing but noise."""
    return float(((1 - betas[0]) / (1 + betas[0])) ** 0.5)


def adam_latex(
    steps: Sequence[AdamStep], at: int, *, betas: tuple[float, float] = BETAS, corrected: bool = True
) -> str:
    """The arithmetic of step `at` (from 1) with its numbers, as LaTeX; the others are as for `adam`."""
    now = steps[at - 1]
    m, v = (steps[at - 2].m, steps[at - 2].v) if at > 1 else (0.0, 0.0)
    g, (one, two) = _latex(now.gradient, bracketed=True), betas
    divided = rf" / (1 - {{0}}^{{{{{at}}}}})" if corrected else ""
    lines = [
        rf"m_{{{at}}} &= {one} \cdot {_latex(m, bracketed=True)} + {1 - one:.4g} \cdot {g} = {_latex(now.m)}",
        rf"v_{{{at}}} &= {two} \cdot {_latex(v)} + {1 - two:.4g} \cdot {g}^2 = {_latex(now.v)}",
        rf"\hat m_{{{at}}} &= {_latex(now.m)}{divided.format(one)} = {_latex(now.m_hat)}",
        rf"\hat v_{{{at}}} &= {_latex(now.v)}{divided.format(two)} = {_latex(now.v_hat)}",
        rf"\frac{{\hat m_{{{at}}}}}{{\sqrt{{\hat v_{{{at}}}}} + \epsilon}} &= "
        rf"\frac{{{_latex(now.m_hat)}}}{{{_latex(float(np.sqrt(now.v_hat)))}}} = {_latex(now.direction)}",
    ]
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def _latex(value: float, *, bracketed: bool = False) -> str:
    """Four significant digits, very small and very large numbers with a power of ten."""
    text = f"{value:.4g}"
    if "e" in text:
        mantissa, exponent = f"{value:.3e}".split("e")
        text = rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
        return f"({text})" if bracketed else text
    return f"({text})" if bracketed and value < 0 else text


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
    """Learning rates, steps from 1, of a schedule by its request name: "inverse_sqrt", "trapezoid" or "cosine".

    The first has its own peak. `decay` is the share of the steps, at the end, in which the trapezoid falls.

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
