"""How far two ways of computing the same numbers are apart: the "max |Δ|" that stands beside each equation."""

import numpy as np
from jaxtyping import Float


def largest_difference(one: Float[np.ndarray, "*shape"], other: Float[np.ndarray, "*shape"]) -> float:
    """Max |a − b| over all cells, taken in float64; 0 if there are none."""
    return float(np.abs(one.astype(np.float64) - other).max(initial=0.0))
