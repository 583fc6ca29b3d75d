"""What a wider beam brings: small graphs over the width, each with a scale of its own."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from explainer.figures.drawing import heading, legend, value_axis
from explainer.figures.escape import for_plotly
from explainer.figures.style import Role, Theme, base_layout, number
from explainer.language import _, mark

EXACT = mark("exact search")


class WidthCurve(NamedTuple):
    """One number by width, its name in the legend, and whose colour it has; the dash is "solid" or "dot"."""

    name: str
    values: Sequence[float]
    role: Role = "target"
    dash: str = "solid"


class Small(NamedTuple):
    """One small graph; a level line is the same number of exact search, if that is known."""

    title: str
    curves: Sequence[WidthCurve]
    level: float | None = None
    decimals: int = 2


def by_width(widths: Sequence[int], graphs: Sequence[Small], theme: Theme) -> dict[str, Any]:
    """Small graphs side by side over the beam width (log scale); a click on a point carries `["width", w]`."""
    layout = base_layout(theme, height=270, hovermode="closest", showlegend=True)
    layout["margin"] = {"l": 44, "r": 12, "t": 56, "b": 44}
    layout["legend"] = legend(y=1.16)
    layout["annotations"], data = [], []
    gap, n = 0.075, len(graphs)
    size = (1 - gap * (n - 1)) / n
    named: set[str] = set()
    for i, graph in enumerate(graphs):
        axis, left = "" if i == 0 else str(i + 1), i * (size + gap)
        layout[f"xaxis{axis}"] = value_axis(
            theme, _("beam width"), type="log", domain=[left, left + size], anchor=f"y{axis}", zeroline=False,
            tickvals=list(widths), ticktext=[str(w) if w & (w - 1) == 0 else "" for w in widths],
            range=[np.log10(widths[0]) - 0.1, np.log10(widths[-1]) + 0.1],
        )  # fmt: skip
        layout[f"yaxis{axis}"] = value_axis(theme, anchor=f"x{axis}", range=_ends(graph), zeroline=False)
        layout["annotations"].append(heading(f"<b>{for_plotly(graph.title)}</b>", left, theme.text, y=1.01))
        for curve in graph.curves:
            trace = _trace(widths, curve, graph.decimals, theme)
            shown = curve.name not in named and bool(curve.name)
            data.append(trace | {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": shown})
            named.add(curve.name)
        if graph.level is not None:
            level = _level(widths, graph.level, graph.decimals, theme)
            data.append(level | {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": EXACT not in named})
            named.add(EXACT)
    layout["meta"] = {"width": 190 * n}
    return {"data": data, "layout": layout}


def _ends(graph: Small) -> list[float]:
    values = np.array([value for curve in graph.curves for value in curve.values])
    if graph.level is not None:
        values = np.append(values, graph.level)
    least = 10.0**-graph.decimals * 20  # a difference of rounding must not look like one
    middle, half = (values.max() + values.min()) / 2, max(values.max() - values.min(), least) * 0.62
    return [float(middle - half), float(middle + half)]


def _trace(widths: Sequence[int], curve: WidthCurve, decimals: int, theme: Theme) -> dict[str, Any]:
    colour, symbol = getattr(theme, curve.role), "circle" if curve.dash == "solid" else "square-open"
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": curve.name,
        "x": np.array(widths),
        "y": np.array(curve.values, dtype=np.float64),
        "line": {"width": 2.4, "color": colour, "dash": curve.dash},
        "marker": {"size": 8, "color": colour, "symbol": symbol},
        "customdata": [["width", width] for width in widths],
        "hovertemplate": [
            _("width {width}: {value}").format(width=width, value=number(value, decimals)) + "<extra></extra>"
            for width, value in zip(widths, curve.values, strict=True)
        ],
    }


def _level(widths: Sequence[int], value: float, decimals: int, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": _(EXACT),
        "legendgroup": EXACT,
        "x": np.array([widths[0], widths[-1]]),
        "y": np.array([value, value], dtype=np.float64),
        "line": {"width": 2, "color": theme.attention, "dash": "dash"},
        "hovertemplate": f"{_(EXACT)}: {number(value, decimals)}<extra></extra>",
    }
