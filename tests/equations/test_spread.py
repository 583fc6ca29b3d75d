"""The spread of dot products: theory for independent components, and NumPy's own deviation for all dimensions."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from explainer.equations.attention import spread_of_dots
from explainer.figures.lines.spread import spread_curves
from explainer.figures.style import LIGHT


def test_independent_components_spread_like_the_root_of_their_number() -> None:
    generator = np.random.default_rng(0)
    q, k = generator.normal(size=(2, 200, 64))
    found = spread_of_dots(q, k)
    assert found.sizes.tolist() == [1, 2, 4, 8, 16, 32, 64]
    np.testing.assert_allclose(found.dots, np.sqrt(found.sizes), rtol=0.03)  # the paper's footnote 4
    np.testing.assert_allclose(found.divided, 1, rtol=0.03)
    np.testing.assert_allclose(found.independent, found.dots, rtol=0.03)


def test_equal_components_spread_like_their_number() -> None:
    q, k = (np.repeat(np.random.default_rng(1).normal(size=(9, 1)), 8, axis=1) for _ in range(2))
    found = spread_of_dots(q, k)
    np.testing.assert_allclose(found.dots / found.dots[0], found.sizes)


@pytest.mark.parametrize("d_head", [1, 5, 12, 64])
def test_all_dimensions_are_the_dot_products(d_head: int) -> None:
    q, k = (np.random.default_rng(d_head).normal(size=(n, d_head)).astype(np.float32) for n in (3, 7))
    found = spread_of_dots(q, k)
    assert found.sizes[-1] == d_head
    assert found.dots[-1] == pytest.approx((q @ k.T).std(), rel=1e-5)
    assert found.divided[-1] == pytest.approx((q @ k.T / np.sqrt(d_head)).std(), rel=1e-5)


def test_the_curves_are_drawn() -> None:
    found = spread_of_dots(*np.random.default_rng(2).normal(size=(2, 4, 8)))
    curves = found.dots, found.divided, found.independent
    shown: Any = go.Figure(spread_curves(found.sizes, curves, "abc", LIGHT, here="d"))
    for trace, curve in zip(shown.data, curves, strict=True):
        np.testing.assert_allclose(trace["y"], curve, rtol=1e-6)
    assert shown.layout.xaxis.ticktext[-1] == "8 = d"
