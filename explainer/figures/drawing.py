"""The pieces of a Plotly figure that many figures share: traces, shapes, notes, axes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Theme, faded

BARE = {
    "showgrid": False,
    "zeroline": False,
    "fixedrange": True,
    "ticks": "",
}  # an axis that shows labels alone
CLEAR = "rgba(0,0,0,0)"


def token_names(pieces: Sequence[str], *, bold: int | None = None) -> list[str]:
    """Vocabulary entries as Plotly shows them literally, one perhaps in bold."""
    return in_bold([for_plotly(token_label(piece)) for piece in pieces], bold)


def in_bold(names: Sequence[str], selected: int | None) -> list[str]:
    """The names, the selected one in bold."""
    return [f"<b>{name}</b>" if i == selected else name for i, name in enumerate(names)]


def scatter(mode: str, x: Any, y: Any, **more: Any) -> dict[str, Any]:
    """Marks, lines or texts, in float32."""
    return {"type": "scatter", "mode": mode, "x": single(x), "y": single(y), **more}


def single(values: Any) -> np.ndarray:
    """Numbers in float32: half the bytes on the way to the browser."""
    return np.asarray(values, dtype=np.float32)


def bars(
    values: np.ndarray,
    texts: Sequence[str],
    theme: Theme,
    *,
    colours: str | Sequence[str],
    clicks: Sequence[Sequence[Any]],
    hover: str | Sequence[str] = "%{text}<extra></extra>",
    **more: Any,
) -> dict[str, Any]:
    """Horizontal bars, one for each line of the figure, each with a text at its end and what a click carries."""
    return {
        "type": "bar",
        "orientation": "h",
        "x": single(values),
        "y": list(range(len(values))),
        "text": list(texts),
        "textposition": "outside",
        "cliponaxis": False,
        "textfont": {"size": 12, "color": theme.text},
        "marker": {"color": colours, "line": {"width": 0}},
        "customdata": [list(click) for click in clicks],
        "hovertemplate": hover,
        **more,
    }


def rectangle(x0: float, x1: float, y0: float, y1: float, **look: Any) -> dict[str, Any]:
    """A rectangle as a shape."""
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, **look}


def band(x0: float, x1: float, axis: str, theme: Theme, opacity: float) -> dict[str, Any]:
    """What is looked at, from top to bottom of the plot whose axes have this number ("" for the first)."""
    look = {"line": {"width": 0}, "fillcolor": faded(theme.residual, opacity), "layer": "below"}
    return rectangle(x0, x1, 0, 1, xref=f"x{axis}", yref=f"y{axis} domain", **look)


def note(text: str, x: float, y: float, size: int, colour: str, **more: Any) -> dict[str, Any]:
    """An annotation without an arrow."""
    font = {"size": size, "color": colour}
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": font, **more}


def heading(
    text: str, x: float, colour: str, *, size: int = 13, anchor: str = "left", y: float = 1
) -> dict[str, Any]:
    """A note above the plot, its place as a share of the paper."""
    place = {"xref": "paper", "yref": "paper", "xanchor": anchor, "yanchor": "bottom"}
    return note(text, x, y, size, colour, **place)


def legend(*, y: float = 1, **more: Any) -> dict[str, Any]:
    """A legend in one line above the plot."""
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "bottom", "font": {"size": 12}, **more}


def axis_title(text: str, theme: Theme, *, standoff: int = 6) -> dict[str, Any]:
    """The title of an axis."""
    return {"text": text, "font": {"size": 12, "color": theme.muted}, "standoff": standoff}


def name_axis(names: Sequence[str], theme: Theme, *, size: int = 13) -> dict[str, Any]:
    """One name for each line, the first on top; names are shown as they are: tokens in them must have been escaped."""
    return {
        **BARE,
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "range": [len(names) - 0.5, -0.5],
        "tickfont": {"size": size, "color": theme.text},
    }


def value_axis(theme: Theme, title: str = "", **more: Any) -> dict[str, Any]:
    """A scale with grid lines and a title."""
    return {
        "fixedrange": True,
        "gridcolor": theme.line,
        "zerolinecolor": theme.muted,
        "title": axis_title(title, theme, standoff=4),
        "tickfont": {"size": 11, "color": theme.muted},
        **more,
    }
