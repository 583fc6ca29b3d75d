"""How attention appears while a model learns: measures of all heads of a kind, one number for each step."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from explainer.measures.heads import HeadMeasures


def alignment(heads: Sequence[HeadMeasures]) -> float:
    """Focus × variety of the most telling head: 1 if every word looks at one word of its own and at nothing else."""
    return max(one.telling for one in heads)


def by_position(heads: Sequence[HeadMeasures]) -> float:
    """The largest share of its weight that a head puts on the token before or after: only positions tell which."""
    return max(
        max(one.shares[aim].weight for aim in ("previous", "next") if aim in one.shares) for one in heads
    )


def evenness(heads: Sequence[HeadMeasures]) -> float:
    """Mean entropy of the heads' rows as a share of the entropy of an even spread: 1 looks at everything alike."""
    shares = [one.entropy / one.even_entropy for one in heads if one.even_entropy > 0]
    return float(np.mean(shares)) if shares else float("nan")


def cosine_matrix(
    rows: Float[np.ndarray, "row d_model"], columns: Float[np.ndarray, "column d_model"]
) -> Float[np.ndarray, "row column"]:
    """The cosine of the angle between each row vector and each column vector, −1 … 1; 0 beside a zero vector."""
    dots = rows.astype(np.float64) @ columns.T.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)[:, None] * np.linalg.norm(columns, axis=1)[None]
    return np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)


def largest_rise(values: Sequence[float]) -> int:
    """The place, from 0, whose value is most above the one before it; 0 if there is only one."""
    return int(np.argmax(np.diff(values))) + 1 if len(values) > 1 else 0
