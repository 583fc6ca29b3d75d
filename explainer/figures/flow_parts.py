"""The drawing tools of the flow map: where things stand, and ribbons, bands, chips as SVG paths.

Everything is drawn in one coordinate system: pixels of a picture 1200 wide, y downwards. Paths of one colour are
gathered into one Plotly shape, which keeps the figure small.
"""

from collections.abc import Iterable, Mapping, Sequence
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
    """What is on the paper so far: filled paths below everything, texts, and invisible targets for the pointer."""

    theme: Theme
    shapes: list[dict[str, Any]] = field(default_factory=list)
    traces: list[dict[str, Any]] = field(default_factory=list)
    targets: list[dict[str, Any]] = field(default_factory=list)
    texts: list[tuple[float, float, str, float, str, str]] = field(default_factory=list)

    def fill(self, paths: Iterable[str], colour: str, **more: Any) -> None:
        """One shape of many closed paths; overlaps inside it do not add up."""
        path = "".join(paths)
        if path:
            line = more.pop("line", {"width": 0})
            self.shapes.append(
                {"type": "path", "path": path, "fillcolor": colour, "fillrule": "nonzero", "line": line, **more}
            )

    def stroke(self, paths: Iterable[str], colour: str, width: float = 1, dash: str = "solid") -> None:
        """One shape of many open paths."""
        self.fill(paths, "rgba(0,0,0,0)", line={"width": width, "color": colour, "dash": dash})

    def text(
        self, x: float, y: float, text: str, *, size: float = 12, colour: str = "", at: Anchor = "middle center"
    ) -> None:
        """A text; a token in it must have been escaped."""
        self.texts.append((x, y, text, size, colour or self.theme.text, at))

    def target(
        self,
        points: Sequence[tuple[float, float]],
        details: Sequence[Sequence[Any]],
        hover: str,
        *,
        texts: Sequence[str] | None = None,
        size: float = 16,
    ) -> None:
        """Invisible markers that can be pointed at and clicked: `details` is the customdata of each."""
        where = np.array(points, dtype=np.float32).reshape(-1, 2)
        self.targets.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": where[:, 0],
                "y": where[:, 1],
                "customdata": [list(detail) for detail in details],
                "hovertemplate": hover + "<extra></extra>",
                "marker": {"symbol": "square", "size": size, "opacity": 0},
            }
            | ({"text": list(texts)} if texts is not None else {})
        )

    def figure(self, height: float, **layout: Any) -> dict[str, Any]:
        """The Plotly figure."""
        axis = {"visible": False, "fixedrange": True}
        return {
            "data": [*self.traces, *self._written(), *self.targets],
            "layout": base_layout(
                self.theme,
                height=round(height),
                margin={"l": 0, "r": 0, "t": 0, "b": 0},
                xaxis={**axis, "range": [0, WIDTH]},
                yaxis={**axis, "range": [round(height), 0]},
                shapes=[{"layer": "below", **shape} for shape in self.shapes],
                hovermode="closest",
                hoverdistance=32,
                dragmode=False,
                **layout,
            ),
        }

    def _written(self) -> list[dict[str, Any]]:
        if not self.texts:
            return []
        x, y, text, size, colour, at = (list(column) for column in zip(*self.texts, strict=True))
        return [
            {
                "type": "scatter",
                "mode": "text",
                "x": np.array(x, dtype=np.float32),
                "y": np.array(y, dtype=np.float32),
                "text": text,
                "textposition": at,
                "textfont": {"size": size, "color": colour},
                "hoverinfo": "skip",
                "cliponaxis": False,
            }
        ]


def short(token: str, limit: int) -> str:
    """A token for a chip: visible, escaped, and cut with … if it is longer than `limit` characters."""
    label = token_label(token).strip("\u2009")
    mark = "\u2009" if token.startswith(" ") else ""
    return for_plotly(mark + (label if len(label) <= limit else label[: limit - 1] + "…"))


def num(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def box(x0: float, y0: float, x1: float, y1: float, radius: float = 5) -> str:
    """A rectangle with round corners."""
    r = max(0.0, min(radius, (x1 - x0) / 2, (y1 - y0) / 2))
    if r < 0.5:
        return f"M{num(x0)},{num(y0)}H{num(x1)}V{num(y1)}H{num(x0)}Z"
    left, right, top, bottom = num(x0), num(x1), num(y0), num(y1)
    return (
        f"M{num(x0 + r)},{top}H{num(x1 - r)}Q{right},{top} {right},{num(y0 + r)}V{num(y1 - r)}"
        f"Q{right},{bottom} {num(x1 - r)},{bottom}H{num(x0 + r)}Q{left},{bottom} {left},{num(y1 - r)}"
        f"V{num(y0 + r)}Q{left},{top} {num(x0 + r)},{top}Z"
    )


def ribbon(x0: float, y0: float, x1: float, y1: float, width: float, start: float | None = None) -> str:
    """A smooth ribbon from (x0, y0) to (x1, y1), `width` tall at its end and `start` (or the same) at its start."""
    a, b, middle = (width if start is None else start) / 2, width / 2, num((x0 + x1) / 2)
    left, right = num(x0), num(x1)
    return (
        f"M{left},{num(y0 - a)}C{middle},{num(y0 - a)} {middle},{num(y1 - b)} {right},{num(y1 - b)}V{num(y1 + b)}"
        f"C{middle},{num(y1 + b)} {middle},{num(y0 + a)} {left},{num(y0 + a)}Z"
    )


def band(xs: Sequence[float], y: float, widths: Sequence[float]) -> str:
    """A horizontal band around y whose thickness is `widths` at `xs`."""
    upper = "L".join(f"{num(x)},{num(y - w / 2)}" for x, w in zip(xs, widths, strict=True))
    lower = "L".join(f"{num(x)},{num(y + w / 2)}" for x, w in zip(reversed(xs), reversed(widths), strict=True))
    return f"M{upper}L{lower}Z"


def waterfall(x0: float, y0: float, left: float, right: float, y1: float, radius: float) -> str:
    """A ribbon that starts as a point at (x0, y0), runs right, bends, and falls between `left` and `right` to y1."""
    half = (right - left) / 2
    r = max(1.0, min(radius, left - x0 - 2, y1 - y0 - half - 1))
    top, bottom, bend = num(y0 - half), num(y0 + half), min(x0 + 16, left - r)
    return (
        f"M{num(x0)},{num(y0)}C{num(x0 + 8)},{num(y0)} {num(bend - 8)},{top} {num(bend)},{top}H{num(left - r)}"
        f"Q{num(right)},{top} {num(right)},{num(y0 + half + r)}V{num(y1)}H{num(left)}V{num(y0 + half + r)}"
        f"Q{num(left)},{bottom} {num(left - r)},{bottom}H{num(bend)}"
        f"C{num(bend - 8)},{bottom} {num(x0 + 8)},{num(y0)} {num(x0)},{num(y0)}Z"
    )


def threshold_for(weights: Iterable[Float[np.ndarray, "..."]], budget: int) -> float:
    """The least of a few round thresholds at which at most `budget` weights are drawn."""
    flat = np.concatenate([each.ravel() for each in weights])
    for threshold in (0.05, 0.1, 0.15, 0.2, 0.3, 0.4):
        if np.count_nonzero(flat >= threshold) <= budget:
            return threshold
    return 0.5


CLASSES = (0.15, 0.35, 0.65)  # weights are drawn in four opacities; their width is exact


def attention_ribbons(
    weights: Float[np.ndarray, "query key"],
    queries: Mapping[int, float],
    keys: Sequence[float],
    x: tuple[float, float],
    unit: float,
    threshold: float,
) -> list[list[str]]:
    """Ribbons from each key's row to the query's, by opacity class; weight 1 is `unit` wide.

    Those that arrive at one query are stacked in the order of the keys: the full row would be weight 1.
    """
    found: list[list[str]] = [[] for _ in range(len(CLASSES) + 1)]
    for query, y in queries.items():
        row = weights[query]
        top = y - unit * float(row.sum()) / 2
        ends = top + unit * (np.cumsum(row) - row / 2)
        for key in np.flatnonzero(row >= threshold):
            weight = float(row[key])
            path = ribbon(x[0], keys[key], x[1], float(ends[key]), unit * weight)
            found[int(np.searchsorted(CLASSES, weight, side="right"))].append(path)
    return found
