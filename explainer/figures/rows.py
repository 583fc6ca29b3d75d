"""Rows with names at the left and values along an axis below."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.axes import name_axis
from explainer.figures.style import Theme, base_layout


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
