"""Teacher forcing: what each decoder row reads, what it should say, and what it pays; and the same row left alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import (
    BARE,
    CLEAR,
    bars,
    heading,
    legend,
    rectangle,
    scatter,
    single,
    token_names,
    value_axis,
)
from explainer.figures.heat.lens import write_words
from explainer.figures.heat.matrix import matrix
from explainer.figures.style import Theme, base_layout, faded, number
from explainer.language import _

_ROW = 30  # pixels from one position to the next
_LEFT, _RIGHT = -0.45, 1.45  # where the words stand: in a grid of two columns


def forced_losses(
    inputs: Sequence[str],
    labels: Sequence[str],
    losses: Sequence[tuple[str, Float[np.ndarray, " row"]]],
    theme: Theme,
    *,
    selected: int,
    signed: bool = False,
) -> dict[str, Any]:
    """A line for each position: the token that is read → the one that should follow, and −log p of that as a bar.

    A slanted line leads each label to the next position, where it is read. A click carries `["position", i]`. The
    losses are in nats, by the name of the pass, the last in full colour; signed ones are differences.
    """
    count = len(inputs)
    traces = [
        _moved(count, theme),
        _arrows(count, theme),
        _words(inputs, _LEFT, "middle right", theme, selected),
        _words(labels, _RIGHT, "middle left", theme, selected),
    ]
    traces += [
        _bars(name, values, theme, is_last=i == len(losses) - 1) for i, (name, values) in enumerate(losses)
    ]
    layout = base_layout(
        theme,
        height=(_ROW + 6 * (len(losses) - 1)) * count + 96,
        barmode="group",
        bargap=0.24,
        hovermode="closest",
    )
    layout["margin"] = {"l": 40, "r": 8, "t": 34, "b": 40}
    layout["showlegend"] = len(losses) > 1
    layout["legend"] = legend(x=0.5)
    layout["xaxis"] = {"visible": False, "range": [-0.5, 1.5], "fixedrange": True, "domain": [0, 0.42]}
    layout["xaxis2"] = _loss_axis(np.concatenate([values for __, values in losses]), theme, signed=signed)
    layout["yaxis"] = {
        **BARE,
        "range": [count - 0.5, -0.6],
        "tickvals": list(range(count)),
        "ticktext": [str(i + 1) for i in range(count)],
        "tickfont": {"size": 11, "color": theme.muted},
    }
    line = {"width": 1.8, "color": theme.text}
    layout["shapes"] = [
        rectangle(-0.06, 1, selected - 0.47, selected + 0.47, xref="paper", line=line, fillcolor=CLEAR)
    ]
    layout["annotations"] = [
        heading(_("reads"), 0.0, theme.muted, size=12),
        heading(_("should say"), 0.42, theme.muted, size=12, anchor="right"),
    ]
    layout["meta"] = {
        "width": 600,
        "grid": {"rows": count, "columns": 2, "selected": {"x": 1, "y": selected}},
    }
    return {"data": traces, "layout": layout}


def two_ways(
    said: Sequence[Sequence[str | None]],
    probabilities: Float[np.ndarray, "row way"],
    ways: Sequence[str],
    rows: Sequence[str],
    theme: Theme,
    *,
    selected: int,
    parting: int | None,
) -> dict[str, Any]:
    """What the model says at each position, given the reference and given its own words; the colour is its probability.

    A way that has ended says None, with NaN. Below the position `parting`, after which the two have read different
    words, stands a dotted line.
    """
    drawing = matrix(
        np.nan_to_num(probabilities), rows, ways, theme, kind="weights", row_title=_("position: reference token"),
        column_title="", role="target", lit_row=selected,
    )  # fmt: skip
    heat, layout = drawing["data"][0], drawing["layout"]
    heat["z"] = single(probabilities)
    write_words(drawing, said, probabilities)
    layout["height"] = _ROW * len(rows) + 40
    layout["meta"]["width"] += 110 * len(ways)
    if parting is not None:
        line = {"width": 2.5, "color": theme.text, "dash": "dot"}
        place = {"x0": -0.5, "x1": len(ways) - 0.5, "y0": parting + 0.5, "y1": parting + 0.5}
        layout["shapes"].append({"type": "line", **place, "line": line})
    return drawing


def _moved(count: int, theme: Theme) -> dict[str, Any]:
    """From each label to the next position's input: the same token."""
    xs, ys = [], []
    for i in range(count - 1):
        xs += [0.92, 0.08, np.nan]
        ys += [i + 0.18, i + 0.82, np.nan]
    return _path(xs, ys, {"width": 1.2, "color": faded(theme.target, 0.6), "dash": "dot"})


def _arrows(count: int, theme: Theme) -> dict[str, Any]:
    xs: list[float] = []
    ys: list[float] = []
    for i in range(count):
        xs += [0.35, 0.65, np.nan, 0.6, 0.65, 0.6, np.nan]
        ys += [i, i, np.nan, i - 0.12, i, i + 0.12, np.nan]
    return _path(xs, ys, {"width": 1.4, "color": theme.muted})


def _path(xs: Sequence[float], ys: Sequence[float], line: dict[str, Any]) -> dict[str, Any]:
    return scatter("lines", xs, ys, line=line, hoverinfo="skip", showlegend=False)


def _words(pieces: Sequence[str], x: float, position: str, theme: Theme, selected: int) -> dict[str, Any]:
    return scatter(
        "markers+text",
        np.full(len(pieces), x),
        np.arange(len(pieces)),
        showlegend=False,
        text=token_names(pieces, bold=selected),
        textposition=position,
        textfont={"size": 14, "color": theme.text},
        marker={"size": 5, "color": theme.target},
        customdata=[["position", i] for i in range(len(pieces))],
        hovertemplate="%{text}<extra></extra>",
    )


def _bars(name: str, values: np.ndarray, theme: Theme, *, is_last: bool) -> dict[str, Any]:
    return bars(
        values,
        [number(float(value)) for value in values],
        theme,
        colours=theme.target if is_last else faded(theme.residual, 0.55),
        clicks=[("position", i) for i in range(len(values))],
        hover=_("{name}: {value} nats").format(name=name, value="%{x:.4f}") + "<extra></extra>",
        name=name,
        xaxis="x2",
        constraintext="none",
    )


def _loss_axis(values: np.ndarray, theme: Theme, *, signed: bool) -> dict[str, Any]:
    high = 1.18 * max(1.0, float(np.abs(values).max(initial=0.0)))
    title = _("difference of −log p, nats") if signed else _("−log p, nats")
    return value_axis(
        theme, title, range=[-high if signed else 0.0, high], domain=[0.5, 1], anchor="y", zeroline=signed
    )
