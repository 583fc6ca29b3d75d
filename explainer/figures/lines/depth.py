"""The length of the residual stream over depth: a line for each token, a saw tooth for each sublayer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import BARE, band, heading, scatter, value_axis
from explainer.figures.flow.block import TITLES
from explainer.figures.style import Theme, base_layout, faded
from explainer.language import _, mark
from explainer.measures.anatomy import NAMES

_SHORT = {"self_attention": mark("self"), "cross_attention": mark("cross"), "feed_forward": mark("FFN")}


@dataclass(frozen=True, kw_only=True)
class Depth:
    """One stack, "encoder" or "decoder".

    Attributes:
        lengths: ‖x‖ as `flow.stream` measures it: the input; of each sublayer the sum and what is left of it; the end.
        sublayers: Their names within a layer.
        before: The same lengths without the changes in force; None if there are none.
        selected: The token that is drawn strongly; None for none.
        here: Which sublayer of the stack is looked at, counted through all layers; None for none.
    """

    side: str
    lengths: Float[np.ndarray, "station token"]
    sublayers: Sequence[str]
    before: Float[np.ndarray, "station token"] | None = None
    selected: int | None = None
    here: int | None = None


def norms_over_depth(stacks: Sequence[Depth], theme: Theme) -> dict[str, Any]:
    """Both stacks side by side; a click on a point below them carries `["station", side, layer, sublayer, array]`."""
    traces: list[dict[str, Any]] = []
    layout = base_layout(theme, height=330, hovermode="closest", showlegend=False)
    layout["margin"] = {"l": 46, "r": 10, "t": 30, "b": 78}
    layout["shapes"], layout["annotations"] = [], []
    counts = [len(stack.lengths) for stack in stacks]
    gap, left = 0.06, 0.0
    top = max(
        float(np.max(each)) for stack in stacks for each in (stack.lengths, stack.before) if each is not None
    )
    for i, stack in enumerate(stacks):
        width = (1 - gap * (len(stacks) - 1)) * counts[i] / sum(counts)
        number = "" if i == 0 else str(i + 1)
        layout[f"xaxis{number}"] = {
            **_stations(stack, theme),
            "domain": [left, left + width],
            "anchor": f"y{number}",
        }
        layout[f"yaxis{number}"] = {**_lengths(theme, top, titled=i == 0), "anchor": f"x{number}"}
        traces += [{**one, "xaxis": f"x{number}", "yaxis": f"y{number}"} for one in _lines(stack, theme)]
        accent = theme.source if stack.side == "encoder" else theme.target
        name = _("ENCODER") if stack.side == "encoder" else _("DECODER")
        layout["annotations"].append(heading(f"<b>{name}</b>", left, accent))
        if stack.here is not None:
            layout["shapes"].append(band(0.55 + 2 * stack.here, 2.45 + 2 * stack.here, number, theme, 0.16))
        left += width + gap
    layout["meta"] = {"width": 720}
    return {"data": traces, "layout": layout}


def _lines(stack: Depth, theme: Theme) -> list[dict[str, Any]]:
    accent = theme.source if stack.side == "encoder" else theme.target
    n_stations, n_tokens = stack.lengths.shape
    gaps = np.full((1, n_tokens), np.nan)
    lines = [
        scatter(
            "lines",
            np.tile(np.arange(n_stations + 1), n_tokens),
            np.vstack([stack.lengths, gaps]).T.ravel(),
            name=_("all tokens"),
            line={"width": 1.2, "color": faded(accent, 0.35)},
            hoverinfo="skip",
        )
    ]
    if stack.selected is not None:
        if stack.before is not None:
            dotted = {"width": 2.5, "color": theme.muted, "dash": "dot"}
            lines.append(_strong(_("before the changes"), stack, stack.before[:, stack.selected], dotted))
        solid = {"width": 2.5, "color": accent}
        lines.append(_strong(_("selected token"), stack, stack.lengths[:, stack.selected], solid))
    return [*lines, _targets(stack, accent)]


def _strong(name: str, stack: Depth, lengths: np.ndarray, line: dict[str, Any]) -> dict[str, Any]:
    return scatter(
        "lines" if "dash" in line else "lines+markers",
        np.arange(len(lengths)),
        lengths,
        name=name,
        line=line,
        marker={"size": 6, "color": line["color"]},
        customdata=_points(stack),
        hovertemplate=f"{name}: %{{y:.2f}}<extra></extra>",
    )


def _targets(stack: Depth, accent: str) -> dict[str, Any]:
    points = _points(stack)
    symbols = ["circle-open" if point[4] == "sum" else "circle" for point in points]
    return scatter(
        "markers",
        np.arange(len(points)),
        np.zeros(len(points)),
        name="stations",
        marker={"size": 8, "color": accent, "symbol": symbols},
        customdata=points,
        hovertemplate=[
            f"{layer}, {_(NAMES[name])}: {TITLES[stage]}<extra></extra>" for *__, layer, name, stage in points
        ],
        cliponaxis=False,
    )


def _points(stack: Depth) -> list[list[Any]]:
    """What a click on each station says; the ends belong to the first and the last sublayer."""
    names, count = stack.sublayers, (len(stack.lengths) - 2) // 2
    inner = [
        ["station", stack.side, i // len(names) + 1, names[i % len(names)], array]
        for i in range(count)
        for array in ("sum", "output")
    ]
    first, last = ["station", stack.side, 1, names[0], "before"], inner[-1]
    return [first, *inner, last]


def _stations(stack: Depth, theme: Theme) -> dict[str, Any]:
    names, count = stack.sublayers, (len(stack.lengths) - 2) // 2
    texts = [f"{i // len(names) + 1} {_(_SHORT[names[i % len(names)]])}" for i in range(count)]
    return {
        "tickvals": [0, *(1.5 + 2 * i for i in range(count)), 2 * count + 1],
        "ticktext": [_("input"), *texts, _("end")],
        "tickangle": -60,
        **BARE,
        "range": [-0.5, len(stack.lengths) - 0.5],
        "tickfont": {"size": 12, "color": theme.text},
    }


def _lengths(theme: Theme, top: float, *, titled: bool) -> dict[str, Any]:
    title = "‖x‖" if titled else ""
    return value_axis(theme, title, range=[0, 1.05 * top], zeroline=False, showticklabels=titled)
