"""A sentence as its tokens: one box each, the piece above its id."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Role, Theme, base_layout, faded
from explainer.text.spelling import kind_of

ROOM = 520  # pixels in a line of boxes
_HEIGHT = 56  # pixels of a box


def token_boxes(
    pieces: Sequence[str],
    ids: Sequence[int],
    theme: Theme,
    *,
    role: Role,
    selected: int | None = None,
    replaced: Sequence[int] = (),
) -> dict[str, Any]:
    """Boxes in reading order, as many in a line as there is room for.

    A box with a dashed frame is a special token, one with a dotted frame a byte; a filled one starts a word.

    Args:
        pieces: The tokens.
        ids: Their places in the vocabulary.
        theme: Colours.
        role: Whose colour the boxes have: that of their language.
        selected: The framed token.
        replaced: Tokens that a change has put there; they are written in the colour of gates.
    """
    wide = _width(pieces)
    per_line = max(1, min(len(pieces), ROOM // wide))
    n_lines = -(-len(pieces) // per_line)
    y, x = (grid.astype(np.float32) for grid in divmod(np.arange(len(pieces)), per_line))
    names = [for_plotly("␣" if piece == " " else token_label(piece)) for piece in pieces]
    kinds = [kind_of(piece) for piece in pieces]
    inks = [theme.gate if i in replaced else theme.text for i in range(len(pieces))]
    text = {"type": "scatter", "mode": "text", "x": x, "hoverinfo": "skip"}
    targets = {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "marker": {"size": min(wide, _HEIGHT) - 4, "symbol": "square", "color": "rgba(0,0,0,0)"},
        "customdata": [["token", i] for i in range(len(pieces))],
        "hovertemplate": [
            f"{name}: token {token}, {kind}<extra></extra>"
            for name, token, kind in zip(names, ids, kinds, strict=True)
        ],
    }
    layout = base_layout(theme, height=n_lines * _HEIGHT + 8, hovermode="closest")
    layout["margin"] = {"l": 2, "r": 2, "t": 4, "b": 4}
    layout["xaxis"] = {**_AXIS, "range": [-0.5, max(per_line, ROOM // wide) - 0.5]}
    layout["yaxis"] = {**_AXIS, "range": [n_lines - 0.5, -0.5]}
    layout["shapes"] = [
        _box(float(x[i]), float(y[i]), kind, getattr(theme, role), theme, chosen=i == selected)
        for i, kind in enumerate(kinds)
    ]
    point = None if selected is None else {"x": float(x[selected]), "y": float(y[selected])}
    layout["meta"] = {
        "width": max(per_line, ROOM // wide) * wide,
        "grid": {"rows": n_lines, "columns": per_line, "selected": point},
    }
    written = [
        {**text, "y": y - 0.12, "text": names, "textfont": {"size": 15, "color": inks}},
        {**text, "y": y + 0.24, "text": [*map(str, ids)], "textfont": {"size": 11, "color": theme.muted}},
    ]
    return {"data": [*written, targets], "layout": layout}


def place_in_boxes(pieces: Sequence[str], x: float, y: float) -> int | None:
    """Which token stands at a picked point of `token_boxes`; None in the empty rest of the last line."""
    per_line = max(1, min(len(pieces), ROOM // _width(pieces)))
    place = round(y) * per_line + round(x)
    return place if 0 <= place < len(pieces) else None


def _width(pieces: Sequence[str]) -> int:
    longest = max((len(token_label(piece)) for piece in pieces), default=1)
    return max(58, min(150, 9 * longest + 14))


_AXIS = {"visible": False, "fixedrange": True, "showgrid": False, "zeroline": False}
_DASHES = {"special": "dash", "byte": "dot", "word start": "solid", "continuation": "solid"}


def _box(x: float, y: float, kind: str, colour: str, theme: Theme, *, chosen: bool) -> dict[str, Any]:
    fill = {"word start": faded(colour, 0.16), "special": theme.surface}.get(kind, "rgba(0,0,0,0)")
    line = {
        "width": 3 if chosen else 1,
        "color": theme.text if chosen else faded(colour, 0.6),
        "dash": _DASHES[kind],
    }
    box = {"x0": x - 0.46, "x1": x + 0.46, "y0": y - 0.45, "y1": y + 0.45}
    return {"type": "rect", **box, "fillcolor": fill, "line": line, "layer": "below"}
