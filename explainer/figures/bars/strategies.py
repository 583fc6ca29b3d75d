"""Strategies side by side: what score each reached, and how many prefixes it read for that."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from explainer.figures.amounts import count
from explainer.figures.drawing import bars, in_bold, name_axis, rectangle, value_axis
from explainer.figures.escape import for_plotly
from explainer.figures.style import Theme, base_layout, faded, number
from explainer.language import _

Kind = Literal["search", "sample", "exact"]
_SYMBOLS: dict[Kind, str] = {"search": "circle", "sample": "circle-open", "exact": "diamond"}


class Reached(NamedTuple):
    """One strategy: its name for clicks, what it is called, the score and the text of what it found, its work."""

    name: str
    title: str
    score: float
    n_read: int  # prefixes
    kind: Kind
    text: str


def side_by_side(
    rows: Sequence[Reached],
    theme: Theme,
    *,
    selected: int,
    best: float,
    possible: float,
    title: str,
) -> dict[str, Any]:
    """Left the scores, the best known one as a line; right the work. A click on a row carries `["strategy", its name]`.

    It is shaded up to what a better score might reach, `possible`: not above `best` once that is proved. The name of
    the `selected` strategy is bold; `title` says what the scores are.
    """
    names = in_bold([for_plotly(row.title) for row in rows], selected)
    layout = base_layout(theme, height=30 * len(rows) + 74, hovermode="closest", bargap=0.4)
    layout["margin"] = {"l": 112, "r": 10, "t": 8, "b": 44}
    low, high, room = _ends(rows, best, possible)
    layout["xaxis"] = value_axis(
        theme, title, range=[low - 2.4 * room, high + room], domain=[0, 0.62], zeroline=False
    )
    reads = np.array([row.n_read for row in rows], dtype=np.float64)
    top = float(np.log10(max(10.0, reads.max(initial=1.0))))
    layout["xaxis2"] = value_axis(
        theme, _("prefixes read (log scale)"), type="log", range=[-0.15, top * 1.32], domain=[0.68, 1], dtick=1,
        exponentformat="power", zeroline=False, anchor="y",
    )  # fmt: skip
    layout["yaxis"] = name_axis(names, theme)
    tall = {"xref": "x", "yref": "paper", "layer": "below"}
    line = {"width": 1.5, "color": theme.attention, "dash": "dot"}
    layout["shapes"] = [rectangle(best, best, 0, 1, **tall, line=line) | {"type": "line"}]
    if possible > best:
        shade = {"line": {"width": 0}, "fillcolor": faded(theme.attention, 0.13)}
        layout["shapes"].append(rectangle(best, min(possible, high + room), 0, 1, **tall, **shade))
    layout["meta"] = {"width": 560}
    return {"data": [_dots(rows, theme, selected, low), _bars(rows, reads, theme)], "layout": layout}


def _ends(rows: Sequence[Reached], best: float, possible: float) -> tuple[float, float, float]:
    """The lowest and the highest score with a place of their own, and the room beside them.

    Chance may draw something so improbable that no difference between the others would be seen.
    """
    high = max(best, min(possible, 0.0))
    searched = min((row.score for row in rows if row.kind != "sample"), default=best)
    low = max(min(row.score for row in rows), min(searched, high - 1.0) - 1.5 * (high - searched) - 1.0)
    return low, high, 0.09 * (high - low) + 0.05


def _dots(rows: Sequence[Reached], theme: Theme, selected: int, low: float) -> dict[str, Any]:
    """A mark for each score; one below `low` stands there as an arrow that points further."""
    beyond = [row.score < low for row in rows]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": np.array([max(row.score, low) for row in rows]),
        "y": np.arange(len(rows)),
        "text": [number(row.score) for row in rows],
        "textposition": ["middle right" if is_beyond else "middle left" for is_beyond in beyond],
        "textfont": {"size": 12, "color": theme.text},
        "cliponaxis": False,
        "marker": {
            "size": [14 if i == selected else 11 for i in range(len(rows))],
            "symbol": [
                "triangle-left" if is_beyond else _SYMBOLS[row.kind]
                for row, is_beyond in zip(rows, beyond, strict=True)
            ],
            "color": [_colour(row, theme) for row in rows],
            "line": {"width": 2, "color": [_colour(row, theme) for row in rows]},
        },
        "customdata": [["strategy", row.name] for row in rows],
        "hovertemplate": [
            f"{for_plotly(row.title)}: {number(row.score, 3)}<br>{for_plotly(row.text)}<extra></extra>"
            for row in rows
        ],
    }


def _colour(row: Reached, theme: Theme) -> str:
    return theme.attention if row.kind == "exact" else theme.target


def _bars(rows: Sequence[Reached], reads: np.ndarray, theme: Theme) -> dict[str, Any]:
    return bars(
        reads,
        [count(row.n_read) for row in rows],
        theme,
        colours=[faded(_colour(row, theme), 0.6) for row in rows],
        clicks=[("strategy", row.name) for row in rows],
        hover=_("%{text} prefixes") + "<extra></extra>",
        xaxis="x2",
        x=reads,
    )
