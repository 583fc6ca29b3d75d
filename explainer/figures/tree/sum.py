"""The arithmetic of one hypothesis as LaTeX: token by token, then product, sum and score."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from explainer.equations.optimiser import powers
from explainer.figures.escape import for_katex, token_label
from explainer.figures.latex import latex_number, paint
from explainer.figures.style import Theme
from explainer.language import _

_WRITTEN = 12  # tokens, the last ones


def sum_latex(
    names: Sequence[str],
    log_ps: Float[np.ndarray, " token"],
    products: Float[np.ndarray, " token"],
    sums: Float[np.ndarray, " token"],
    theme: Theme,
) -> str:
    """A line for each token with p and log p; below the rule the product of the one column and the sum of the other.

    Products and sums are those up to each token.
    """
    first = max(0, len(names) - _WRITTEN)
    heading, those = _("token"), _("the first {n}").format(n=first)
    lines = [rf"\text{{{heading}}} & p & \log p \\ \hline"]
    if first:
        before = f"{_power(float(products[first - 1]))} & {latex_number(float(sums[first - 1]), 3)}"
        lines.append(rf"\text{{{those}}} & {before} \\")
    for name, log_p in zip(names[first:], log_ps[first:].tolist(), strict=True):
        label = for_katex(token_label(name).strip())
        lines.append(rf"\target{{{label}}} & {_power(float(np.exp(log_p)))} & {latex_number(log_p, 3)} \\")
    total = rf"\prod = {_power(float(products[-1]))} & \sum = {latex_number(float(sums[-1]), 3)}"
    lines.append(rf"\hline & {total}")
    return paint(rf"\begin{{array}}{{lrr}} {' '.join(lines)} \end{{array}}", theme)


def score_latex(log_prob: float, length: int, penalty: str, alpha: float, divisor: float) -> str:
    """The score Σ log p ÷ lp(L) with its numbers; the penalty is "none", "huggingface" or "gnmt"."""
    total, score = latex_number(log_prob, 3), latex_number(log_prob / divisor, 3)
    name = for_katex(_("score"))
    if penalty == "none":
        return rf"{name} = \frac{{{total}}}{{1}} = {score}"
    base = str(length) if penalty == "huggingface" else rf"\left(\frac{{5 + {length}}}{{6}}\right)"
    power = rf"{base}^{{{latex_number(alpha, 1)}}}"
    return rf"{name} = \frac{{{total}}}{{{power}}} = \frac{{{total}}}{{{latex_number(divisor, 3)}}} = {score}"


def _power(value: float) -> str:
    """A probability: three decimals, or a power of ten where these would be zeros."""
    if value == 0 or value >= 0.0095:
        return f"{value:.3f}"
    return powers(value, 1)
