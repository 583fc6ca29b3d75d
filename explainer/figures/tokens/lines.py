"""Attention as lines between two columns of tokens: the wider and darker a line, the larger the weight."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import note, scatter, token_names
from explainer.figures.style import Theme, base_layout, faded, probability
from explainer.language import _

_ROW = 30  # pixels between tokens
DRAWN, FAINT = 0.02, 0.25  # weights below are not drawn: of the selected query, of the others


def attention_lines(
    weights: Float[np.ndarray, "query key"],
    queries: Sequence[str],
    keys: Sequence[str],
    theme: Theme,
    *,
    selected: int,
) -> dict[str, Any]:
    """Lines from the selected query (right) to the keys (left) that have at least 0.02 of its attention.

    Behind them, faint, the other queries' lines from 0.25 up. In a decoder a query is named by the token it predicts.
    """
    height = max(len(queries), len(keys))
    left, right = _levels(len(keys), height), _levels(len(queries), height)
    traces = [_faint(weights, left, right, theme, selected)]
    for key in np.flatnonzero(weights[selected] >= DRAWN):
        weight = float(weights[selected, key])
        traces.append(_curve(float(left[key]), float(right[selected]), weight, theme))
    traces.append(_tokens(keys, left, 0.0, "middle left", theme.source, theme, weights[selected], "key"))
    traces.append(_tokens(queries, right, 1.0, "middle right", theme.target, theme, None, "query", selected))
    layout = base_layout(
        theme,
        height=_ROW * height + 56,
        xaxis={"visible": False, "range": [-0.75, 1.75], "fixedrange": True},
        yaxis={"visible": False, "range": [height - 0.3, -1.1], "fixedrange": True},
        hovermode="closest",
    )
    layout["annotations"] = [
        note(_("English"), 0.0, -0.8, 12, theme.source, xanchor="right"),
        note(_("German"), 1.0, -0.8, 12, theme.target, xanchor="left"),
    ]
    return {"data": traces, "layout": layout}


def _levels(count: int, height: int) -> np.ndarray:
    return np.arange(count, dtype=np.float32) + (height - count) / 2


def _bezier(start: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    t = np.linspace(0, 1, 20, dtype=np.float32)
    return t, start + (end - start) * (3 * t**2 - 2 * t**3)


def _curve(key_level: float, query_level: float, weight: float, theme: Theme) -> dict[str, Any]:
    x, y = _bezier(key_level, query_level)
    line = {"width": 1 + 9 * weight, "color": faded(theme.attention, 0.25 + 0.75 * weight)}
    return scatter("lines", x, y, line=line, hoverinfo="skip")


def _faint(
    weights: np.ndarray, left: np.ndarray, right: np.ndarray, theme: Theme, selected: int
) -> dict[str, Any]:
    xs: list[float] = []
    ys: list[float] = []
    for query, key in np.argwhere(weights >= FAINT):
        if query != selected:
            x, y = _bezier(float(left[key]), float(right[query]))
            xs += [*x.tolist(), np.nan]
            ys += [*y.tolist(), np.nan]
    line = {"width": 1.5, "color": faded(theme.attention, 0.16)}
    return scatter("lines", xs, ys, line=line, hoverinfo="skip")


def _tokens(
    pieces: Sequence[str],
    levels: np.ndarray,
    x: float,
    position: str,
    colour: str,
    theme: Theme,
    weights: np.ndarray | None,
    role: str,
    selected: int | None = None,
) -> dict[str, Any]:
    texts = token_names(pieces, bold=selected)
    if weights is not None:
        texts = [
            f"<b>{name}</b>  {probability(float(w))}" if w >= DRAWN else name
            for name, w in zip(texts, weights, strict=True)
        ]
    sizes = [11 if i == selected else 7 for i in range(len(pieces))]
    return scatter(
        "markers+text",
        np.full(len(pieces), x),
        levels,
        text=texts,
        textposition=position,
        textfont={"size": 15, "color": theme.text},
        marker={"size": sizes, "color": colour},
        customdata=[[role, i] for i in range(len(pieces))],
        hovertemplate="%{text}<extra></extra>",
    )
