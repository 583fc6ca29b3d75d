"""Which entries of the vocabulary point the same way: cosines between rows of the embedding table."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from explainer.equations.story import CellStory, as_written, sum_story, written
from explainer.measures.flow import top

COSINE = r"\cos(e_a, e_b) = \frac{e_a \cdot e_b}{\lVert e_a \rVert\, \lVert e_b \rVert}"


@dataclass(frozen=True)
class Neighbours:
    """The nearest entries of one token, without itself, the nearest first, and their cosines, from −1 to 1."""

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
        roles=("", ""),
        divisor=sizes[0] * sizes[1] or 1.0,
        finish=rf"\Sigma \div ({written(sizes[0])} \cdot {written(sizes[1])})",
    )
    divisor = as_written(sizes[0]) * as_written(sizes[1]) or 1.0
    return dataclasses.replace(told, after=lambda total: total / divisor)


@dataclass(frozen=True)
class Plane:
    """A cloud's mean and two orthogonal unit vectors, more variance first, with their shares of it from 0 to 1."""

    origin: Float[np.ndarray, " d_model"]
    axes: Float[np.ndarray, "2 d_model"]
    shares: Float[np.ndarray, "2"]

    @property
    def kept(self) -> float:
        """Share of the variance that the plane keeps."""
        return float(self.shares.sum())

    def project(self, points: Float[np.ndarray, "point d_model"]) -> Float[np.ndarray, "point 2"]:
        """Where points fall when they are dropped onto the plane; no two come farther apart than they were."""
        return (points - self.origin) @ self.axes.T


def principal_plane(points: Float[np.ndarray, "point d_model"]) -> Plane:
    """The plane of a cloud: the two leading eigenvectors of its covariance, in float64.

    Eigenvectors have no sign of their own: each is turned so that its largest component is positive, and the map
    looks the same after every start.

    Raises:
        ValueError: there are not two dimensions to show.
    """
    if points.shape[1] < 2:
        raise ValueError(f"{points.shape[1]} dimension: a plane needs two")
    origin = points.mean(axis=0, dtype=np.float64)
    centred = points - origin
    variances, vectors = np.linalg.eigh(centred.T @ centred)  # in ascending order
    axes = vectors[:, :-3:-1].T
    largest = np.abs(axes).argmax(axis=1)
    axes = axes * np.sign(axes[[0, 1], largest])[:, None]
    total = float(variances.sum())
    shares = np.maximum(variances[:-3:-1], 0.0) / total if total > 0 else np.zeros(2)
    return Plane(origin, axes, shares)


def listed(
    distribution: Float[np.ndarray, " vocab"], k: int, also: Sequence[int] = ()
) -> Int[np.ndarray, " token"]:
    """Token ids: the k most probable ones and `also`, the most probable first."""
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
