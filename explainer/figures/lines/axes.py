"""Axes of horizontal bars and marks: a name for each line, a scale of values below."""

from collections.abc import Sequence
from typing import Any

from explainer.figures.style import Theme


def name_axis(names: Sequence[str], theme: Theme, *, size: int = 13) -> dict[str, Any]:
    """One name for each line, the first on top; names are shown as they are: tokens in them must have been escaped."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "range": [len(names) - 0.5, -0.5],
        "fixedrange": True,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"size": size, "color": theme.text},
    }


def value_axis(theme: Theme, title: str = "", **more: Any) -> dict[str, Any]:
    """A scale with grid lines and a title."""
    return {
        "fixedrange": True,
        "gridcolor": theme.line,
        "zerolinecolor": theme.muted,
        "title": {"text": title, "font": {"size": 12, "color": theme.muted}, "standoff": 4},
        "tickfont": {"size": 11, "color": theme.muted},
        **more,
    }
