"""The bound of exact search: what begins with a prefix can have no better score than this."""

import numpy as np
from jaxtyping import Float

from explainer.equations.search import divisor

BOUND = (
    r"\begin{gathered} \log p(\target{y_{\le t}} \mid \source{x}) \;\ge\; \log p(\target{y_{\le t'}} \mid \source{x})"
    r"\quad (t' > t) \\ \text{read } \target{y_{\le t}} \text{ only if }\; "
    r"\frac{\log p(\target{y_{\le t}} \mid \source{x})}{\operatorname{lp}(L^\ast)} > \text{best score} \end{gathered}"
)
SOURCE = "Stahlberg & Byrne 2019, algorithm 1"


def suiting_length(penalty: str, alpha: float, length: int, limit: int) -> int:
    """L*: the length that suits a longer hypothesis best: the limit if long ones are favoured, else the next one.

    Args:
        penalty: Name of the length penalty.
        alpha: Its α.
        length: Tokens of the prefix.
        limit: Most tokens.
    """
    return limit if penalty != "none" and alpha > 0 else length + 1


def bound(log_prob: float, penalty: str, alpha: float, length: int, limit: int) -> float:
    """The best score of anything longer that begins with a prefix; arguments as for `suiting_length`."""
    return float(np.divide(log_prob, divisor(penalty, alpha, suiting_length(penalty, alpha, length, limit))))


def off_by(log_prob: float, log_ps: Float[np.ndarray, " token"]) -> float:
    """|Δ| of a sum that a search added up token by token, and the same summed here in float64."""
    return abs(log_prob - float(log_ps.astype(np.float64).sum()))
