"""The plane through a cloud of vectors that keeps most of its variance (principal components; Pearson 1901)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Plane:
    """Two orthogonal directions through the mean of a cloud.

    Attributes:
        origin: The mean.
        axes: Two unit vectors, the one with more variance first.
        shares: Share of the cloud's variance along each, from 0 to 1.
    """

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
