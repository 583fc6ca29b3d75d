"""One number, or a few, for each token: bars, and marks of before and after a norm."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.escape import for_plotly
from explainer.figures.lines.axes import name_axis, value_axis
from explainer.figures.style import Theme, base_layout, faded, number
from explainer.language import _

_ROW = 24


def share_bars(
    shares: Float[np.ndarray, " token"], rows: Sequence[str], theme: Theme, *, selected: int, title: str
) -> dict[str, Any]:
    """A bar from 0 to 1 for each token; a click carries `["token", its place]`.

    Args:
        shares: The numbers.
        rows: The tokens.
        theme: Colours.
        selected: The token whose bar is full.
        title: What the numbers are.
    """
    colours = [theme.residual if i == selected else faded(theme.residual, 0.45) for i in range(len(rows))]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": shares.astype(np.float32),
        "y": list(range(len(rows))),
        "text": [number(float(share), 3) for share in shares],
        "textposition": "inside",
        "insidetextanchor": "end",
        "constraintext": "none",
        "textfont": {
            "size": 12,
            "color": [theme.background if i == selected else theme.text for i in range(len(rows))],
        },
        "marker": {"color": colours, "line": {"width": 0}},
        "customdata": [["token", i] for i in range(len(rows))],
        "hovertemplate": "%{text}<extra></extra>",
    }
    layout = base_layout(theme, height=20 * len(rows) + 54, bargap=0.2)
    layout["margin"] = {"l": _left(rows), "r": 16, "t": 4, "b": 44}
    layout["xaxis"] = value_axis(theme, title, range=[0, 1])
    layout["yaxis"] = _token_axis(rows, selected, theme)
    return {"data": [trace], "layout": layout}


def moment_marks(
    moments: Mapping[str, Float[np.ndarray, "2 token"]], rows: Sequence[str], theme: Theme, *, selected: int
) -> dict[str, Any]:
    """Mean (left) and variance (right) of each token's vector at some arrays; a click carries `["token", its place]`.

    Args:
        moments: Array → means and variances, in the order of computing: at most three.
        rows: The tokens.
        theme: Colours.
        selected: The token that is named in bold.
    """
    looks = [("circle-open", theme.residual), ("diamond", theme.residual), ("square-open", theme.text)]
    traces = [
        _marks(array, numbers[panel], panel, look)
        for panel in (0, 1)
        for (array, numbers), look in zip(moments.items(), looks, strict=False)
    ]
    layout = base_layout(theme, height=_ROW * len(rows) + 96, hovermode="closest", showlegend=True)
    layout["legend"] = {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": 12}}
    layout["margin"] = {"l": _left(rows), "r": 12, "t": 40, "b": 44}
    layout["xaxis"] = value_axis(theme, _("mean μ"), domain=[0, 0.46])
    layout["xaxis2"] = value_axis(theme, _("variance"), domain=[0.54, 1], anchor="y", rangemode="tozero")
    layout["yaxis"] = {**_token_axis(rows, selected, theme), "showgrid": True, "gridcolor": theme.line}
    layout["meta"] = {"width": 420}
    return {"data": traces, "layout": layout}


def _marks(array: str, numbers: np.ndarray, panel: int, look: tuple[str, str]) -> dict[str, Any]:
    symbol, colour = look
    return {
        "type": "scatter",
        "mode": "markers",
        "name": array,
        "showlegend": panel == 0,
        "xaxis": ("x", "x2")[panel],
        "x": numbers.astype(np.float32),
        "y": list(range(len(numbers))),
        "marker": {"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.5, "color": colour}},
        "customdata": [["token", i] for i in range(len(numbers))],
        "hovertemplate": f"{array}: %{{x:.3f}}<extra></extra>",
    }


def _left(rows: Sequence[str]) -> int:
    return min(190, 20 + 8 * max(map(len, rows), default=1))


def _token_axis(rows: Sequence[str], selected: int, theme: Theme) -> dict[str, Any]:
    names = [for_plotly(row) for row in rows]
    return name_axis([f"<b>{name}</b>" if i == selected else name for i, name in enumerate(names)], theme)
