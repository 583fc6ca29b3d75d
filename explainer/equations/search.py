"""The numbers of a hypothesis: probabilities multiplied, their logarithms added, the score after a length penalty."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from explainer.equations.difference import largest_difference

DIVISORS = {
    "none": r"\operatorname{lp}(L) = 1",
    "huggingface": r"\operatorname{lp}(L) = L^{\alpha}",
    "gnmt": r"\operatorname{lp}(L) = \left(\frac{5 + L}{6}\right)^{\alpha}",
}
SOURCES = {
    "none": "Sutskever et al. 2014, §3.2",
    "huggingface": "`length_penalty` of the library transformers",
    "gnmt": "Wu et al. 2016, eq. 14",
}
SCORE = (
    r"p(\target{y} \mid \source{x}) = \prod_{t=1}^{L} p(\target{y_t} \mid \target{y_{<t}}, \source{x})"
    r" \\ \log p(\target{y} \mid \source{x}) = \sum_{t=1}^{L} \log p(\target{y_t} \mid \target{y_{<t}}, \source{x})"
    r" \\ \text{score}(\target{y}) = \frac{\log p(\target{y} \mid \source{x})}{\operatorname{lp}(L)}"
)


def divisor(penalty: str, alpha: float, length: int) -> float:
    """lp(L) of `DIVISORS`: what the sum of log-probabilities is divided by.

    Args:
        penalty: "none", "huggingface" or "gnmt".
        alpha: α.
        length: L, the tokens that were generated: `</s>` counts, `<s>` does not.

    Raises:
        ValueError: there is no such penalty.
    """
    if penalty not in DIVISORS:
        raise ValueError(f"penalty = {penalty!r}: must be one of {', '.join(DIVISORS)}")
    base = {"none": 1.0, "huggingface": length, "gnmt": (5 + length) / 6}[penalty]
    return float(np.power(base, alpha))


def products(log_ps: Float[np.ndarray, " token"]) -> Float[np.ndarray, " token"]:
    """∏ p up to each token, multiplied as probabilities in float64."""
    return np.cumprod(np.exp(log_ps.astype(np.float64)))


def sums(log_ps: Float[np.ndarray, " token"]) -> Float[np.ndarray, " token"]:
    """Σ log p up to each token, in float64."""
    return np.cumsum(log_ps.astype(np.float64))


def added(log_ps: Float[np.ndarray, " token"]) -> float:
    """Σ p: what one gets who adds probabilities. It means nothing: it grows with every token, soon beyond 1."""
    return float(np.exp(log_ps.astype(np.float64)).sum())


def by_rank(values: Sequence[float]) -> Int[np.ndarray, " value"]:
    """The place of each value among all when the largest is first, from 1; equals in their order."""
    order = np.argsort(-np.asarray(values, dtype=np.float64), kind="stable")
    ranks = np.empty(len(order), dtype=int)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def furthest(one: Float[np.ndarray, " token"], other: Float[np.ndarray, " token"]) -> float:
    """Max |Δ| of the running sums of two ways to compute the same log-probabilities; 0 without any."""
    return largest_difference(sums(one), sums(other))
