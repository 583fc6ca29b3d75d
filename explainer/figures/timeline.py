"""The tokens of a decoding in reading order: what was read, what is being said, what is still to come."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Theme, base_layout, faded, probability

ROOM = 1100  # pixels in a line of boxes
_HEIGHT = 50  # pixels of a box


def timeline(
    pieces: Sequence[str], probabilities: Sequence[float], theme: Theme, *, step: int
) -> dict[str, Any]:
    """A box for `<s>` and for each token that is said; the figure keeps its size while one steps.

    Tokens up to the step's input are filled, the newest of them is framed; the one that is said now has a dashed
    frame and a ✓; those still to come are empty. A click on a box carries `["step", step that says it]`.

    Args:
        pieces: `<s>` and the tokens, as the vocabulary spells them.
        probabilities: Of each token but the first, when it was said.
        theme: Colours.
        step: Which step is shown, from 0: it reads piece `step` and says the next one.
    """
    wide = max(60, min(150, 9 * max(len(token_label(piece)) for piece in pieces) + 14))
    per_line = max(1, min(len(pieces), ROOM // wide))
    n_lines = -(-len(pieces) // per_line)
    y, x = (grid.astype(np.float32) for grid in divmod(np.arange(len(pieces)), per_line))
    seen = range(step + 2)
    names = [for_plotly(token_label(piece)) if i in seen else "·" for i, piece in enumerate(pieces)]
    names[step + 1] = f"<b>{names[step + 1]}</b> ✓"
    below = ["start", *(probability(p) for p in probabilities)]
    targets = {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "marker": {"size": min(wide, _HEIGHT) - 4, "symbol": "square", "color": "rgba(0,0,0,0)"},
        "customdata": [["step", max(0, i - 1)] for i in range(len(pieces))],
        "hovertemplate": [f"step {max(1, i)}<extra></extra>" for i in range(len(pieces))],
    }
    layout = base_layout(theme, height=n_lines * _HEIGHT + 8, hovermode="closest")
    layout["margin"] = {"l": 2, "r": 2, "t": 4, "b": 4}
    layout["xaxis"] = {**_AXIS, "range": [-0.5, max(per_line, ROOM // wide) - 0.5]}
    layout["yaxis"] = {**_AXIS, "range": [n_lines - 0.5, -0.5]}
    layout["shapes"] = [_box(float(x[i]), float(y[i]), i - step, theme) for i in range(len(pieces))]
    layout["meta"] = {"width": per_line * wide + 4}
    text = {"type": "scatter", "mode": "text", "x": x, "hoverinfo": "skip"}
    small = [one if i in seen else "" for i, one in enumerate(below)]
    written = [
        {**text, "y": y - 0.12, "text": names, "textfont": {"size": 15, "color": theme.text}},
        {**text, "y": y + 0.24, "text": small, "textfont": {"size": 11, "color": theme.muted}},
    ]
    return {"data": [*written, targets], "layout": layout}


_AXIS = {"visible": False, "fixedrange": True, "showgrid": False, "zeroline": False}


def _box(x: float, y: float, ahead: int, theme: Theme) -> dict[str, Any]:
    """The frame of one box; `ahead` counts from the newest token that was read: 1 is said now, 2 and more later."""
    fill = faded(theme.target, 0.30 if ahead == 0 else 0.13) if ahead <= 0 else "rgba(0,0,0,0)"
    dash = "dash" if ahead == 1 else "dot" if ahead > 1 else "solid"
    line = {
        "width": 3 if ahead in (0, 1) else 1,
        "color": theme.target if ahead <= 1 else theme.line,
        "dash": dash,
    }
    where = {"x0": x - 0.46, "x1": x + 0.46, "y0": y - 0.45, "y1": y + 0.45}
    return {"type": "rect", **where, "fillcolor": fill, "line": line, "layer": "below"}
