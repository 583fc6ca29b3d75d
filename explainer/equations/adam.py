r"""Adam on one weight, step by step (Kingma & Ba 2015, algorithm 1; Loshchilov & Hutter 2019 for the decay)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
    """One update of one weight.

    Attributes:
        step: t, from 1.
        gradient: g.
        m: Running mean of the gradients.
        v: Running mean of their squares.
        m_hat: m, corrected for its start at 0 (or m itself without correction).
        v_hat: The same for v.
        direction: m̂ / (√v̂ + ε): the update in units of the learning rate.
        weight: w after the step.
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
    """Every step of Adam on one weight that meets these gradients.

    Args:
        gradients: g of each step.
        rates: Learning rate of each step.
        weight: w before the first step.
        betas: β₁ and β₂.
        epsilon: What keeps the division from failing.
        weight_decay: AdamW: each step first takes rate · weight_decay · w away.
        corrected: Whether m and v are divided by 1 − β^t.
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
