"""Which entries of the vocabulary point the same way: cosines between rows of the embedding table."""

import dataclasses
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from explainer.equations.story import as_written, sum_story, written
from explainer.story import CellStory

COSINE = r"\cos(e_a, e_b) = \frac{e_a \cdot e_b}{\lVert e_a \rVert\, \lVert e_b \rVert}"


@dataclass(frozen=True)
class Neighbours:
    """The nearest entries of one token, the nearest first.

    Attributes:
        ids: Their token ids; the token itself is not among them.
        cosines: How well each agrees in direction, from −1 to 1.
    """

    ids: Int[np.ndarray, " k"]
    cosines: Float[np.ndarray, " k"]


def cosines(table: Float[np.ndarray, "vocab d_model"], token: int) -> Float[np.ndarray, " vocab"]:
    """cos(e_token, e_j) for every row j, in float64; 0 for a row of zeros, which has no direction."""
    rows = table.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    both = lengths * lengths[token]
    return np.divide(rows @ rows[token], both, out=np.zeros_like(both), where=both > 0)


def nearest(table: Float[np.ndarray, "vocab d_model"], token: int, count: int) -> Neighbours:
    """The `count` rows with the largest cosine, over the whole table; of equals the lower id first."""
    found = cosines(table, token)
    found[token] = -np.inf
    ids = np.argsort(-found, kind="stable")[: min(count, len(found) - 1)]
    return Neighbours(ids, found[ids])


def cosine_story(table: Float[np.ndarray, "vocab d_model"], one: int, other: int) -> CellStory:
    """The cosine of two rows, its largest products written out."""
    a, b = (table[token].astype(np.float64) for token in (one, other))
    sizes = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    told = sum_story(
        r"\cos(e_a, e_b)",
        (a, b),
        summand=r"e_{a,k}\, e_{b,k}",
        roles=("", ""),
        divisor=sizes[0] * sizes[1] or 1.0,
        finish=rf"\Sigma \div ({written(sizes[0])} \cdot {written(sizes[1])})",
    )
    divisor = as_written(sizes[0]) * as_written(sizes[1]) or 1.0
    return dataclasses.replace(told, after=lambda total: total / divisor)
