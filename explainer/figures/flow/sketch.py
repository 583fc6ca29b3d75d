"""The drawing tools of the flow map: paths, chips, texts, targets on a paper 1200 pixels wide, y downwards.

Paths of one colour become one Plotly shape, chips and texts of one style one trace: the figure stays small.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import FONT, Theme, base_layout

WIDTH = 1200
Trace = dict[str, Any]


@dataclass
class Sketch:
    """What is on the paper so far. From below: paths, heat strips, chips, texts, invisible targets."""

    theme: Theme
    shapes: list[dict[str, Any]] = field(default_factory=list)
    strips: list[Trace] = field(default_factory=list)
    chips: dict[tuple[str, float, float], list[tuple[float, float, float]]] = field(default_factory=dict)
    texts: dict[tuple[float, str, str], list[tuple[int, int, str]]] = field(default_factory=dict)
    targets: list[tuple[int, int, list[Any], str]] = field(default_factory=list)

    def fill(self, paths: Iterable[str], colour: str) -> None:
        """Closed paths that do not overlap, as one shape."""
        self._shape(paths, {"fillcolor": colour, "line": {"width": 0}})

    def stroke(self, paths: Iterable[str], colour: str, width: float) -> None:
        """Open paths as one shape."""
        self._shape(
            paths, {"fillcolor": "rgba(0,0,0,0)", "line": {"width": round(width, 2), "color": colour}}
        )

    def _shape(self, paths: Iterable[str], look: dict[str, Any]) -> None:
        path = "".join(paths)
        if path:
            self.shapes.append({"type": "path", "path": path, "layer": "below", **look})

    def chip(
        self, left: float, right: float, y: float, height: float, colour: str, radius: float = 5
    ) -> None:
        """A horizontal bar with round corners whose middle is at y."""
        self.chips.setdefault((colour, height, radius), []).append((left, right, y))

    def text(
        self, x: float, y: float, text: str, *, size: float = 12, colour: str = "", at: str = "middle center"
    ) -> None:
        """A text; tokens in it must have been escaped. `at` as in Plotly: "middle right" starts at x."""
        if text:
            self.texts.setdefault((size, colour or self.theme.text, at), []).append(
                (round(x), round(y), text)
            )

    def target(self, x: float, y: float, part: str, *detail: Any, hover: str) -> None:
        """A place that can be pointed at and clicked: `[part, *detail]` is the customdata of the click."""
        self.targets.append((round(x), round(y), [part, *detail], hover))

    def figure(self, height: float, size: float, **meta: Any) -> dict[str, Any]:
        """The Plotly figure. `size` is that of the targets; the pointer finds the nearest one."""
        axis = {"visible": False, "fixedrange": True}
        traces = [*self.strips, *map(self._chips, self.chips), *map(self._texts, self.texts)]
        return {
            "data": [*traces, self._targets(size)],
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
                hoverlabel={
                    "bgcolor": self.theme.surface,
                    "bordercolor": self.theme.line,
                    "font": {"family": FONT, "size": 13, "color": self.theme.text},
                },
                meta=meta,
            ),
        }

    def _chips(self, style: tuple[str, float, float]) -> Trace:
        colour, height, radius = style
        left, right, y = np.array(self.chips[style]).T
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

    def _texts(self, style: tuple[float, str, str]) -> Trace:
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

    def _targets(self, size: float) -> Trace:
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


def coordinates(values: Any) -> list[int] | np.ndarray:
    """Pixels: a plain list if all are whole, which is shorter in JSON, else float32."""
    found = np.asarray(values, dtype=np.float32)
    whole = found.round()
    return whole.astype(int).tolist() if np.array_equal(whole, found) else found


def name_of(token: str, limit: int | None = None) -> str:
    """A token as text of a figure: visible, escaped, cut with … if longer than `limit` characters."""
    label = token_label(token)
    return for_plotly(label if limit is None or len(label) <= limit else label[: limit - 1] + "…")


def num(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{round(value, 1):g}"


def box(x0: float, y0: float, x1: float, y1: float, radius: float = 0) -> str:
    """A rectangle, with round corners if they have a radius."""
    r = max(0.0, min(radius, (x1 - x0) / 2, (y1 - y0) / 2))
    left, right, top, bottom = num(x0), num(x1), num(y0), num(y1)
    if not r:
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
    """Per row, a horizontal band around it whose thickness is `widths` at `xs`; equal xs make a step."""
    half = widths.T / 2  # [row, station]
    middle = np.asarray(rows)[:, None]
    edges = np.hstack([middle - half, (middle + half)[:, ::-1]]).round(1)
    outline = [num(x) for x in (*xs, *reversed(xs))]
    steps = ("V%g" if x == before else f"L{x},%g" for before, x in pairwise(outline))
    form = f"M{outline[0]},%g{''.join(steps)}Z"
    return [form % tuple(row) for row in edges.tolist()]


def waterfall(
    start: tuple[float, float], fall: tuple[float, float], bend: float, end: tuple[float, float, float]
) -> str:
    """A ribbon that starts as a point, runs right, bends, falls, and bends right again.

    `fall` is its left and right edge while it falls, `bend` the y where it begins to turn right, `end` the x where it
    ends, and its upper and lower edge there.
    """
    (x0, y0), (left, right), (x1, upper, lower) = start, fall, end
    half = (right - left) / 2
    r = max(1.0, min(16.0, left - x0 - 2, bend - y0 - half - 1))
    turn = min(x0 + 16, left - r)
    begin, tip, full = f"{num(x0)},{num(y0)}", num(x0 + 8), num(turn - 8)
    a, b, c, d = (num(y) for y in (y0 - half, y0 + half, y0 + half + r, bend))
    inner, west, east, top, low = num(left - r), num(left), num(right), num(upper), num(lower)
    return (
        f"M{begin}C{tip},{num(y0)} {full},{a} {num(turn)},{a}H{inner}Q{east},{a} {east},{c}V{d}"
        f"C{east},{top} {east},{top} {num(x1)},{top}V{low}C{west},{low} {west},{low} {west},{d}V{c}"
        f"Q{west},{b} {inner},{b}H{num(turn)}C{full},{b} {tip},{num(y0)} {begin}Z"
    )
