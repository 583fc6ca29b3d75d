"""Matrices side by side with a sign between them, such as X + PE = Z: same rows, same columns, one colour scale."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import BARE, note
from explainer.figures.escape import for_plotly
from explainer.figures.heat.cells import axis, box, cell_texts, colour_bar, room
from explainer.figures.style import Theme, base_layout, diverging, number
from explainer.language import _

_TEXT_LIMIT = 20  # columns in all up to which numbers stand in the cells
Cell = tuple[int, int]


def joined(
    parts: Sequence[Float[np.ndarray, "row column"]],
    titles: Sequence[str],
    signs: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    *,
    bound: float,
    selected: Cell | None = None,
    lit: Sequence[Cell] = (),
) -> dict[str, Any]:
    """One heat map in which the matrices stand next to each other, a column apart; `bound` ends the colour range.

    The cell `selected` is framed in every matrix, the rows `lit` (matrix, row) in one.
    """
    n_rows, n_columns = parts[0].shape
    gap = np.full((n_rows, 1), np.nan)
    tiled = np.concatenate([block for part in parts for block in (part, gap)][:-1], axis=1)
    step = n_columns + 1
    with_text = len(parts) * n_columns <= _TEXT_LIMIT
    heat = _heat(tiled, bound, theme, with_text=with_text)
    traces = [heat]
    if with_text:
        texts = [["" if np.isnan(one) else number(one) for one in row] for row in tiled.tolist()]
        traces.append(cell_texts(texts, heat, 11))
    else:  # not every column has a tick that could name it
        names = [for_plotly(one) for __ in parts for one in (*columns, "")][:-1]
        heat["text"] = [names] * n_rows
    name = "%{x}" if with_text else "%{text}"
    heat["hovertemplate"] = (
        _("{y}, dimension {x}: {z}").format(y="%{y}", x=name, z="%{z:.3f}") + "<extra></extra>"
    )
    height = 32 if n_rows <= 14 else max(17, round(32 * 14 / n_rows))
    left = room(rows, most=150)
    layout = base_layout(theme, height=n_rows * height + 70)
    layout["margin"] = {"l": left, "r": 46, "t": 62, "b": 8}
    ticks = [k * step + i for k in range(len(parts)) for i in range(0, n_columns, 1 if with_text else 8)]
    layout["xaxis"] = {
        **BARE,
        "side": "top",
        "range": [-0.5, tiled.shape[1] - 0.5],
        "tickvals": ticks,
        "ticktext": [for_plotly(columns[int(tick % step)]) for tick in ticks],
        "tickangle": 0,
        "tickfont": {"size": 11, "color": theme.muted},
    }
    layout["yaxis"] = axis(rows, theme, range=[n_rows - 0.5, -0.5], ticklabelstandoff=3)
    layout["annotations"] = [*_titles(titles, step, theme), *_signs(signs, step, n_rows, theme)]
    layout["shapes"] = _frames(selected, lit, (len(parts), n_rows), step, theme)
    point = None if selected is None else {"x": selected[1] + step * (len(parts) - 1), "y": selected[0]}
    layout["meta"] = {
        "width": left + 46 + tiled.shape[1] * (27 if with_text else 7),
        "grid": {"rows": n_rows, "columns": tiled.shape[1], "selected": point},
    }
    return {"data": traces, "layout": layout}


def _heat(tiled: np.ndarray, bound: float, theme: Theme, *, with_text: bool) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": tiled.astype(np.float32),
        "zmin": -bound,
        "zmax": bound,
        "colorscale": diverging(theme),
        "xgap": 1 if with_text else 0,
        "ygap": 1,
        "hoverongaps": False,
        "colorbar": colour_bar([-bound, 0.0, bound], theme, xpad=2),
    }


def cell_in_joined(x: float, y: float, n_columns: int) -> tuple[int, int, int] | None:
    """Which matrix, row and column a picked point of `joined` is in; None between two matrices."""
    part, column = divmod(round(x), n_columns + 1)
    return None if column == n_columns else (part, round(y), column)


def _titles(titles: Sequence[str], step: int, theme: Theme) -> list[dict[str, Any]]:
    above = {"yref": "paper", "yshift": 30, "yanchor": "bottom"}
    return [
        note(f"<b>{for_plotly(title)}</b>", k * step + (step - 2) / 2, 1, 13, theme.residual, **above)
        for k, title in enumerate(titles)
    ]


def _signs(signs: Sequence[str], step: int, n_rows: int, theme: Theme) -> list[dict[str, Any]]:
    return [
        note(for_plotly(sign), (k + 1) * step - 1, (n_rows - 1) / 2, 17, theme.text)
        for k, sign in enumerate(signs)
    ]


def _frames(
    selected: Cell | None, lit: Sequence[Cell], size: tuple[int, int], step: int, theme: Theme
) -> list[dict[str, Any]]:
    n_parts, n_rows = size
    shapes = [box(k * step, 0, step - 1, n_rows, theme.line, 1) for k in range(n_parts)]
    shapes += [box(part * step, row, step - 1, 1, theme.residual, 2.5) for part, row in lit]
    if selected is not None:
        row, column = selected
        shapes += [box(k * step + column, row, 1, 1, theme.text, 2.5) for k in range(n_parts)]
    return shapes
