"""How to read a figure, after Plotly has checked it."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from explainer.figures.style import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda one: one.name)


def traces_of(drawing: dict[str, Any]) -> Any:
    return go.Figure(drawing).data


def texts(value: Any) -> list[str]:
    """All strings that Plotly would show as text."""
    if isinstance(value, dict):
        return [text for key, part in value.items() for text in texts(part) if key not in ("path", "family")]
    if isinstance(value, list | tuple):
        return [text for part in value for text in texts(part)]
    return [value] if isinstance(value, str) else []


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
