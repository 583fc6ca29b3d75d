"""Heads beside each other, and bars of effects: the numbers read back from the figure are those that went in."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from explainer.figures.bars.rows import effect_bars
from explainer.figures.heat.multiples import heads_beside, tile_of
from explainer.figures.style import LIGHT

ROWS, COLUMNS = ["a", "<b>"], ["c", "d", "<s>"]


def drawn(values: np.ndarray, allowed: np.ndarray, bound: float | None = None) -> Any:
    names = [f"head {h}" for h in range(len(values))]
    drawing = heads_beside(
        values, allowed, ROWS, COLUMNS, names, LIGHT, selected=(1, 0, 2), row_title="query", bound=bound
    )
    return go.Figure(drawing)


def test_every_cell_of_every_head_is_where_tile_of_says() -> None:
    values = np.random.default_rng(1).random((4, 2, 3)).astype(np.float32)
    allowed = np.array([[True, True, False], [True, True, True]])
    shown = drawn(values, allowed)
    tiled = np.asarray(shown.data[0].z)
    seen = np.zeros(values.shape, dtype=int)
    for x in range(tiled.shape[1]):
        head, key = tile_of(x, 3, 4)
        assert 0 <= head < 4
        assert 0 <= key < 3
        for y in range(2):
            if not np.isnan(tiled[y, x]):
                assert tiled[y, x] == values[head, y, key]
                seen[head, y, key] += 1
    np.testing.assert_array_equal(seen, np.broadcast_to(allowed, seen.shape))
    assert (shown.data[0].zmin, shown.data[0].zmax) == (0.0, 1.0)
    assert list(shown.layout.xaxis.ticktext) == ["c", "d", "&lt;s&gt;"] * 4


def test_differences_have_a_range_about_zero() -> None:
    shown = drawn(np.full((2, 2, 3), -0.25, dtype=np.float32), np.ones((2, 3), dtype=bool), bound=0.25)
    assert (shown.data[0].zmin, shown.data[0].zmax) == (-0.25, 0.25)


def test_bars_keep_their_order_and_reach_on_both_sides() -> None:
    effects = np.array([-2.0, 0.5, 0.0])
    keys = [("effect", 0, 1), ("effect", 2, 3), ("effect", 1, 1)]
    shown: Any = go.Figure(effect_bars(effects, ["x", "y", "z"], keys, LIGHT, selected=1, title="nats"))
    bars = shown.data[0]
    np.testing.assert_array_equal(bars.x, effects.astype(np.float32))
    assert list(bars.text) == ["−2.000", "0.500", "0.000"]
    assert [tuple(key) for key in bars.customdata] == keys
    low, high = shown.layout.xaxis.range
    assert low < -2 < 0.5 < high
    assert shown.layout.yaxis.range[0] > shown.layout.yaxis.range[1]  # the first on top
