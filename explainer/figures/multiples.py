"""The heads of one layer beside each other: the same axes, the same colours, one query framed in all of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from explainer.figures.escape import for_plotly
from explainer.figures.matrix import hatching
from explainer.figures.style import Theme, base_layout, diverging, number, sequential

_CELL = 19  # pixels, while there is room
_GAP = 1  # empty cells between two heads


def heads_beside(
    values: Float[np.ndarray, "head query key"],
    allowed: Bool[np.ndarray, "query key"],
    rows: Sequence[str],
    columns: Sequence[str],
    names: Sequence[str],
    theme: Theme,
    *,
    selected: tuple[int, int, int],
    row_title: str,
    bound: float | None = None,
) -> dict[str, Any]:
    """One heat map per head, tiled into one trace; `tile_of` tells which head and key a column of it is.

    Args:
        values: Weights, or differences of weights.
        allowed: False where the mask forbids; those cells are hatched.
        rows: Row labels, the same for all heads.
        columns: Column labels of each head.
        names: What stands above each head.
        theme: Colours.
        selected: Head, query and key: the head is framed, the cell too, and the query's row in every head.
        row_title: What the rows are.
        bound: End of a signed range; None for weights, 0 to 1.
    """
    n_heads, n_rows, n_columns = values.shape
    step = n_columns + _GAP
    tiled = np.full((n_rows, n_heads * step - _GAP), np.nan, dtype=np.float32)
    masked = np.zeros(tiled.shape, dtype=bool)
    for head in range(n_heads):
        place = slice(head * step, head * step + n_columns)
        tiled[:, place] = np.where(allowed, values[head], np.nan)
        masked[:, place] = ~allowed
    ends = (0.0, 1.0) if bound is None else (-bound, bound)
    heat = {
        "type": "heatmap",
        "z": tiled,
        "zmin": ends[0],
        "zmax": ends[1],
        "colorscale": sequential(theme) if bound is None else diverging(theme),
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "colorbar": _colorbar(ends, theme),
        "hovertemplate": "%{y}, %{x}: %{z:.3f}<extra></extra>",
    }
    head, query, key = selected
    cell = _CELL if n_columns <= 16 else 14
    layout = base_layout(theme, height=n_rows * cell + 150)
    left = min(190, 34 + 8 * max(map(len, rows), default=1))
    layout["margin"] = {"l": left, "r": 52, "t": 130, "b": 8}
    layout["meta"] = {
        "width": left + 52 + tiled.shape[1] * (13 if n_columns > 16 else 15),
        "grid": {"rows": n_rows, "columns": tiled.shape[1], "selected": {"x": head * step + key, "y": query}},
    }
    layout["shapes"] = [
        *hatching(masked, theme),
        *(_box(i * step, query, n_columns, 1, theme.muted, 1.5) for i in range(n_heads)),
        _box(head * step, 0, n_columns, n_rows, theme.attention, 3),
        _box(head * step + key, query, 1, 1, theme.text, 2.5),
    ]
    layout["annotations"] = [_name(name, i * step, theme, bold=i == head) for i, name in enumerate(names)]
    common = {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": ""}
    layout["xaxis"] = {
        **common,
        "side": "top",
        "tickangle": -60,
        "tickvals": [i * step + j for i in range(n_heads) for j in range(n_columns)],
        "ticktext": [for_plotly(label) for label in columns] * n_heads,
        "tickfont": {"size": 11, "color": theme.text},
        "range": [-0.6, tiled.shape[1] - 0.4],
    }
    layout["yaxis"] = {
        **common,
        "tickvals": list(range(n_rows)),
        "ticktext": [for_plotly(label) for label in rows],
        "tickfont": {"size": 12, "color": theme.text},
        "title": {"text": row_title, "font": {"size": 12, "color": theme.muted}, "standoff": 6},
        "range": [n_rows - 0.4, -0.6],
    }
    return {"data": [heat], "layout": layout}


def tile_of(column: int, n_columns: int, n_heads: int) -> tuple[int, int]:
    """Head and key of a column of the tiled heat map; the gap belongs to the head before it."""
    head, key = divmod(column, n_columns + _GAP)
    return min(head, n_heads - 1), min(key, n_columns - 1)


def _colorbar(ends: tuple[float, float], theme: Theme) -> dict[str, Any]:
    ticks = [ends[0], (ends[0] + ends[1]) / 2, ends[1]]
    return {
        "thickness": 8,
        "outlinewidth": 0,
        "x": 1.005,
        "xpad": 4,
        "len": 1.0,
        "tickvals": ticks,
        "ticktext": [number(tick, 1) for tick in ticks],
        "tickfont": {"size": 11, "color": theme.muted},
    }


def _box(x: int, y: int, width: int, height: int, colour: str, line: float) -> dict[str, Any]:
    return {
        "type": "rect",
        "x0": x - 0.5,
        "x1": x + width - 0.5,
        "y0": y - 0.5,
        "y1": y + height - 0.5,
        "line": {"width": line, "color": colour},
        "fillcolor": "rgba(0,0,0,0)",
    }


def _name(text: str, x: int, theme: Theme, *, bold: bool) -> dict[str, Any]:
    shown = for_plotly(text)
    return {
        "text": f"<b>{shown}</b>" if bold else shown,
        "x": x - 0.5,
        "y": 1,
        "yref": "paper",
        "yshift": 104,
        "xanchor": "left",
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": 14, "color": theme.attention if bold else theme.text},
    }
