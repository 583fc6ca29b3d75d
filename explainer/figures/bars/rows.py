"""Rows with names at the left and values along an axis below: any, cosines, effects, the most probable tokens."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.amounts import others
from explainer.figures.drawing import bars, in_bold, name_axis, scatter, token_names, value_axis
from explainer.figures.escape import for_plotly
from explainer.figures.style import Theme, base_layout, faded, number, probability
from explainer.language import _


def named_bars(
    values: Float[np.ndarray, " bar"],
    labels: Sequence[str],
    texts: Sequence[str],
    theme: Theme,
    *,
    colours: Sequence[str],
    keys: Sequence[Sequence[Any]],
    hover: str | Sequence[str] = "%{text}<extra></extra>",
    left: int = 120,
    row: int = 28,
    size: int = 14,
) -> dict[str, Any]:
    """One bar for each name, its value beside it; what the values are is for the caller's axis to say.

    The labels are escaped for Plotly and have `left` pixels; a bar with its gap has `row`. A click carries a bar's key.
    """
    trace = bars(values, texts, theme, colours=colours, clicks=keys, hover=hover)
    trace["textfont"]["size"] = 13 if size > 13 else 12
    layout = base_layout(theme, height=row * len(labels) + 50, bargap=0.28, hovermode="closest")
    layout["margin"] = {"l": left, "r": 54, "t": 4, "b": 42}
    layout["yaxis"] = name_axis(labels, theme, size=size)
    return {"data": [trace], "layout": layout}


def top_k_bars(
    ids: Sequence[int],
    pieces: Sequence[str],
    probs: Float[np.ndarray, " k"],
    rest: float,
    theme: Theme,
    *,
    chosen: int | None,
    n_others: int,
) -> dict[str, Any]:
    """Horizontal bars on the fixed range 0–1, most probable on top, the `rest` of `n_others` tokens together last.

    A click on a bar carries `["candidate", id]`, on the last `["candidate", None]`. The translation goes on with
    `chosen`.
    """
    names = token_names(pieces)
    names = [f"<b>{name}</b> ✓" if i == chosen else name for i, name in enumerate(names)]
    values = np.asarray(probs, dtype=np.float32)
    colours = [theme.target if i == chosen else faded(theme.target, 0.5) for i in range(len(pieces))]
    keys = [("candidate", token) for token in ids]
    if n_others:  # the bars of a small table may be all there is
        names.append(others(n_others))
        values = np.append(values, rest).astype(np.float32)
        colours, keys = [*colours, theme.masked], [*keys, ("candidate", None)]
    drawing = named_bars(
        values,
        names,
        [probability(float(value)) for value in values],
        theme,
        colours=colours,
        keys=keys,
        row=30,
    )
    drawing["layout"]["xaxis"] = value_axis(
        theme, _("probability"), range=[0, 1], tickvals=[0, 0.25, 0.5, 0.75, 1], zeroline=False
    )
    return drawing


def cosine_bars(
    ids: Sequence[int], pieces: Sequence[str], values: Float[np.ndarray, " k"], theme: Theme
) -> dict[str, Any]:
    """Bars on 0–1 (from −1 if one is negative), the closest on top; a click on one carries `["token", id]`."""
    names = token_names(pieces)
    drawing = named_bars(
        values,
        names,
        [number(float(value), 3) for value in values],
        theme,
        colours=[faded(theme.residual, 0.6)] * len(names),
        keys=[("token", token) for token in ids],
        hover=[
            _("{name}: token {token}").format(name=name, token=token) + "<extra></extra>"
            for name, token in zip(names, ids, strict=True)
        ],
    )
    low = 0 if (values >= 0).all() else -1
    drawing["layout"]["xaxis"] = value_axis(theme, _("cosine"), range=[low, 1], zeroline=False)
    return drawing


def effect_bars(
    effects: Float[np.ndarray, " part"],
    names: Sequence[str],
    keys: Sequence[Sequence[Any]],
    theme: Theme,
    *,
    selected: int | None,
    title: str,
) -> dict[str, Any]:
    """Changes of a log-probability, in nats, as bars from 0; the axis covers them all and 0.

    Bars below 0 have the colour of negative numbers; the selected name is bold. A click carries a bar's key.
    """
    labels = in_bold([for_plotly(name) for name in names], selected)
    low, high = min(0.0, float(effects.min(initial=0.0))), max(0.0, float(effects.max(initial=0.0)))
    room = 0.22 * ((high - low) or 1.0)
    drawing = named_bars(
        effects,
        labels,
        [number(float(value), 3) for value in effects],
        theme,
        colours=[theme.negative if value < 0 else theme.positive for value in effects],
        keys=keys,
        hover=_("%{text} nats") + "<extra></extra>",
        left=150,
        row=25,
        size=13,
    )
    drawing["layout"]["xaxis"] = value_axis(theme, title, range=[low - room, high + room])
    drawing["layout"]["meta"] = {"width": 460}
    return drawing


_SYMBOLS = ("circle-open", "circle", "diamond")


def lengths_by_token(
    lengths: Sequence[Float[np.ndarray, " token"]], names: Sequence[str], rows: Sequence[str], theme: Theme
) -> dict[str, Any]:
    """Up to three lengths of each token as marks on one axis from 0; a legend says what each symbol stands for."""
    colours = (theme.source, theme.source, theme.gate)
    traces = [
        scatter(
            "markers",
            values,
            np.arange(len(rows)),
            name=name,
            marker={"size": 10, "symbol": symbol, "color": colour},
            hovertemplate=[
                f"{for_plotly(row)}: {name} = {number(float(value), 3)}<extra></extra>"
                for row, value in zip(rows, values, strict=True)
            ],
        )
        for values, name, symbol, colour in zip(lengths, names, _SYMBOLS, colours, strict=False)
    ]
    top = max(float(values.max(initial=0.0)) for values in lengths)
    height = 26 if len(rows) <= 20 else 18
    layout = base_layout(theme, height=height * len(rows) + 84, hovermode="closest")
    layout |= {"showlegend": True, "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"}}
    layout["margin"] = {"l": min(150, 22 + 8 * max(map(len, rows), default=1)), "r": 12, "t": 34, "b": 42}
    layout["xaxis"] = value_axis(theme, _("length"), range=[-0.03 * top, 1.06 * top], zeroline=False)
    layout["yaxis"] = name_axis([for_plotly(row) for row in rows], theme, size=13)
    layout["yaxis"] |= {"gridcolor": theme.line, "showgrid": True}
    return {"data": traces, "layout": layout}


_ENDING = 26


def pool_bars(
    names: Sequence[str],
    log_probs: Float[np.ndarray, " candidate"],
    fates: Sequence[str],
    places: Sequence[int],
    theme: Theme,
    *,
    selected: int | None = None,
) -> dict[str, Any]:
    """Bars of Σ log p (nats, best first) from 0 to the left: the shorter, the more probable.

    A name is the end of a hypothesis, its new token last; a click carries `["node", place in the tree]`.
    """
    labels = [f"{rank}. {for_plotly(_end_of(name))}" for rank, name in enumerate(names, start=1)]
    worst = float(min(log_probs, default=-1.0))
    trace = bars(
        log_probs,
        [f"{number(float(v))} {_(fate)}" for v, fate in zip(log_probs, fates, strict=True)],
        theme,
        colours=[_colour_of(fate, theme) for fate in fates],
        clicks=[("node", int(place)) for place in places],
    )
    widths = [2.5 if place == selected else 0 for place in places]
    trace["marker"]["line"] = {"width": widths, "color": theme.text}
    layout = base_layout(theme, height=24 * len(names) + 52, bargap=0.3)
    layout["margin"] = {"l": 190, "r": 10, "t": 4, "b": 40}
    layout["xaxis"] = value_axis(theme, _("Σ log p, nats"), range=[min(worst, -0.5) * 1.45, 0])
    layout["yaxis"] = name_axis(labels, theme, size=12)
    return {"data": [trace], "layout": layout}


def _colour_of(fate: str, theme: Theme) -> str:
    return {"kept": faded(theme.target, 0.55), "finished": theme.target, "cut": faded(theme.target, 0.3)}.get(
        fate, theme.masked
    )


def _end_of(text: str) -> str:
    return text if len(text) <= _ENDING else f"…{text[1 - _ENDING :]}"
