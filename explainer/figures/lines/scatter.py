"""The embedding map: many faint dots, some marked and named, every dot to be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import axis_title, token_names
from explainer.figures.style import Role, Theme, base_layout, faded, number
from explainer.language import _

_WIDTH, _HEIGHT = 540, 460  # pixels: the room that labels share
_SIDES = (
    ("top center", 0.0, -14.0),
    ("bottom center", 0.0, 14.0),
    ("middle right", 1.0, 0.0),
    ("middle left", -1.0, 0.0),
)


@dataclass(frozen=True)
class Dots:
    """Tokens in the plane: what a click carries, how they are written (escaped for Plotly), where they are."""

    ids: Sequence[int]
    names: Sequence[str]
    at: Float[np.ndarray, "dot 2"]

    @classmethod
    def of(cls, ids: Sequence[int], pieces: Sequence[str], at: Float[np.ndarray, "dot 2"]) -> "Dots":
        """Dots for vocabulary entries."""
        return cls(ids, token_names(pieces), at)


def embedding_map(
    faint: Dots, marked: Dots, roles: Sequence[Role], theme: Theme, *, chosen: int, shares: Sequence[float]
) -> dict[str, Any]:
    """Both axes have the same scale. Marked dots have names beside them, the others tell theirs on hover.

    Marked dots have the colours of `roles`; that of the token `chosen` is ringed. The axes' titles tell the `shares` of
    the variance along them.
    """
    background = {
        "type": "scatter",
        "mode": "markers",
        **_points(faint),
        "marker": {"size": 4, "color": faded(theme.muted, 0.45)},
    }
    is_chosen = [token == chosen for token in marked.ids]
    foreground = {
        "type": "scatter",
        "mode": "markers+text",
        **_points(marked),
        "text": [
            f"<b>{name}</b>" if here else name for name, here in zip(marked.names, is_chosen, strict=True)
        ],
        "textposition": _label_sides(faint, marked),
        "textfont": {"size": 13, "color": theme.text},
        "marker": {
            "size": [13 if here else 8 for here in is_chosen],
            "color": [getattr(theme, role) for role in roles],
            "line": {"width": [2.5 if here else 0 for here in is_chosen], "color": theme.text},
        },
    }
    layout = base_layout(theme, height=_HEIGHT + 40, hovermode="closest")
    layout["margin"] = {"l": 28, "r": 8, "t": 8, "b": 32}
    titles = (
        _("first principal axis, {share} % of the variance"),
        _("second principal axis, {share} % of the variance"),
    )
    for axis, share, title in zip(("xaxis", "yaxis"), shares, titles, strict=True):
        text = title.format(share=number(100 * share, 1))
        layout[axis] = {
            "showticklabels": False,
            "ticks": "",
            "gridcolor": theme.line,
            "zeroline": False,
            "fixedrange": True,
            "nticks": 5,
            "title": axis_title(text, theme),
        }
    layout["yaxis"]["scaleanchor"] = "x"
    return {"data": [background, foreground], "layout": layout}


def _points(dots: Dots) -> dict[str, Any]:
    return {
        "x": dots.at[:, 0].astype(np.float32),
        "y": dots.at[:, 1].astype(np.float32),
        "customdata": np.array(dots.ids, dtype=np.int32),
        "hovertext": list(dots.names),
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _label_sides(faint: Dots, marked: Dots) -> list[str]:
    """For each marked dot the side on which its name overlaps least with the names placed before and other dots."""
    if not len(marked.ids):
        return []
    everything = np.concatenate([faint.at, marked.at])
    extent = np.ptp(everything, axis=0)
    scale = max(extent[0] / _WIDTH, extent[1] / _HEIGHT) or 1.0
    pixels = marked.at * (1, -1) / scale
    placed: list[tuple[float, float, float]] = [(float(x), float(y), 6.0) for x, y in pixels]
    sides = []
    for (x, y), name in zip(pixels, marked.names, strict=True):
        half = 3.8 * len(name) + 2
        options = [(side, x + dx * (half + 8), y + dy) for side, dx, dy in _SIDES]
        side, cx, cy = min(options, key=lambda option: _overlap(option[1], option[2], half, placed))
        placed.append((float(cx), float(cy), half))
        sides.append(side)
    return sides


def _overlap(x: float, y: float, half: float, placed: Sequence[tuple[float, float, float]]) -> float:
    """Area that a name of half width `half` around (x, y) shares with what is placed, in square pixels."""
    boxes = np.array(placed)
    across = np.minimum(x + half, boxes[:, 0] + boxes[:, 2]) - np.maximum(x - half, boxes[:, 0] - boxes[:, 2])
    down = 14 - np.abs(boxes[:, 1] - y)
    return float((np.maximum(across, 0) * np.maximum(down, 0)).sum())
