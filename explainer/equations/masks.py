"""The mask as it is added to the scores, and how far two rows of log-probabilities are apart."""

import numpy as np
from jaxtyping import Bool, Float


def additive(allowed: Bool[np.ndarray, "query key"]) -> Float[np.ndarray, "query key"]:
    """M of softmax(S + M): 0 where a query may attend, −∞ where it may not (Vaswani et al. 2017, §3.2.3)."""
    return np.where(allowed, 0.0, -np.inf)
