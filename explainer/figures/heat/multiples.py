"""The heads of one layer beside each other: the same axes, the same colours, one query framed in all of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from explainer.figures.drawing import note
from explainer.figures.escape import for_plotly
from explainer.figures.heat.cells import axis, box, colour_bar, hatching, room
from explainer.figures.style import Theme, base_layout, diverging, sequential

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

    Masked cells are hatched. Of `selected` (head, query, key) the head is framed, the cell too, and the query's row in
    every head. Weights range from 0 to 1, differences of them as far as `bound` on both sides.
    """
    n_heads, n_rows, n_columns = values.shape
    step = n_columns + _GAP
    tiled, masked = _tiled(values, allowed)
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
        "colorbar": colour_bar([ends[0], sum(ends) / 2, ends[1]], theme, x=1.005),
        "hovertemplate": "%{y}, %{x}: %{z:.3f}<extra></extra>",
    }
    head, query, key = selected
    layout = _layout(rows, columns, tiled.shape[1], n_heads, row_title, theme)
    layout["meta"]["grid"] |= {"selected": {"x": head * step + key, "y": query}}
    layout["shapes"] = [
        *hatching(masked, theme),
        *(box(i * step, query, n_columns, 1, theme.muted, 1.5) for i in range(n_heads)),
        box(head * step, 0, n_columns, n_rows, theme.attention, 3),
        box(head * step + key, query, 1, 1, theme.text, 2.5),
    ]
    above = layout["margin"]["t"] - 14
    layout["annotations"] = [
        _name(name, i * step, above, theme, bold=i == head) for i, name in enumerate(names)
    ]
    return {"data": [heat], "layout": layout}


def _tiled(
    values: Float[np.ndarray, "head query key"], allowed: Bool[np.ndarray, "query key"]
) -> tuple[np.ndarray, np.ndarray]:
    """The heads next to each other, empty cells between them; and which cells are masked."""
    n_heads, n_rows, n_columns = values.shape
    step = n_columns + _GAP
    tiled = np.full((n_rows, n_heads * step - _GAP), np.nan, dtype=np.float32)
    masked = np.zeros(tiled.shape, dtype=bool)
    for head in range(n_heads):
        place = slice(head * step, head * step + n_columns)
        tiled[:, place] = np.where(allowed, values[head], np.nan)
        masked[:, place] = ~allowed
    return tiled, masked


def _layout(
    rows: Sequence[str], columns: Sequence[str], width: int, n_heads: int, row_title: str, theme: Theme
) -> dict[str, Any]:
    n_rows, n_columns = len(rows), len(columns)
    left, top = room(rows), room(columns, angle=-60, most=120) + 12
    cell = _CELL if n_columns <= 16 else 14
    layout = base_layout(theme, height=n_rows * cell + top + 20)
    layout["margin"] = {"l": left, "r": 52, "t": top, "b": 8}
    layout["meta"] = {
        "width": left + 52 + width * (13 if n_columns > 16 else 15),
        "grid": {"rows": n_rows, "columns": width},
    }
    places = [head * (n_columns + _GAP) + key for head in range(n_heads) for key in range(n_columns)]
    names = list(columns) * n_heads
    layout["xaxis"] = axis(
        names, theme, size=11, side="top", tickangle=-60, tickvals=places, range=[-0.6, width - 0.4]
    )
    layout["yaxis"] = axis(rows, theme, title=row_title, size=12, range=[n_rows - 0.4, -0.6])
    return layout


def tile_of(column: int, n_columns: int, n_heads: int) -> tuple[int, int]:
    """Head and key of a column of the tiled heat map; the gap belongs to the head before it."""
    head, key = divmod(column, n_columns + _GAP)
    return min(head, n_heads - 1), min(key, n_columns - 1)


def _name(text: str, x: int, above: int, theme: Theme, *, bold: bool) -> dict[str, Any]:
    shown = for_plotly(text)
    place = {"yref": "paper", "yshift": above, "xanchor": "left", "yanchor": "middle"}
    colour = theme.attention if bold else theme.text
    return note(f"<b>{shown}</b>" if bold else shown, x - 0.5, 1, 14, colour, **place)
