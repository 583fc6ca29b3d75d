"""The same tokens under several distributions over the vocabulary: which to list, and what is left for the others."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from explainer.equations.flow import top


def listed(
    distribution: Float[np.ndarray, " vocab"], k: int, also: Sequence[int] = ()
) -> Int[np.ndarray, " token"]:
    """Token ids: the k most probable ones and `also`, the most probable first.

    Args:
        distribution: Probabilities, or what grows with them.
        k: How many.
        also: Tokens that are listed in any case.
    """
    ids = {*top(distribution[None], k)[0].tolist(), *also}
    return np.array(sorted(ids, key=lambda token: (-distribution[token], token)))


def shares(values: Float[np.ndarray, " vocab"], ids: Int[np.ndarray, " token"]) -> Float[np.ndarray, " bar"]:
    """The numbers at these places, and last the sum of all others, in float64: nothing of the whole is lost."""
    wide = values.astype(np.float64)
    return np.append(wide[ids], np.delete(wide, ids).sum())


def chosen_probabilities(
    log_probs: Float[np.ndarray, "row vocab"], ids: Sequence[int]
) -> Float[np.ndarray, " row"]:
    """The probability of the token that each row goes on with."""
    return np.exp(log_probs[np.arange(len(ids)), list(ids)])


def rank(probabilities: Float[np.ndarray, " vocab"], token: int) -> int:
    """The place of a token among all, from 1: one more than there are more probable ones."""
    return int((probabilities > probabilities[token]).sum()) + 1
