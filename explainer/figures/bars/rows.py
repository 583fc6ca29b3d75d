"""Rows with names at the left and values along an axis below."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.lines.axes import name_axis, value_axis
from explainer.figures.style import Theme, base_layout, faded, number
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

    Args:
        values: Ends of the bars.
        labels: Their names, escaped for Plotly.
        texts: What stands at their ends.
        theme: Colours.
        colours: One for each bar.
        keys: What a click on each bar carries.
        hover: Hover texts.
        left: Pixels for the names.
        row: Height of a bar and the gap after it, in pixels.
        size: Of the names' letters.
    """
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": values.astype(np.float32),
        "y": list(range(len(labels))),
        "text": list(texts),
        "textposition": "outside",
        "cliponaxis": False,
        "textfont": {"size": 13 if size > 13 else 12, "color": theme.text},
        "marker": {"color": list(colours), "line": {"width": 0}},
        "customdata": [list(key) for key in keys],
        "hovertemplate": hover if isinstance(hover, str) else list(hover),
    }
    layout = base_layout(theme, height=row * len(labels) + 50, bargap=0.28, hovermode="closest")
    layout["margin"] = {"l": left, "r": 54, "t": 4, "b": 42}
    layout["yaxis"] = name_axis(labels, theme, size=size)
    return {"data": [trace], "layout": layout}


def cosine_bars(
    ids: Sequence[int], pieces: Sequence[str], values: Float[np.ndarray, " k"], theme: Theme
) -> dict[str, Any]:
    """Horizontal bars on the fixed range 0–1 (from −1 if one is negative), the closest on top.

    A click on a bar carries `["token", id]`.
    """
    names = [for_plotly(token_label(piece)) for piece in pieces]
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
    """Horizontal bars from 0, in the order given; the axis covers them all and 0.

    Args:
        effects: Changes of a log-probability, in nats.
        names: What each bar is about.
        keys: What a click on each bar carries.
        theme: Colours: below 0 as negative numbers are everywhere, above 0 as positive ones.
        selected: A bar whose name is bold.
        title: What the numbers are.
    """
    labels = [for_plotly(name) for name in names]
    labels = [f"<b>{label}</b>" if i == selected else label for i, label in enumerate(labels)]
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
    """Marks on one axis that starts at 0; what each mark means stands above in the same symbol.

    Args:
        lengths: Up to three lengths of each token.
        names: What they are the lengths of, in plain text.
        rows: Labels of the tokens.
        theme: Colours.
    """
    colours = (theme.source, theme.source, theme.gate)
    y = np.arange(len(rows), dtype=np.float32)
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": values.astype(np.float32),
            "y": y,
            "name": name,
            "marker": {"size": 10, "symbol": symbol, "color": colour},
            "hovertemplate": [
                f"{for_plotly(row)}: {name} = {number(float(value), 3)}<extra></extra>"
                for row, value in zip(rows, values, strict=True)
            ],
        }
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
