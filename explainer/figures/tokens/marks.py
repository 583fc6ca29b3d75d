"""One number, or a few, for each token: bars, and marks of before and after a norm."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import bars, in_bold, legend, name_axis, scatter, value_axis
from explainer.figures.escape import for_plotly
from explainer.figures.style import Theme, base_layout, faded, number
from explainer.language import _

_ROW = 24


def share_bars(
    shares: Float[np.ndarray, " token"], rows: Sequence[str], theme: Theme, *, selected: int, title: str
) -> dict[str, Any]:
    """A bar from 0 to 1 for each token, that of the selected one full; a click carries `["token", its place]`."""
    colours = [theme.residual if i == selected else faded(theme.residual, 0.45) for i in range(len(rows))]
    inks = [theme.background if i == selected else theme.text for i in range(len(rows))]
    trace = bars(
        shares,
        [number(float(share), 3) for share in shares],
        theme,
        colours=colours,
        clicks=[("token", i) for i in range(len(rows))],
        textposition="inside",
        insidetextanchor="end",
        constraintext="none",
        textfont={"size": 12, "color": inks},
    )
    layout = base_layout(theme, height=20 * len(rows) + 54, bargap=0.2)
    layout["margin"] = {"l": _left(rows), "r": 16, "t": 4, "b": 44}
    layout["xaxis"] = value_axis(theme, title, range=[0, 1])
    layout["yaxis"] = _token_axis(rows, selected, theme)
    return {"data": [trace], "layout": layout}


def moment_marks(
    moments: Mapping[str, Float[np.ndarray, "2 token"]], rows: Sequence[str], theme: Theme, *, selected: int
) -> dict[str, Any]:
    """Mean (left) and variance (right) of each token's vector at no more than three arrays, as they are computed.

    A click carries `["token", its place]`.
    """
    looks = [("circle-open", theme.residual), ("diamond", theme.residual), ("square-open", theme.text)]
    traces = [
        _marks(array, numbers[panel], panel, look)
        for panel in (0, 1)
        for (array, numbers), look in zip(moments.items(), looks, strict=False)
    ]
    layout = base_layout(theme, height=_ROW * len(rows) + 96, hovermode="closest", showlegend=True)
    layout["legend"] = legend()
    layout["margin"] = {"l": _left(rows), "r": 12, "t": 40, "b": 44}
    layout["xaxis"] = value_axis(theme, _("mean μ"), domain=[0, 0.46])
    layout["xaxis2"] = value_axis(theme, _("variance"), domain=[0.54, 1], anchor="y", rangemode="tozero")
    layout["yaxis"] = {**_token_axis(rows, selected, theme), "showgrid": True, "gridcolor": theme.line}
    layout["meta"] = {"width": 420}
    return {"data": traces, "layout": layout}


def _marks(array: str, numbers: np.ndarray, panel: int, look: tuple[str, str]) -> dict[str, Any]:
    symbol, colour = look
    return scatter(
        "markers",
        numbers,
        np.arange(len(numbers)),
        name=array,
        showlegend=panel == 0,
        xaxis=("x", "x2")[panel],
        marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.5, "color": colour}},
        customdata=[["token", i] for i in range(len(numbers))],
        hovertemplate=f"{array}: %{{x:.3f}}<extra></extra>",
    )


def _left(rows: Sequence[str]) -> int:
    return min(190, 20 + 8 * max(map(len, rows), default=1))


def _token_axis(rows: Sequence[str], selected: int, theme: Theme) -> dict[str, Any]:
    return name_axis(in_bold([for_plotly(row) for row in rows], selected), theme)
