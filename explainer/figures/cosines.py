"""How close other entries of the vocabulary are: a bar for each cosine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Theme, base_layout, faded, number


def cosine_bars(
    ids: Sequence[int], pieces: Sequence[str], values: Float[np.ndarray, " k"], theme: Theme
) -> dict[str, Any]:
    """Horizontal bars on the fixed range 0–1 (from −1 if one is negative), the closest on top.

    A click on a bar carries `["token", id]`.
    """
    names = [for_plotly(token_label(piece)) for piece in pieces]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": values.astype(np.float32),
        "y": list(range(len(names))),
        "text": [number(float(value), 3) for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "textfont": {"size": 13, "color": theme.text},
        "marker": {"color": faded(theme.residual, 0.6), "line": {"width": 0}},
        "customdata": [["token", token] for token in ids],
        "hovertemplate": [
            f"{name}: token {token}<extra></extra>" for name, token in zip(names, ids, strict=True)
        ],
    }
    layout = base_layout(theme, height=28 * len(names) + 48, bargap=0.3)
    layout["margin"] = {"l": 118, "r": 50, "t": 4, "b": 40}
    layout["xaxis"] = {
        "range": [0 if (values >= 0).all() else -1, 1],
        "fixedrange": True,
        "gridcolor": theme.line,
        "zeroline": False,
        "title": {"text": "cosine", "font": {"size": 12, "color": theme.muted}, "standoff": 4},
        "tickfont": {"size": 11, "color": theme.muted},
    }
    layout["yaxis"] = {
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "range": [len(names) - 0.5, -0.5],
        "fixedrange": True,
        "ticks": "",
        "tickfont": {"size": 14, "color": theme.text},
    }
    return {"data": [trace], "layout": layout}
