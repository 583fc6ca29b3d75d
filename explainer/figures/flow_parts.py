"""The drawing tools of the flow map: where things stand, and ribbons, bands, chips as SVG paths.

Everything is drawn in one coordinate system: pixels of a picture 1200 wide, y downwards. Paths of one colour are
gathered into one Plotly shape, which keeps the figure small.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Theme, base_layout

WIDTH = 1200
Anchor = str  # Plotly's textposition: "middle right" puts the text to the right of the point


@dataclass
class Sketch:
    """What is on the paper so far: filled paths, texts above them, invisible targets for the pointer on top."""

    theme: Theme
    shapes: list[dict[str, Any]] = field(default_factory=list)
    traces: list[dict[str, Any]] = field(default_factory=list)
    bars: dict[tuple[str, float, float], list[tuple[float, float, float]]] = field(default_factory=dict)
    texts: dict[tuple[float, str, Anchor], list[tuple[float, float, str]]] = field(default_factory=dict)
    targets: list[tuple[float, float, list[Any], str]] = field(default_factory=list)

    def fill(self, paths: Iterable[str], colour: str, **more: Any) -> None:
        """One shape of many closed paths; overlaps inside it do not add up."""
        path = "".join(paths)
        if path:
            shape = {"type": "path", "path": path, "fillcolor": colour, "fillrule": "nonzero", "line": {"width": 0}}
            self.shapes.append({**shape, "layer": "below", **more})

    def strokes(self, paths: Iterable[str], colour: str, width: float) -> None:
        """One shape of many open paths."""
        self.fill(paths, "rgba(0,0,0,0)", line={"width": round(width, 2), "color": colour})

    def chip(self, x0: float, x1: float, y: float, height: float, colour: str, radius: float = 5) -> None:
        """A horizontal bar with round corners, its middle at y; drawn above the paths."""
        self.bars.setdefault((colour, height, radius), []).append((x0, x1, y))

    def text(
        self, x: float, y: float, text: str, *, size: float = 12, colour: str = "", at: Anchor = "middle center"
    ) -> None:
        """A text; a token in it must have been escaped."""
        self.texts.setdefault((size, colour or self.theme.text, at), []).append((x, y, text))

    def target(self, x: float, y: float, part: str, *detail: Any, hover: str = "") -> None:
        """A place that can be pointed at and clicked: `[part, *detail]` is the customdata of the click."""
        self.targets.append((x, y, [part, *detail], hover))

    def figure(self, height: float, size: float = 16, **layout: Any) -> dict[str, Any]:
        """The Plotly figure. `size` is that of the targets; the pointer finds the nearest one."""
        axis = {"visible": False, "fixedrange": True}
        return {
            "data": [*self.traces, *map(self._bars, self.bars), *map(self._written, self.texts), self._targets(size)],
            "layout": base_layout(
                self.theme,
                height=round(height),
                margin={"l": 0, "r": 0, "t": 0, "b": 0},
                xaxis={**axis, "range": [0, WIDTH]},
                yaxis={**axis, "range": [round(height), 0]},
                shapes=self.shapes,
                barmode="overlay",
                hovermode="closest",
                hoverdistance=32,
                dragmode=False,
                **layout,
            ),
        }

    def _bars(self, style: tuple[str, float, float]) -> dict[str, Any]:
        colour, height, radius = style
        left, right, y = np.array(self.bars[style]).T
        return {
            "type": "bar",
            "orientation": "h",
            "base": coordinates(left),
            "x": coordinates(right - left),
            "y": coordinates(y),
            "width": height,
            "marker": {"color": colour, "line": {"width": 0}, "cornerradius": radius},
            "hoverinfo": "skip",
        }

    def _written(self, style: tuple[float, str, Anchor]) -> dict[str, Any]:
        size, colour, at = style
        x, y, text = zip(*self.texts[style], strict=True)
        return {
            "type": "scatter",
            "mode": "text",
            "x": coordinates(x),
            "y": coordinates(y),
            "text": list(text),
            "textposition": at,
            "textfont": {"size": size, "color": colour},
            "hoverinfo": "skip",
        }

    def _targets(self, size: float) -> dict[str, Any]:
        x, y, details, hover = zip(*self.targets, strict=True)
        return {
            "type": "scatter",
            "mode": "markers",
            "x": coordinates(x),
            "y": coordinates(y),
            "customdata": list(details),
            "text": list(hover),
            "hovertemplate": "<b>%{customdata[0]}</b><br>%{text}<extra></extra>",
            "marker": {"symbol": "square", "size": size, "opacity": 0},
        }


def coordinates(values: Any) -> np.ndarray:
    """Pixels: whole ones as two bytes each, others as four."""
    found = np.asarray(values, dtype=np.float32)
    whole = found.round()
    return whole.astype(np.int16) if np.array_equal(whole, found) else found


def short(token: str, limit: int) -> str:
    """A token for a chip: visible, escaped, and cut with … if it is longer than `limit` characters."""
    label = token_label(token).strip("\u2009")
    mark = "\u2009" if token.startswith(" ") else ""
    return for_plotly(mark + (label if len(label) <= limit else label[: limit - 1] + "…"))


def num(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{round(value, 1):g}"


def box(x0: float, y0: float, x1: float, y1: float, radius: float = 5) -> str:
    """A rectangle with round corners."""
    r = max(0.0, min(radius, (x1 - x0) / 2, (y1 - y0) / 2))
    left, right, top, bottom = num(x0), num(x1), num(y0), num(y1)
    if r < 0.5:
        return f"M{left},{top}H{right}V{bottom}H{left}Z"
    inner_left, inner_right, upper, lower = num(x0 + r), num(x1 - r), num(y0 + r), num(y1 - r)
    return (
        f"M{inner_left},{top}H{inner_right}Q{right},{top} {right},{upper}V{lower}"
        f"Q{right},{bottom} {inner_right},{bottom}H{inner_left}Q{left},{bottom} {left},{lower}"
        f"V{upper}Q{left},{top} {inner_left},{top}Z"
    )


def ribbon(x0: float, y0: float, x1: float, y1: float, width: float) -> str:
    """A smooth ribbon from (x0, y0) to (x1, y1), `width` tall at both ends."""
    middle, left, right = num((x0 + x1) / 2), num(x0), num(x1)
    a, b, c, d = (num(y) for y in (y0 - width / 2, y1 - width / 2, y1 + width / 2, y0 + width / 2))
    return f"M{left},{a}C{middle},{a} {middle},{b} {right},{b}V{c}C{middle},{c} {middle},{d} {left},{d}Z"


def bands(xs: Sequence[float], rows: Sequence[float], widths: Float[np.ndarray, "station row"]) -> list[str]:
    """Per row, a horizontal band around it whose thickness is `widths` at `xs`."""
    half = widths.T / 2  # [row, station]
    middle = np.asarray(rows)[:, None]
    edges = np.hstack([middle - half, (middle + half)[:, ::-1]]).round(1)
    form = "M" + "L".join(f"{num(x)},%g" for x in (*xs, *reversed(xs))) + "Z"
    return [form % tuple(row) for row in edges.tolist()]


def waterfall(
    start: tuple[float, float], lane: tuple[float, float], bottom: float, end: tuple[float, float, float]
) -> str:
    """A ribbon that starts as a point, runs right, bends, falls between the edges of its lane and bends right again.

    Args:
        start: Where it begins.
        lane: Left and right edge of its fall.
        bottom: Where the second bend begins.
        end: The x where it ends, and the upper and lower edge there.
    """
    (x0, y0), (left, right), (x1, upper, lower) = start, lane, end
    half = (right - left) / 2
    r = max(1.0, min(16.0, left - x0 - 2, bottom - y0 - half - 1))
    bend = min(x0 + 16, left - r)
    a, b, c, d = (num(v) for v in (y0 - half, y0 + half, y0 + half + r, bottom))
    return (
        f"M{num(x0)},{num(y0)}C{num(x0 + 8)},{num(y0)} {num(bend - 8)},{a} {num(bend)},{a}H{num(left - r)}"
        f"Q{num(right)},{a} {num(right)},{c}V{d}C{num(right)},{num(upper)} {num(right)},{num(upper)} {num(x1)},{num(upper)}"
        f"V{num(lower)}C{num(left)},{num(lower)} {num(left)},{num(lower)} {num(left)},{d}V{c}"
        f"Q{num(left)},{b} {num(left - r)},{b}H{num(bend)}"
        f"C{num(bend - 8)},{b} {num(x0 + 8)},{num(y0)} {num(x0)},{num(y0)}Z"
    )


def threshold_for(weights: Iterable[Float[np.ndarray, "..."]], budget: int) -> float:
    """The least of a few round thresholds at which at most `budget` weights are drawn."""
    flat = np.concatenate([each.ravel() for each in weights])
    for threshold in (0.05, 0.1, 0.15, 0.2, 0.3, 0.4):
        if np.count_nonzero(flat >= threshold) <= budget:
            return threshold
    return 0.5


# A ribbon's width is its weight to the nearest of these steps: ribbons of one width share a shape.
LEVELS = np.array([*(0.05 * i for i in range(1, 9)), 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])


def level_of(weights: np.ndarray) -> np.ndarray:
    """The index of the step in LEVELS that is nearest to each weight."""
    return np.searchsorted((LEVELS[1:] + LEVELS[:-1]) / 2, weights)


def attention_ribbons(
    weights: Float[np.ndarray, "query key"],
    rows: Sequence[float],
    x: tuple[float, float],
    unit: float,
    threshold: float,
    queries: Sequence[int],
) -> list[tuple[int, str]]:
    """Centre lines of the ribbons from each key's row to the rows of some queries, each with its step of width.

    Those that arrive at one query are stacked in the order of the keys: the full stack is weight 1, `unit` high.
    """
    if not queries:
        return []
    middle, some = np.asarray(rows), weights[list(queries)]
    ends = middle[list(queries), None] + unit * (np.cumsum(some, axis=1) - some / 2 - some.sum(1, keepdims=True) / 2)
    query, key = np.nonzero(some >= threshold)
    form = f"M{num(x[0])},%gC{num(sum(x) / 2)},%g {num(sum(x) / 2)},%g {num(x[1])},%g"
    steps = level_of(some[query, key]).tolist()
    lines = zip(steps, middle[key].tolist(), ends[query, key].round(1).tolist(), strict=True)
    return [(step, form % (a, a, b, b)) for step, a, b in lines]
