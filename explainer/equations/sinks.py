"""Whether `</s>` is a sink: what it gets of a head's weight, and what of the lengths of all that the head adds.

Rows that are about `</s>` itself do not count: that the row which predicts the end looks at the end is an alignment.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from explainer.equations.heads import columns_at, share_on
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
    about_others = np.array([piece != END for piece in queries])
    cells = columns_at("end", len(queries), keys) & about_others[:, None]
    weight = share_on(cells, weights, allowed)
    if weight is None:
        return None
    total = lengths.sum(axis=-1, keepdims=True, dtype=np.float64)
    parts = np.divide(
        lengths, total, out=np.zeros(lengths.shape), where=total > 0
    )  # 0 of a head that adds nothing
    length = share_on(cells, parts, allowed)
    assert length is not None  # the same rows
    return EndShare(weight=weight.weight, length=length.weight, n_rows=weight.n_rows)
