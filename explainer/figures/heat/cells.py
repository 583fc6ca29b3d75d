"""What all heat maps with one cell per unit share: axes, colour bar, frames, hatched cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool

from explainer.figures.drawing import BARE, CLEAR, axis_title, rectangle
from explainer.figures.escape import for_plotly
from explainer.figures.style import FONT, Theme, inks, number
from explainer.language import _

_LETTER = 6.4  # pixels of a letter at the size of labels, on the average of long words
_HEIGHT = {0: 0.0, -45: 0.71, -60: 0.87, -90: 1.0}  # of a label, by its angle, as a share of its length


def axis(
    names: Sequence[str], theme: Theme, *, title: str = "", every: int = 1, size: int = 13, **more: Any
) -> dict[str, Any]:
    """An axis that names the cells, or every few of them; the names are plain text."""
    return {
        **BARE,
        "tickvals": list(range(0, len(names), every)),
        "ticktext": [for_plotly(name) for name in names[::every]],
        "tickfont": {"size": size, "color": theme.text},
        "title": axis_title(title, theme),
        **more,
    }


def room(names: Sequence[str], *, angle: int | None = None, most: int = 190) -> int:
    """Pixels beside a heat map for its row labels and their title, or above it for column labels at an angle."""
    longest = max(map(len, names), default=1)
    length = _LETTER * longest if angle is None else _LETTER * longest * _HEIGHT[angle] + 14
    return min(most, round(length) + 28)


def colour_bar(ends: Sequence[float], theme: Theme, *, x: float = 1.01, xpad: int = 4) -> dict[str, Any]:
    """A thin bar at the right, `x` plot widths from the left; its labels are the ends and what lies between."""
    return {
        "thickness": 8,
        "outlinewidth": 0,
        "x": x,
        "xpad": xpad,
        "len": 1.0,
        "tickvals": list(ends),
        "ticktext": [number(end, 1 if ends[-1] >= 1 else 2 if ends[-1] >= 0.1 else 3) for end in ends],
        "tickfont": {"size": 11, "color": theme.muted},
    }


def box(x: int, y: int, width: int, height: int, colour: str, line: float) -> dict[str, Any]:
    """A frame around cells, from column `x` and row `y`."""
    look = {"line": {"width": line, "color": colour}, "fillcolor": CLEAR}
    return rectangle(x - 0.5, x + width - 0.5, y - 0.5, y + height - 0.5, **look)


def hatching(masked: Bool[np.ndarray, "row column"], theme: Theme) -> list[dict[str, Any]]:
    """Shapes that hatch the masked cells."""
    if not masked.any():
        return []
    corners = np.argwhere(masked) - 0.5  # [cell, (y, x)]
    cells = "".join(f"M{x},{y}L{x + 1},{y}L{x + 1},{y + 1}L{x},{y + 1}Z" for y, x in corners)
    lines = "".join(f"M{x},{y + 0.5}L{x + 0.5},{y}M{x + 0.5},{y + 1}L{x + 1},{y + 0.5}" for y, x in corners)
    return [
        {"type": "path", "path": cells, "fillcolor": theme.masked, "line": {"width": 0}, "layer": "below"},
        {"type": "path", "path": lines, "line": {"width": 0.8, "color": theme.muted}, "opacity": 0.5},
    ]


def masked_cells(masked: Bool[np.ndarray, "row column"], text: str, theme: Theme) -> dict[str, Any]:
    """A trace that writes `text` into masked cells and tells on hover what they are."""
    return {
        **_in_cells(*np.nonzero(masked)),
        "text": text,
        "textfont": {"size": 11, "color": theme.muted},
        "hovertemplate": _("masked: may not be attended to") + "<extra></extra>",
    }


def _in_cells(rows: np.ndarray, columns: np.ndarray) -> dict[str, Any]:
    return {"type": "scatter", "mode": "text", "x": columns.astype(np.int32), "y": rows.astype(np.int32)}


def cell_texts(texts: Sequence[Sequence[str]], heat: dict[str, Any], size: float) -> dict[str, Any]:
    """A trace that writes into the cells of a heat map, row by row; a heat map's own texts are hard to read on some."""
    rows, columns = np.nonzero(np.array([[text != "" for text in row] for row in texts]))
    low, high = heat["zmin"], heat["zmax"]
    shares = np.clip((heat["z"][rows, columns].astype(np.float64) - low) / (high - low), 0.0, 1.0)
    return {
        **_in_cells(rows, columns),
        "text": [texts[row][column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)],
        "textfont": {"size": size, "family": FONT, "color": inks(heat["colorscale"], shares)},
        "hoverinfo": "skip",  # the heat map below tells, and takes the clicks
    }


def flipped_cells(change: np.ndarray, theme: Theme) -> dict[str, Any]:
    """A trace that marks the cells of a difference that a change opened (∞) or closed (−∞)."""
    rows, columns = np.nonzero(np.isinf(change))
    opened = (change[rows, columns] > 0).tolist()
    return {
        **_in_cells(rows, columns),
        "text": ["∞" if one else "−∞" for one in opened],
        "textfont": {"size": 11, "color": theme.text},
        "hovertext": [_("opened") if one else _("closed") for one in opened],
        "hovertemplate": _("%{hovertext}: masked before or after, not both") + "<extra></extra>",
    }
