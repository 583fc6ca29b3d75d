"""A matrix as a heat map: rows are queries, columns are keys, masked cells hatched, one cell selected."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import FONT, Role, Theme, base_layout, diverging, number, sequential, span

Kind = Literal["weights", "signed", "lengths"]
CELL = 38  # pixels of a cell while there is room
_TEXT_LIMIT = 16  # columns up to which numbers stand in the cells
_NAMED = 62  # columns up to which each has a name: there are more dimensions than tokens


def matrix(
    values: Float[np.ndarray, "row column"],
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    *,
    kind: Kind,
    row_title: str,
    column_title: str,
    allowed: Bool[np.ndarray, "row column"] | None = None,
    selected: tuple[int, int] | None = None,
    bound: float | None = None,
    role: Role = "attention",
    lit_row: int | None = None,
    lit_column: int | None = None,
    compact: bool = False,
    is_difference: bool = False,
) -> dict[str, Any]:
    """One heat map with a label for every row and column.

    Args:
        values: What is shown; −∞ counts as masked, except in a difference.
        rows: Row labels, top to bottom, as plain text.
        columns: Column labels, left to right.
        theme: Colours.
        kind: "weights" (0 … 1), "lengths" (0 … bound), both in the role's colour, or "signed" (symmetric about zero,
            blue to vermillion).
        row_title: What the rows are.
        column_title: What the columns are.
        allowed: False where the mask forbids; those cells are hatched and read 0 or −∞.
        selected: Row and column of the framed cell.
        bound: End of the range (not of weights), to keep it still between figures; default: the largest value.
        role: Whose colour weights are drawn in, and what is lit.
        lit_row: A row that is framed, because a selected cell elsewhere was made of it.
        lit_column: A column that is framed for the same reason.
        compact: Low rows, and columns as narrow as the page: for what another matrix was made of.
        is_difference: Whether the values are after − before: ∞ is a cell that a change opened, −∞ one that it closed.
    """
    n_rows, n_columns = values.shape
    masked = np.zeros(values.shape, dtype=bool) if allowed is None else ~allowed
    flipped = np.isinf(values) if is_difference else np.zeros(values.shape, dtype=bool)
    masked = (masked | np.isneginf(values)) & ~flipped
    limit = 1.0 if kind == "weights" else bound or span(values)
    shown = np.where(masked | flipped, np.nan, values).astype(np.float32)
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": shown,
        "zmin": -limit if kind == "signed" else 0.0,
        "zmax": limit,
        "colorscale": diverging(theme) if kind == "signed" else sequential(theme, role),
        "xgap": 1 if n_columns <= _NAMED else 0,
        "ygap": 1 if n_rows <= _NAMED else 0,
        "hoverongaps": False,
        "colorbar": _colorbar(theme, limit, kind),
        "hovertemplate": "row %{y}, column %{x}: %{z:.3f}<extra></extra>",
    }
    layout = base_layout(theme, **_axes(rows, columns, row_title, column_title, theme))
    layout["shapes"] = [
        *hatching(masked, theme),
        *_frame(selected, theme),
        *_lit(lit_row, lit_column, values.shape, theme, role),
    ]
    longest = max(map(len, rows), default=1)
    left = min(190, 34 + 8 * longest)
    top = 72 if max(map(len, columns), default=0) <= 3 else 96  # numbers stand lower than tokens
    layout["margin"] = {"l": left, "r": 64, "t": top, "b": 10}
    layout["height"] = (
        round(n_rows * _row_height(n_rows, n_columns, compact=compact)) + layout["margin"]["t"] + 10
    )
    layout["meta"] = {
        "width": left + 64 + n_columns * _column_width(n_columns, compact=compact),
        "grid": {"rows": n_rows, "columns": n_columns, "selected": _point(selected)},
    }
    with_text = n_columns <= _TEXT_LIMIT
    masked_text = "0" if kind != "signed" or is_difference else "−∞"
    traces = [trace, _masked_cells(masked, masked_text if with_text else "", theme)]
    if flipped.any():
        traces.append(_flipped_cells(values, theme))
    if with_text:
        trace["text"] = _texts(values, masked | flipped, kind)
        trace["texttemplate"] = "%{text}"
        trace["textfont"] = {
            "size": 11,
            "family": FONT,
        }  # Plotly takes the colour that can be read on the cell
    return {"data": traces, "layout": layout}


def _column_width(n_columns: int, *, compact: bool) -> int:
    if compact and n_columns > _NAMED:
        return 1
    return 30 if n_columns <= _TEXT_LIMIT else 16 if n_columns <= _NAMED else 7 if n_columns <= 64 else 3


def _row_height(n_rows: int, n_columns: int, *, compact: bool) -> float:
    if compact:
        return 280 / n_rows if n_rows > _NAMED else 17.0
    longest = max(n_rows, n_columns)
    return CELL if longest <= 14 else max(15, round(CELL * 14 / longest))


def _axes(
    rows: Sequence[str], columns: Sequence[str], row_title: str, column_title: str, theme: Theme
) -> dict[str, Any]:
    common = {
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "ticks": "",
        "tickfont": {"size": 13, "color": theme.text},
    }
    title = {"font": {"size": 12, "color": theme.muted}, "standoff": 6}
    every = 1 if len(columns) <= _NAMED else 16 if len(columns) <= 128 else 32  # dimensions: 1, 17, 33 …
    every_row = 1 if len(rows) <= _NAMED else 32
    return {
        "xaxis": {
            **common,
            "side": "top",
            "tickangle": -45,
            "tickvals": list(range(0, len(columns), every)),
            "ticktext": [for_plotly(label) for label in columns[::every]],
            "title": {**title, "text": column_title},
            "range": [-0.5, len(columns) - 0.5],
        },
        "yaxis": {
            **common,
            "tickvals": list(range(0, len(rows), every_row)),
            "ticktext": [for_plotly(label) for label in rows[::every_row]],
            "title": {**title, "text": row_title},
            "range": [len(rows) - 0.5, -0.5],
        },
    }


def _colorbar(theme: Theme, limit: float, kind: Kind) -> dict[str, Any]:
    ends = {"weights": [0.0, 0.5, 1.0], "lengths": [0.0, limit], "signed": [-limit, 0.0, limit]}[kind]
    return {
        "thickness": 8,
        "outlinewidth": 0,
        "x": 1.01,
        "xpad": 4,
        "len": 1.0,
        "tickvals": ends,
        "ticktext": [number(end, 1) for end in ends],
        "tickfont": {"size": 11, "color": theme.muted},
    }


def _texts(values: np.ndarray, masked: np.ndarray, kind: Kind) -> list[list[str]]:
    decimals = 3 if kind == "weights" else 2
    return [
        ["" if gone else number(value, decimals) for value, gone in zip(row, gone_row, strict=True)]
        for row, gone_row in zip(values.tolist(), masked.tolist(), strict=True)
    ]


def _flipped_cells(values: np.ndarray, theme: Theme) -> dict[str, Any]:
    rows, columns = np.nonzero(np.isinf(values))
    opened = (values[rows, columns] > 0).tolist()
    return {
        "type": "scatter",
        "mode": "text",
        "x": columns.astype(np.int32),
        "y": rows.astype(np.int32),
        "text": ["∞" if one else "−∞" for one in opened],
        "textfont": {"size": 11, "color": theme.text},
        "hovertext": ["opened" if one else "closed" for one in opened],
        "hovertemplate": "%{hovertext}: masked before or after, not both<extra></extra>",
    }


def _masked_cells(masked: np.ndarray, text: str, theme: Theme) -> dict[str, Any]:
    rows, columns = np.nonzero(masked)
    return {
        "type": "scatter",
        "mode": "text",
        "x": columns.astype(np.int32),
        "y": rows.astype(np.int32),
        "text": text,
        "textfont": {"size": 11, "color": theme.muted},
        "hovertemplate": "masked: may not be attended to<extra></extra>",
    }


def hatching(masked: Bool[np.ndarray, "row column"], theme: Theme) -> list[dict[str, Any]]:
    """Shapes that hatch the masked cells of a heat map with one cell per unit."""
    if not masked.any():
        return []
    corners = np.argwhere(masked) - 0.5  # [cell, (y, x)]
    cells = "".join(f"M{x},{y}L{x + 1},{y}L{x + 1},{y + 1}L{x},{y + 1}Z" for y, x in corners)
    lines = "".join(f"M{x},{y + 0.5}L{x + 0.5},{y}M{x + 0.5},{y + 1}L{x + 1},{y + 0.5}" for y, x in corners)
    return [
        {"type": "path", "path": cells, "fillcolor": theme.masked, "line": {"width": 0}, "layer": "below"},
        {"type": "path", "path": lines, "line": {"width": 0.8, "color": theme.muted}, "opacity": 0.5},
    ]


def _frame(selected: tuple[int, int] | None, theme: Theme) -> list[dict[str, Any]]:
    if selected is None:
        return []
    row, column = selected
    return [
        {
            "type": "rect",
            "x0": column - 0.5,
            "x1": column + 0.5,
            "y0": row - 0.5,
            "y1": row + 0.5,
            "line": {"width": 2.5, "color": theme.text},
            "fillcolor": "rgba(0,0,0,0)",
        }
    ]


def _lit(
    row: int | None, column: int | None, shape: tuple[int, ...], theme: Theme, role: Role
) -> list[dict[str, Any]]:
    line = {"width": 3, "color": getattr(theme, role)}
    fill = {"type": "rect", "line": line, "fillcolor": "rgba(0,0,0,0)"}
    shapes = []
    if row is not None:
        shapes.append({**fill, "x0": -0.5, "x1": shape[1] - 0.5, "y0": row - 0.5, "y1": row + 0.5})
    if column is not None:
        shapes.append({**fill, "x0": column - 0.5, "x1": column + 0.5, "y0": -0.5, "y1": shape[0] - 0.5})
    return shapes


def _point(selected: tuple[int, int] | None) -> dict[str, int] | None:
    return None if selected is None else {"x": selected[1], "y": selected[0]}


def labels(pieces: Sequence[str]) -> list[str]:
    """Row or column labels of tokens."""
    return [token_label(piece) for piece in pieces]


def decoder_labels(inputs: Sequence[str], predicted: Sequence[str]) -> list[str]:
    """Labels of decoder rows: the token that is read → the token that this row predicts."""
    return [
        f"{token_label(one)} → {token_label(other)}" for one, other in zip(inputs, predicted, strict=True)
    ]
