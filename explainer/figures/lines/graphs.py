"""Curves: one graph, or several side by side on the same scale."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import heading, legend, value_axis
from explainer.figures.style import Role, Theme, base_layout
from explainer.language import _

Look = Literal["solid", "dash", "dot", "thin", "points"]


class Line(NamedTuple):
    """One curve: one of a single point has a marker, one of none is left out. The role is whose colour it has."""

    name: str
    x: Float[np.ndarray, " point"]
    y: Float[np.ndarray, " point"]
    look: Look = "solid"
    role: Role = "residual"


class Mark(NamedTuple):
    """A named point: a diamond where two curves meet, or a ring."""

    name: str
    x: float
    y: float
    role: Role = "target"
    symbol: str = "circle"
    place: str = "top center"


class Axis(NamedTuple):
    """A scale: its title, its range (of exponents of 10 if it is logarithmic), and how its ticks are written.

    `names`, if any, stand in place of the numbers 1, 2, 3 …; `every` is the distance of two ticks, if it is given.
    """

    title: str
    ends: tuple[float, float] | None = None
    is_log: bool = False
    ticks: str = ""
    names: tuple[str, ...] = ()
    every: float | None = None


def graph(
    lines: Sequence[Line],
    theme: Theme,
    *,
    x: Axis,
    y: Axis,
    marks: Sequence[Mark] = (),
    at: float | None = None,
    height: int = 320,
) -> dict[str, Any]:
    """Curves over one axis, and a vertical line `at` the selected place; a click on a point carries its place."""
    return graphs([("", lines)], theme, x=x, y=y, marks=marks, at=at, height=height)


def graphs(
    panels: Sequence[tuple[str, Sequence[Line]]],
    theme: Theme,
    *,
    x: Axis,
    y: Axis,
    marks: Sequence[Mark] = (),
    at: float | None = None,
    height: int = 320,
) -> dict[str, Any]:
    """Titled graphs side by side with the same two scales; marks stand in the first; arguments as for `graph`."""
    layout = base_layout(theme, height=height, hovermode="closest", showlegend=True)
    titled = any(title for title, __ in panels)
    layout["margin"] = {"l": 64, "r": 16, "t": 58 if titled else 34, "b": 46}
    top = 1.1 if titled else 1.0
    layout["legend"] = legend(y=top)
    layout["shapes"], layout["annotations"] = [], []
    layout["separators"] = ".\u2009"
    traces: list[dict[str, Any]] = []
    ends = y.ends or _common(panels, is_log=y.is_log)
    gap, count = 0.05, len(panels)
    width = (1 - gap * (count - 1)) / count
    seen: set[str] = set()
    for i, (title, lines) in enumerate(panels):
        number, left = "" if i == 0 else str(i + 1), i * (width + gap)
        layout[f"xaxis{number}"] = {**_axis(x, theme), "domain": [left, left + width], "anchor": f"y{number}"}
        layout[f"yaxis{number}"] = {**_axis(y._replace(ends=ends), theme), "anchor": f"x{number}"}
        if i:
            layout[f"yaxis{number}"] |= {"showticklabels": False, "title": {"text": ""}}
        for line in filter(_has_points, lines):
            trace = _trace(line, theme) | {"xaxis": f"x{number}", "yaxis": f"y{number}"}
            traces.append(trace | {"showlegend": line.name not in seen, "legendgroup": line.name})
            seen.add(line.name)
        if title:
            layout["annotations"].append(heading(f"<b>{title}</b>", left, theme.text))
        if at is not None:
            layout["shapes"].append(_upright(at, number, theme))
    traces += [_mark(mark, theme) for mark in marks]
    layout["meta"] = {"width": 270 * count}
    return {"data": traces, "layout": layout}


def _common(panels: Sequence[tuple[str, Sequence[Line]]], *, is_log: bool) -> tuple[float, float]:
    """A range in which all curves have room."""
    values = np.concatenate([line.y for __, lines in panels for line in lines])
    values = values[np.isfinite(values) & ((values > 0) | (not is_log))]
    if is_log:
        low, high = np.log10(values.min(initial=1.0)), np.log10(values.max(initial=1e-12))
        return float(low - 0.05 * (high - low) - 0.02), float(high + 0.05 * (high - low) + 0.02)
    low, high = min(0.0, float(values.min(initial=0.0))), float(values.max(initial=1e-12))
    return low * 1.1, high * 1.1


def _axis(axis: Axis, theme: Theme) -> dict[str, Any]:
    shown = value_axis(theme, axis.title, type="log" if axis.is_log else "linear", zeroline=False)
    if axis.ends is not None:
        shown["range"] = list(axis.ends)
    if axis.is_log or axis.every:
        shown["dtick"] = axis.every or 1
    shown["exponentformat"] = "power"
    if axis.ticks:
        shown["tickformat"] = axis.ticks
    if axis.names:
        shown |= {"tickvals": list(range(1, len(axis.names) + 1)), "ticktext": list(axis.names)}
    return shown


def _has_points(line: Line) -> bool:
    """Whether there is anything to draw: a name without a curve would only puzzle."""
    return bool(np.isfinite(line.y).any())


def _trace(line: Line, theme: Theme) -> dict[str, Any]:
    colour = getattr(theme, line.role)
    is_single = np.isfinite(line.y).sum() == 1  # a line of one point cannot be seen
    drawn: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers" if line.look == "points" else "lines+markers" if is_single else "lines",
        "name": line.name,
        "x": line.x,
        "y": line.y,
        "hovertemplate": _at(line.name),
    }
    if line.look == "points":
        return {**drawn, "marker": {"size": 5, "color": colour}}
    width = {"thin": 1.2, "solid": 2.6}.get(line.look, 2.0)
    dash = line.look if line.look in ("dash", "dot") else "solid"
    drawn["line"] = {"width": width, "color": colour, "dash": dash}
    return {**drawn, "marker": {"size": 8, "color": colour}} if is_single else drawn


def _at(name: str) -> str:
    return _("{name}: {y} at {x}").format(name=name, y="%{y:.4g}", x="%{x:.6g}") + "<extra></extra>"


def _mark(mark: Mark, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": mark.name,
        "showlegend": False,
        "x": [mark.x],
        "y": [mark.y],
        "text": [mark.name],
        "textposition": mark.place,
        "textfont": {"size": 12, "color": theme.text},
        "marker": {"size": 10, "color": getattr(theme, mark.role), "symbol": mark.symbol},
        "cliponaxis": False,
        "hovertemplate": _at(mark.name),
    }


def _upright(at: float, number: str, theme: Theme) -> dict[str, Any]:
    place = {"type": "line", "xref": f"x{number}", "yref": f"y{number} domain", "x0": at, "x1": at}
    return {**place, "y0": 0, "y1": 1, "line": {"width": 1.5, "color": theme.muted, "dash": "dot"}}
