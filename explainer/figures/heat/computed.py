"""What one decoding step computes, token by token: anew, kept from an earlier step, or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from explainer.figures.drawing import BARE, note
from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Theme, base_layout, blend

NEW, KEPT, NONE = 2, 1, 0
SIGNS = {NEW: "●", KEPT: "○", NONE: ""}
_ROW, _COLUMN = 26, 26  # pixels of a cell
_NAMES = 96  # pixels for the names of the rows


@dataclass(frozen=True, eq=False)
class Block:
    """One side of the model: NEW, KEPT or NONE for each row and token; `None` is a token that is not there yet."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str | None]
    states: Int[np.ndarray, "row column"]
    is_source: bool


def states(n_columns: int, n_there: int, n_new: int, *, keeps: bool) -> Int[np.ndarray, " column"]:
    """One row of a block: the last `n_new` of the `n_there` tokens are new; `keeps`: older ones are still used."""
    row = np.full(n_columns, NONE)
    row[: n_there - n_new] = KEPT if keeps else NONE
    row[n_there - n_new : n_there] = NEW
    return row


def computed(blocks: Sequence[Block], theme: Theme) -> dict[str, Any]:
    """One block below the other: ● is computed at this step, ○ was kept, an empty cell is not needed."""
    longest = max(len(token_label(token)) for block in blocks for token in block.columns if token is not None)
    top = 34 + min(64, 5 * longest)  # pixels for the tokens of a block
    heights = [top + _ROW * len(block.rows) for block in blocks]
    total, above = sum(heights) + 4, 0
    layout = base_layout(theme, height=total, annotations=[])
    widest = max(len(block.columns) for block in blocks)
    layout["margin"] = {"l": _NAMES, "r": 6, "t": 0, "b": 4}
    layout["meta"] = {"width": _NAMES + 6 + _COLUMN * widest}
    drawn = total - 4
    traces = []
    for i, block in enumerate(blocks):
        axis = "" if i == 0 else str(i + 1)
        from_top, to_top = above + top, above + heights[i]
        above = to_top
        layout[f"xaxis{axis}"] = _columns(block, widest, axis, theme)
        layout[f"yaxis{axis}"] = _rows(block, axis, theme, (1 - to_top / drawn, 1 - from_top / drawn))
        traces.append(_cells(block, axis, theme))
        layout["annotations"].append(_title(block, 1 - (from_top - top + 2) / drawn, theme))
    return {"data": traces, "layout": layout}


def _cells(block: Block, axis: str, theme: Theme) -> dict[str, Any]:
    colour = theme.source if block.is_source else theme.target
    kept = blend(theme.background, colour, 0.25)
    return {
        "type": "heatmap",
        "z": block.states.astype(np.int32),
        "zmin": NONE,
        "zmax": NEW,
        "colorscale": [
            [0.0, theme.surface], [0.25, theme.surface], [0.25, kept], [0.75, kept], [0.75, colour], [1.0, colour]
        ],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "text": [[SIGNS[int(state)] for state in row] for row in block.states],
        "texttemplate": "%{text}",
        "textfont": {"size": 11},
        "hoverinfo": "skip",
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
    }  # fmt: skip


def _columns(block: Block, widest: int, axis: str, theme: Theme) -> dict[str, Any]:
    names = ["·" if token is None else for_plotly(token_label(token)) for token in block.columns]
    return {
        **BARE,
        "side": "top",
        "anchor": f"y{axis}",
        "tickangle": -45,
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "tickfont": {"size": 12, "color": theme.text},
        "range": [-0.5, widest - 0.5],
    }


def _rows(block: Block, axis: str, theme: Theme, domain: tuple[float, float]) -> dict[str, Any]:
    return {
        **BARE,
        "anchor": f"x{axis}",
        "domain": list(domain),
        "tickvals": list(range(len(block.rows))),
        "ticktext": list(block.rows),
        "tickfont": {"size": 13, "color": theme.text},
        "range": [len(block.rows) - 0.5, -0.5],
    }


def _title(block: Block, y: float, theme: Theme) -> dict[str, Any]:
    colour = theme.source if block.is_source else theme.target
    place = {"xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "top", "xshift": -6}
    return note(f"<b>{block.title}</b>", 0, y, 12, colour, **place)
