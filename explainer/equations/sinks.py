"""Whether `</s>` is a sink: what it gets of a head's weight, and what of the lengths of all that the head adds.

Rows that are about `</s>` itself do not count: that the row which predicts the end looks at the end is an alignment.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from explainer.text.tokenizer import END


@dataclass(frozen=True, kw_only=True)
class EndShare:
    """Means over the rows about other tokens that may look at `</s>`.

    Attributes:
        weight: The part of a row's weight that lies on `</s>`.
        length: The part of a row's Σ_j ‖a_ij v_j W_O‖ that comes from `</s>` (Kobayashi et al. 2020).
        n_rows: How many rows those are.
    """

    weight: float
    length: float
    n_rows: int


def end_share(
    weights: Float[np.ndarray, "query key"],
    lengths: Float[np.ndarray, "query key"],
    allowed: Bool[np.ndarray, "query key"],
    queries: Sequence[str],
    keys: Sequence[str],
) -> EndShare | None:
    """What `</s>` gets of one head; None if no row about another token may look at it.

    Args:
        weights: Its attention.
        lengths: ‖a_ij v_j W_O‖.
        allowed: Which keys each query may attend to.
        queries: The token that each row is about.
        keys: The token of each column.
    """
    column = np.array([piece == END for piece in keys])
    about_others = np.array([piece != END for piece in queries])
    rows = about_others & (allowed & column).any(axis=-1) & (allowed.sum(axis=-1) > 1)
    if not rows.any():
        return None
    parts = [_part(values[rows].astype(np.float64), column) for values in (weights, lengths)]
    return EndShare(weight=parts[0], length=parts[1], n_rows=int(rows.sum()))


def _part(values: Float[np.ndarray, "row key"], column: Bool[np.ndarray, " key"]) -> float:
    """The mean share of a column; 0 in rows that are 0 everywhere."""
    total = values.sum(axis=-1)
    share = np.divide(values[:, column].sum(axis=-1), total, out=np.zeros_like(total), where=total > 0)
    return float(share.mean())
