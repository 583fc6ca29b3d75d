"""What a translation loses or gains without a part of the model: signed bars, the largest on top."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.escape import for_plotly
from explainer.figures.style import Theme, base_layout, number


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
    room = 0.18 * ((high - low) or 1.0)
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": effects.astype(np.float32),
        "y": list(range(len(names))),
        "text": [number(float(value), 3) for value in effects],
        "textposition": "outside",
        "cliponaxis": False,
        "textfont": {"size": 12, "color": theme.text},
        "marker": {
            "color": [theme.negative if value < 0 else theme.positive for value in effects],
            "line": {"width": 0},
        },
        "customdata": [list(key) for key in keys],
        "hovertemplate": "%{text} nats<extra></extra>",
    }
    layout = base_layout(theme, height=25 * len(names) + 60, bargap=0.25, hovermode="closest")
    layout["meta"] = {"width": 460}
    layout["margin"] = {"l": 150, "r": 12, "t": 4, "b": 46}
    layout["xaxis"] = {
        "range": [low - room, high + room],
        "fixedrange": True,
        "gridcolor": theme.line,
        "zeroline": True,
        "zerolinecolor": theme.muted,
        "title": {"text": title, "font": {"size": 12, "color": theme.muted}, "standoff": 4},
        "tickfont": {"size": 11, "color": theme.muted},
    }
    layout["yaxis"] = {
        "tickvals": list(range(len(names))),
        "ticktext": labels,
        "range": [len(names) - 0.5, -0.5],
        "fixedrange": True,
        "ticks": "",
        "tickfont": {"size": 13, "color": theme.text},
    }
    return {"data": [trace], "layout": layout}
