"""The target distribution q against the model's p, token by token, and the gradient p − q that this makes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.amounts import others
from explainer.figures.drawing import bars, heading, legend, name_axis, token_names, value_axis
from explainer.figures.style import Theme, base_layout, number
from explainer.language import _

FLOOR = 1e-8  # the left end of the logarithmic axis: what is smaller, 0 among it, stands there
_LINE = 26


def _names(pieces: Sequence[str], chosen: int, selected: int, n_others: int) -> list[str]:
    """Axis labels of tokens, the label token marked, and the others."""
    shown = token_names(pieces)
    shown[chosen] += " ✓"
    shown[selected] = f"<b>{shown[selected]}</b>"
    return [*shown, others(n_others)]


def target_against_model(
    pieces: Sequence[str],
    q: Float[np.ndarray, " line"],
    p: Float[np.ndarray, " line"],
    theme: Theme,
    *,
    ids: Sequence[int],
    chosen: int,
    selected: int,
    n_others: int,
    before: Float[np.ndarray, " line"] | None = None,
) -> dict[str, Any]:
    """A line for each token from q, the target (diamond), to p, the model's (dot), on a logarithmic axis.

    The last is the sum of all `n_others`. The label is `chosen` (✓), the page tells of `selected`; `before` is p
    without the changes in force. A click carries `["candidate", token id]`.
    """
    count = len(q)
    clip = [np.maximum(values, FLOOR) for values in (q, p)]
    xs = np.stack([*clip, np.full(count, np.nan)]).T.ravel()
    ys = np.repeat(np.arange(count), 3)
    stem = {
        "type": "scatter",
        "mode": "lines",
        "x": xs,
        "y": ys.astype(np.float32),
        "line": {"width": 1.4, "color": theme.line},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    traces = [stem]
    if before is not None:
        traces.append(_dots(_("p before"), before, "circle-open", theme.muted, ids))
    traces.append(_dots(_("q, target"), q, "diamond-open", theme.text, ids))
    traces.append(_dots(_("p, model"), p, "circle", theme.target, ids))
    layout = base_layout(theme, height=_LINE * count + 84, hovermode="closest", showlegend=True)
    layout["margin"] = {"l": 120, "r": 16, "t": 30, "b": 42}
    layout["legend"] = legend()
    ticks = list(range(-8, 1, 2))
    layout["xaxis"] = value_axis(
        theme, _("probability, logarithmic"), type="log", range=[-8.15, 0.15], zeroline=False,
        tickvals=[10.0**power for power in ticks],
        ticktext=["≤ 10<sup>−8</sup>", *(f"10<sup>−{-power}</sup>" for power in ticks[1:-1]), "1"],
    )  # fmt: skip
    layout["yaxis"] = name_axis(_names(pieces, chosen, selected, n_others), theme, size=14)
    layout["yaxis"]["range"] = [count - 0.4, -0.6]
    layout["meta"] = {"width": 420}
    return {"data": traces, "layout": layout}


def gradient_bars(
    pieces: Sequence[str],
    gradient: Float[np.ndarray, " line"],
    theme: Theme,
    *,
    ids: Sequence[int],
    chosen: int,
    selected: int,
    n_others: int,
) -> dict[str, Any]:
    """The gradient p − q of each token as a bar; arguments as for `target_against_model`."""
    limit = 1.3 * float(np.abs(gradient).max(initial=1e-3))
    names = _names(pieces, chosen, selected, n_others)
    trace = bars(
        gradient,
        [_signed(float(value)) for value in gradient],
        theme,
        colours=[theme.positive if value > 0 else theme.negative for value in gradient.tolist()],
        clicks=[("candidate", token) for token in [*ids, None]],
        hover="p − q = %{x:.6f}<extra></extra>",
        name="p − q",
        x=gradient,
    )
    layout = base_layout(theme, height=_LINE * len(names) + 84, bargap=0.3)
    layout["margin"] = {"l": 120, "r": 16, "t": 30, "b": 42}
    layout["xaxis"] = value_axis(theme, _("gradient on the logit, p − q"), range=[-limit, limit])
    layout["yaxis"] = name_axis(names, theme, size=14)
    layout["annotations"] = [
        heading(_("← a step raises this logit"), 0.0, theme.muted, size=12),
        heading(_("lowers it →"), 1.0, theme.muted, size=12, anchor="right"),
    ]
    layout["meta"] = {"width": 420}
    return {"data": [trace], "layout": layout}


def _dots(name: str, values: np.ndarray, symbol: str, colour: str, ids: Sequence[int]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": np.maximum(values, FLOOR),
        "y": np.arange(len(values), dtype=np.float32),
        "marker": {"size": 11, "color": colour, "symbol": symbol, "line": {"width": 2, "color": colour}},
        "customdata": [["candidate", token] for token in [*ids, None]],
        "text": [f"{value:.3g}" for value in values],
        "hovertemplate": f"{name}: %{{text}}<extra></extra>",
    }


def _signed(value: float) -> str:
    if 0 < abs(value) < 0.0005:
        return "< 0.001" if value > 0 else "> −0.001"
    return number(value, 3)
