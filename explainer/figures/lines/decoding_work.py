"""How the work of decoding grows with the length, with a cache and without: rows counted, time measured."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from explainer.figures.drawing import band, legend, value_axis
from explainer.figures.style import Theme, base_layout, faded
from explainer.language import _


class Growth(NamedTuple):
    """One way to decode: rows projected up to each step, and milliseconds of each; the chosen way is drawn strongly."""

    name: str
    rows: Int[np.ndarray, " step"]
    milliseconds: Float[np.ndarray, " step"]
    is_chosen: bool


def growth(ways: Sequence[Growth], theme: Theme, *, step: int) -> dict[str, Any]:
    """Left, rows projected up to each step, from 0; right, milliseconds of each step. The line of `step` is marked."""
    n_steps = len(ways[0].rows)
    layout = base_layout(theme, height=270, hovermode="closest", showlegend=True)
    layout["margin"] = {"l": 52, "r": 8, "t": 48, "b": 40}
    layout["legend"] = legend(y=1.2) | {"font": {"size": 13}}
    layout["shapes"] = []
    layout["meta"] = {"width": 460}
    titles = _("step t · rows projected up to here"), _("step t · ms of this step, measured")
    parts = zip(titles, ([0, 0.44], [0.58, 1]), strict=True)
    for axis, (title, domain) in zip(("", "2"), parts, strict=True):
        layout[f"xaxis{axis}"] = value_axis(
            theme, title, domain=domain, anchor=f"y{axis}", range=[0.5, n_steps + 0.5], zeroline=False,
            dtick=max(1, n_steps // 6), tick0=1,
        )  # fmt: skip
        layout[f"yaxis{axis}"] = value_axis(theme, anchor=f"x{axis}", rangemode="tozero", zeroline=False)
        layout["shapes"].append(band(step + 0.6, step + 1.4, axis, theme, 0.18))
    traces = [
        _line(way, values, axis, theme)
        for way in ways
        for axis, values in (("", way.rows), ("2", way.milliseconds))
    ]
    return {"data": traces, "layout": layout}


def _line(way: Growth, values: np.ndarray, axis: str, theme: Theme) -> dict[str, Any]:
    cached = way.name == "cache"
    colour = theme.target if cached else theme.residual
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": _(way.name),
        "showlegend": axis == "",
        "x": np.arange(1, len(values) + 1),
        "y": values.astype(np.float32),
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "line": {
            "width": 3 if way.is_chosen else 1.5,
            "color": colour if way.is_chosen else faded(colour, 0.75),
            "dash": "solid" if cached else "dot",
        },
        "marker": {"size": 8 if way.is_chosen else 6, "symbol": "square" if cached else "circle"},
        "hovertemplate": _("{name}, step {x}: {y}").format(name=_(way.name), x="%{x}", y="%{y:.4g}")
        + "<extra></extra>",
    }
