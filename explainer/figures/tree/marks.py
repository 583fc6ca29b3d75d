"""How the parts of a search tree look: sizes, cards, branches."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from explainer.figures.drawing import CLEAR, scatter
from explainer.figures.style import Theme, blend
from explainer.figures.tree.nodes import Tree, Viewport

_FINE, _COARSE = (10, 4), (3, 1)  # points of the steep part of a branch, and of a corner: in large trees few
_STEEP = 0.5  # the share of the gap in which a branch changes its height; the rest is flat, for its numbers
_WIDTHS = ((0.5, 3.2), (0.1, 2.0), (0.0, 1.1))  # from this p on a branch is so many pixels wide


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Sizes: `row` and `column` in pixels; half a card's width and height in columns and rows.

    Attributes:
        most_letters: How much of a token is written.
        roomy: Whether a card has two lines.
        fineness: Points of the steep part of a branch, and of a corner.
        margin: How far the picture goes on to the left and right of the outer columns.
    """

    row: int
    column: int
    half_width: float
    half_height: float
    most_letters: int
    roomy: bool
    numbers: bool
    fineness: tuple[int, int] = _FINE
    margin: float = 0.42

    @classmethod
    def of(cls, *, n_rows: int, n_columns: int) -> "Marks":
        """What fits: fewer rows and columns leave more room for each card."""
        row = 44 if n_rows <= 9 else 38 if n_rows <= 13 else 26
        roomy = row >= 38
        if n_columns <= 7:
            size = (160, 0.30, 11) if roomy else (160, 0.345, 9)
        elif n_columns <= 12:
            size = (112, 0.33, 8) if roomy else (112, 0.36, 6)
        else:
            size = (76, 0.36, 7)
        column, half_width, letters = size
        return cls(
            row=row,
            column=column,
            half_width=half_width,
            half_height=0.40,
            most_letters=letters,
            roomy=roomy,
            numbers=n_columns <= 12,
            fineness=_FINE if n_columns <= 12 else _COARSE,
        )


@dataclass(frozen=True)
class CardStyle:
    """Colours of a card."""

    fill: str
    border: str
    dash: str
    text: str


def style_of(fate: str, alive: bool, theme: Theme) -> CardStyle:
    """Rose: runs on; solid: finished; dashed: cut; dark: forced; without a frame: led nowhere; dotted: pruned."""
    if fate == "finished":
        return CardStyle(theme.target, theme.target, "solid", theme.background)
    if fate == "cut":
        return CardStyle(blend(theme.target, theme.background, 0.85), theme.target, "dash", theme.text)
    if fate == "forced":
        return CardStyle(theme.text, theme.text, "solid", theme.background)
    if fate in ("pruned", "greedy"):
        return CardStyle(CLEAR, theme.line, "dot" if fate == "pruned" else "dash", theme.muted)
    if not alive:
        return CardStyle(theme.surface, theme.line, "solid", theme.muted)
    return CardStyle(blend(theme.target, theme.background, 0.85), theme.target, "solid", theme.text)


def cards(
    tree: Tree,
    places: Int[np.ndarray, " shown"],
    alive: Bool[np.ndarray, " node"],
    shown: Viewport,
    theme: Theme,
    marks: Marks,
) -> list[dict[str, Any]]:
    """One trace for all cards of one style, and a frame around the selected one."""
    groups: dict[CardStyle, list[int]] = {}
    for node in places:
        groups.setdefault(style_of(tree.fates[int(node)], bool(alive[node]), theme), []).append(int(node))
    traces = []
    for style, nodes in groups.items():
        x, y = _rectangles(tree.levels[nodes], tree.heights[nodes], marks)
        trace = _lines(x, y, {"color": style.border, "width": 1.2, "dash": style.dash})
        traces.append(trace | {"fill": "toself", "fillcolor": style.fill})
    if shown.selected is not None and shown.selected in places:
        x, y = _rectangles(tree.levels[[shown.selected]], tree.heights[[shown.selected]], marks)
        traces.append(_lines(x, y, {"color": theme.text, "width": 2.6}) | {"name": "selected"})
    return traces


def branches(
    tree: Tree,
    edges: Int[np.ndarray, " edge"],
    lit: Bool[np.ndarray, " edge"],
    alive: Bool[np.ndarray, " node"],
    shown: Viewport,
    theme: Theme,
    marks: Marks,
) -> list[dict[str, Any]]:
    """The branches that end at these nodes: the wider, the more probable the token. Stubs lead out of the view.

    The path of the selected node and that of greedy search lie on top.
    """
    edges_lit, others = edges[lit], edges[~lit]
    probs = np.exp(tree.log_ps)
    traces, above = [], 1.01
    for bound, width in _WIDTHS:
        for living, colour in ((False, theme.line), (True, theme.target)):
            chosen = others[(probs[others] >= bound) & (probs[others] < above) & (alive[others] == living)]
            if len(chosen):
                traces.append(_lines(*_curves(tree, chosen, shown, marks), {"color": colour, "width": width}))
        above = bound
    if shown.ghost and tree.greedy:
        on_view = np.isin(list(tree.greedy), edges)
        ghosts = np.array(tree.greedy)[on_view]
        line = {"color": theme.muted, "width": 2, "dash": "dash"}
        traces.append(_lines(*_curves(tree, ghosts, shown, marks), line) | {"name": "greedy"})
    if len(edges_lit):
        line = {"color": theme.text, "width": 2.6}
        traces.append(_lines(*_curves(tree, edges_lit, shown, marks), line) | {"name": "path"})
    return traces


def curve(start: float, end: float, n_steep: int) -> Float[np.ndarray, " point"]:
    """Heights along a branch: from one to the other, then flat. The share is the same for all, so none can cross."""
    t = np.append(np.linspace(0, 1, n_steep), 1)
    return start + (end - start) * (3 * t**2 - 2 * t**3)


def _curves(
    tree: Tree, edges: Int[np.ndarray, " edge"], shown: Viewport, marks: Marks
) -> tuple[Float[np.ndarray, " point"], Float[np.ndarray, " point"]]:
    """All these branches as one line with gaps."""
    n_steep = marks.fineness[0]
    shown_before = tree.levels[edges] >= shown.first
    whole = edges[shown_before]
    along = np.append(np.linspace(0, _STEEP, n_steep), 1)
    rise = curve(0.0, 1.0, n_steep)
    gap = np.full((len(whole), 1), np.nan)
    x = tree.levels[whole][:, None] - 1 + marks.half_width + along * (1 - 2 * marks.half_width)
    start = tree.heights[tree.parents[whole]][:, None]
    y = start + (tree.heights[whole][:, None] - start) * rise
    xs, ys = [np.hstack([x, gap]).ravel()], [np.hstack([y, gap]).ravel()]
    for node in edges[~shown_before]:  # their parents are out of view
        level, height = int(tree.levels[node]), float(tree.heights[node])
        xs.append(np.array([level - marks.margin, level - marks.half_width, np.nan]))
        ys.append(np.array([height, height, np.nan]))
    return _joined(xs), _joined(ys)


def _rectangles(
    levels: Int[np.ndarray, " node"], heights: Float[np.ndarray, " node"], marks: Marks
) -> tuple[Float[np.ndarray, " point"], Float[np.ndarray, " point"]]:
    """Rounded frames, one after the other."""
    n_corner = marks.fineness[1]
    turn = np.linspace(0, np.pi / 2, n_corner)
    radius = 6 if n_corner > 1 else 0  # one point is a corner that is not round
    radius_x, radius_y = radius / marks.column, radius / marks.row
    angles = np.concatenate([turn + quarter * np.pi / 2 for quarter in range(4)])
    inner_x = np.repeat([1, -1, -1, 1], n_corner) * (marks.half_width - radius_x)
    inner_y = np.repeat([1, 1, -1, -1], n_corner) * (marks.half_height - radius_y)
    x = np.append(inner_x + radius_x * np.cos(angles), np.nan)
    y = np.append(inner_y + radius_y * np.sin(angles), np.nan)
    x, y = np.insert(x, -1, x[0]), np.insert(y, -1, y[0])  # closed
    shape = (levels[:, None] + x, heights[:, None] + y)
    return shape[0].ravel().astype(np.float32), shape[1].ravel().astype(np.float32)


def _joined(parts: list[Any]) -> Float[np.ndarray, " point"]:
    return np.concatenate(parts).astype(np.float32) if parts else np.zeros(0, np.float32)


def _lines(x: np.ndarray, y: np.ndarray, line: dict[str, Any]) -> dict[str, Any]:
    return scatter("lines", x, y, line=line, hoverinfo="skip")
