"""The principal plane against the singular value decomposition, and the properties of a projection."""

import numpy as np
import pytest

from explainer.measures.vocabulary import principal_plane


@pytest.fixture
def points() -> np.ndarray:
    draws = np.random.default_rng(5)
    return (draws.normal(size=(97, 7)) * [9, 1, 4, 1, 1, 1, 1] @ draws.normal(size=(7, 7)) + 3).astype(
        np.float32
    )


def test_the_plane_is_that_of_the_singular_value_decomposition(points: np.ndarray) -> None:
    centred = points - points.mean(axis=0, dtype=np.float64)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    plane = principal_plane(points)
    np.testing.assert_allclose(np.abs(np.sum(plane.axes * axes[:2], axis=1)), 1.0)  # up to the sign
    np.testing.assert_allclose(plane.shares, sizes[:2] ** 2 / (sizes**2).sum())


def test_what_is_kept_is_the_variance_of_the_shadows(points: np.ndarray) -> None:
    plane = principal_plane(points)
    shadows = plane.project(points)
    np.testing.assert_allclose(shadows.mean(axis=0), 0.0, atol=1e-9)
    total = points.astype(np.float64).var(axis=0).sum()
    assert plane.kept == pytest.approx(shadows.var(axis=0).sum() / total)


def test_shadows_never_lie_farther_apart_than_the_points(points: np.ndarray) -> None:
    shadows = principal_plane(points).project(points)
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    assert (np.linalg.norm(shadows[:, None] - shadows[None], axis=-1) <= apart + 1e-4).all()


def test_the_same_cloud_always_gives_the_same_map(points: np.ndarray) -> None:
    plane, upside_down = principal_plane(points), principal_plane(points[::-1])
    np.testing.assert_allclose(plane.axes, upside_down.axes, atol=1e-9)
    assert (np.take_along_axis(plane.axes, np.abs(plane.axes).argmax(axis=1)[:, None], axis=1) > 0).all()


def test_a_cloud_in_a_plane_is_kept_whole() -> None:
    flat = np.random.default_rng(1).normal(size=(20, 2)) @ np.random.default_rng(2).normal(size=(2, 9))
    assert principal_plane(flat).kept == pytest.approx(1.0)
    assert principal_plane(np.ones((4, 3))).kept == 0.0
    with pytest.raises(ValueError, match="1 dimension"):
        principal_plane(np.ones((4, 1)))
