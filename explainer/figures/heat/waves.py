"""Positions as pictures: the whole table, single pairs of dimensions as waves, and how positions compare."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from explainer.figures.drawing import BARE, axis_title, note, scatter, single
from explainer.figures.heat.cells import colour_bar
from explainer.figures.style import Theme, base_layout, diverging, faded, number
from explainer.language import _

_BYTE = 127  # ±1 as a signed byte: a colour has no more steps than that


def position_heatmap(
    table: Float[np.ndarray, "row d_model"],
    positions: Int[np.ndarray, " row"],
    theme: Theme,
    *,
    is_split: bool = False,
) -> dict[str, Any]:
    """A row for each position (0 on top), a column for each dimension, −1 … 1; numbers are sent as single bytes.

    The positions are evenly spaced. A click carries nothing but its place: x is the dimension, y the position. A line
    is drawn between the halves of a table that is split into sines and cosines.
    """
    step = int(positions[1] - positions[0]) if len(positions) > 1 else 1
    last, d_model = int(positions[-1]), table.shape[1]
    heat = {
        "type": "heatmap",
        "z": _bytes(table),
        "y0": int(positions[0]),
        "dy": step,
        "zmin": -_BYTE,
        "zmax": _BYTE,
        "colorscale": diverging(theme),
        "hovertemplate": _("position %{y}, dimension %{x}") + "<extra></extra>",
        "colorbar": colour_bar([-_BYTE, 0, _BYTE], theme, xpad=2)
        | {"ticktext": [number(end, 0) for end in (-1, 0, 1)]},
    }
    layout = base_layout(theme, height=440)
    layout["margin"] = {"l": 58, "r": 46, "t": 8, "b": 42}
    layout["xaxis"] = {**_axis(theme, _("dimension, from 0")), "range": [-0.5, d_model - 0.5]}
    layout["yaxis"] = {
        **_axis(theme, _("position, from 0")),
        "range": [last + step / 2, int(positions[0]) - step / 2],
        "nticks": 8,
    }
    if is_split:
        half = {"x0": d_model / 2 - 0.5, "x1": d_model / 2 - 0.5, "yref": "paper", "y0": 0, "y1": 1}
        layout["shapes"] = [{"type": "line", "line": {"color": theme.text, "width": 2}, **half}]
    return {"data": [heat], "layout": layout}


def pair_waves(
    lines: Sequence[Float[np.ndarray, "2 point"]],
    step: float,
    dots: Sequence[Float[np.ndarray, "2 dot"]],
    titles: Sequence[str],
    theme: Theme,
) -> dict[str, Any]:
    """A band for each pair: its sine drawn through, its cosine dashed, dots at the positions of the sentence.

    The lines are closely spaced, `step` positions from point to point, from 0 on; the dots are the same at 0, 1, 2 …
    """
    traces: list[dict[str, Any]] = []
    notes = []
    for band, (line, dot, title) in enumerate(zip(lines, dots, titles, strict=True)):
        for wave, points, dash, name in zip(
            line, dot, ("solid", "dot"), (_("sine"), _("cosine")), strict=True
        ):
            ink = theme.residual if dash == "solid" else faded(theme.residual, 0.75)
            traces.append(
                _line(wave - 3 * band, {"width": 2, "color": ink, "dash": dash}, step)
                | {"name": name, "hoverinfo": "name"}
            )
            symbol = "circle" if dash == "solid" else "circle-open"
            mark = {"size": 6, "color": theme.source, "symbol": symbol}
            hover = [f"PE({i}, {name}) = {number(value, 3)}<extra></extra>" for i, value in enumerate(points)]
            places = np.arange(len(points))
            traces.append(scatter("markers", places, points - 3 * band, marker=mark, hovertemplate=hover))
        place = {"xref": "paper", "xanchor": "left", "yanchor": "bottom"}
        notes.append(note(title, 0, -3 * band + 1.15, 13, theme.text, **place))
    layout = base_layout(theme, height=118 * len(lines) + 46, hovermode="closest")
    layout["margin"] = {"l": 34, "r": 8, "t": 8, "b": 40}
    layout["xaxis"] = {**_axis(theme, _("position")), "range": [-0.6, step * (lines[0].shape[1] - 1)]}
    bands = [value - 3 * band for band in range(len(lines)) for value in (1, 0, -1)]
    layout["yaxis"] = {
        **_axis(theme, ""),
        "range": [-3 * len(lines) + 1.7, 2.0],
        "tickvals": bands,
        "ticktext": [number(one, 0) for __ in lines for one in (1, 0, -1)],
    }
    layout["annotations"] = notes
    return {"data": traces, "layout": layout}


def position_curve(
    values: Float[np.ndarray, " position"],
    theme: Theme,
    *,
    here: int,
    there: int,
    title: str,
    count: int,
) -> dict[str, Any]:
    """One number for each position; `here` is what all are compared with, `there` the one that is looked at.

    The first `count` positions are shown; a click on one carries `["position", q]`.
    """
    shown = values[:count].astype(np.float32)
    line = _line(shown, {"width": 2, "color": theme.residual})
    line |= {
        "mode": "lines+markers",
        "marker": {"size": 4, "color": theme.residual},
        "customdata": [["position", q] for q in range(len(shown))],
        "hovertemplate": _("position %{x}: %{y:.3f}") + "<extra></extra>",
    }
    ends = scatter(
        "markers+text",
        [here, there],
        shown[[here, there]],
        text=[f"<b>p = {here}</b>", f"<b>q = {there}</b>"],
        textposition=["top right", "top right" if there >= here else "top left"],
        textfont={"size": 13, "color": theme.text},
        marker={"size": 11, "color": [theme.text, theme.gate]},
        hoverinfo="skip",
        cliponaxis=False,
    )
    layout = base_layout(theme, height=320, hovermode="closest")
    layout["margin"] = {"l": 58, "r": 12, "t": 26, "b": 42}
    layout["xaxis"] = {**_axis(theme, _("position q")), "range": [-1, len(shown)]}
    layout["yaxis"] = {**_axis(theme, title), "gridcolor": theme.line, "showgrid": True}
    return {"data": [line, ends], "layout": layout}


def _bytes(table: np.ndarray) -> dict[str, Any]:
    """A table of −1 … 1 as Plotly's packed array of signed bytes."""
    packed = np.ascontiguousarray(np.rint(table * _BYTE).astype(np.int8))
    text = base64.b64encode(packed.tobytes()).decode()
    return {"dtype": "i1", "bdata": text, "shape": ", ".join(map(str, packed.shape))}


def _line(y: np.ndarray, line: dict[str, Any], step: float = 1.0) -> dict[str, Any]:
    points = {"x0": 0, "dx": step, "y": single(y)}
    return {"type": "scatter", "mode": "lines", **points, "line": line}


def _axis(theme: Theme, title: str) -> dict[str, Any]:
    return {**BARE, "tickfont": {"size": 11, "color": theme.muted}, "title": axis_title(title, theme)}
