"""The whole search tree in one strip: what ran on, what ended, and which steps are in view above."""

from typing import Any

import numpy as np
from jaxtyping import Int

from explainer.figures.drawing import BARE, rectangle, scatter
from explainer.figures.style import Theme, base_layout, faded
from explainer.figures.tree.nodes import ENDS, RUNS, Tree
from explainer.language import _

_HEIGHT = 92  # pixels


def overview(tree: Tree, theme: Theme, *, first: int, last: int, now: int) -> dict[str, Any]:
    """Thin branches of what ran on or ended up to step `now`; a click on a step carries `["level", step]`.

    The steps `first` to `last`, which are in view above, are shaded.
    """
    drawn = tree.has_fate(*RUNS, *ENDS) & (tree.levels <= now) & (tree.levels > 0)
    alive = tree.alive(now)
    ended = np.flatnonzero(drawn & tree.has_fate(*ENDS))
    bottom = float(np.ceil(tree.heights.max()))
    traces = [
        _branches(tree, np.flatnonzero(drawn & ~alive), theme.line, 1.0),
        _branches(tree, np.flatnonzero(drawn & alive), theme.target, 1.4),
        scatter(
            "markers",
            tree.levels[ended],
            tree.heights[ended],
            marker={"size": 5, "color": theme.target},
            hoverinfo="skip",
        ),
        _targets(tree.n_levels, bottom / 2, theme),
    ]
    layout = base_layout(
        theme,
        height=_HEIGHT,
        xaxis={
            **BARE,
            "range": [-0.5, tree.n_levels + 0.5],
            "tickvals": list(range(1, tree.n_levels + 1)),
            "tickfont": {"size": 10, "color": theme.muted},
        },
        yaxis={"visible": False, "range": [bottom + 1, -1], "fixedrange": True},
        hovermode="x",
        hoverdistance=-1,
    )
    layout["margin"] = {"l": 8, "r": 8, "t": 2, "b": 20}
    look = {"fillcolor": faded(theme.attention, 0.1), "line": {"color": theme.attention, "width": 1}}
    layout["shapes"] = [rectangle(max(first, 1) - 0.5, last + 0.5, 0, 1, yref="paper", **look)]
    return {"data": traces, "layout": layout}


def _branches(tree: Tree, nodes: Int[np.ndarray, " node"], colour: str, width: float) -> dict[str, Any]:
    x = np.full((len(nodes), 3), np.nan, dtype=np.float32)
    y = x.copy()
    x[:, 0], x[:, 1] = tree.levels[nodes] - 1, tree.levels[nodes]
    y[:, 0], y[:, 1] = tree.heights[tree.parents[nodes]], tree.heights[nodes]
    return scatter("lines", x.ravel(), y.ravel(), line={"color": colour, "width": width}, hoverinfo="skip")


def _targets(n_levels: int, middle: float, theme: Theme) -> dict[str, Any]:
    """One invisible mark for each step."""
    return scatter(
        "markers",
        np.arange(1, n_levels + 1),
        np.full(n_levels, middle),
        marker={"symbol": "square", "size": 34, "opacity": 0, "color": theme.text},
        customdata=[["level", level] for level in range(1, n_levels + 1)],
        hovertemplate=_("step %{x}") + "<extra></extra>",
    )
