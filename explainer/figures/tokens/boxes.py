"""A sentence as its tokens: one box each, the piece above its id."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import BARE, CLEAR, rectangle, scatter, token_names
from explainer.figures.escape import token_label
from explainer.figures.style import Role, Theme, base_layout, faded
from explainer.language import _, mark
from explainer.text.spelling import kind_of


@dataclass(frozen=True, eq=False)
class BoxLines:
    """A box for each token, in reading order, as many in a line as there is room for.

    `x` is the place in its line, `y` its line, from 0. A full line has `per_line` boxes; there is `room` for no fewer.
    Sizes are in pixels.
    """

    x: Float[np.ndarray, " token"]
    y: Float[np.ndarray, " token"]
    per_line: int
    room: int
    wide: int
    high: int

    @classmethod
    def of(cls, pieces: Sequence[str], *, room: int, high: int) -> "BoxLines":
        """Place the tokens, of which the longest sets the width, with `room` pixels in a line."""
        longest = max((len(token_label(piece)) for piece in pieces), default=1)
        wide = max(60, min(150, 9 * longest + 14))
        per_line = max(1, min(len(pieces), room // wide))
        y, x = (grid.astype(np.float32) for grid in divmod(np.arange(len(pieces)), per_line))
        return cls(x, y, per_line, max(per_line, room // wide), wide, high)

    @property
    def n_lines(self) -> int:
        """How many lines there are."""
        return -(-len(self.x) // self.per_line)

    def layout(self, theme: Theme, frames: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The layout of a figure of the boxes."""
        layout = base_layout(theme, height=self.n_lines * self.high + 8, hovermode="closest")
        layout["margin"] = {"l": 2, "r": 2, "t": 4, "b": 4}
        layout["xaxis"] = {**BARE, "visible": False, "range": [-0.5, self.room - 0.5]}
        layout["yaxis"] = {**BARE, "visible": False, "range": [self.n_lines - 0.5, -0.5]}
        layout["shapes"] = list(frames)
        return layout

    def frame(self, i: int, fill: str, line: dict[str, Any]) -> dict[str, Any]:
        """The box of token `i` as a shape."""
        x, y = float(self.x[i]), float(self.y[i])
        look = {"fillcolor": fill, "line": line, "layer": "below"}
        return rectangle(x - 0.46, x + 0.46, y - 0.45, y + 0.45, **look)

    def traces(
        self,
        names: Sequence[str],
        below: Sequence[str],
        theme: Theme,
        *,
        inks: Sequence[str],
        parts: Sequence[tuple[str, int]],
        hover: Sequence[str],
    ) -> list[dict[str, Any]]:
        """The names in their inks, something smaller below each, and the part and number that a click carries."""
        look = {"text": [*names], "textfont": {"size": 15, "color": [*inks]}, "hoverinfo": "skip"}
        small = {"text": [*below], "textfont": {"size": 11, "color": theme.muted}, "hoverinfo": "skip"}
        targets = scatter(
            "markers",
            self.x,
            self.y,
            marker={"size": min(self.wide, self.high) - 4, "symbol": "square", "color": CLEAR},
            customdata=[list(part) for part in parts],
            hovertemplate=[f"{told}<extra></extra>" for told in hover],
        )
        above, under = self.y - 0.12, self.y + 0.24
        return [scatter("text", self.x, above, **look), scatter("text", self.x, under, **small), targets]


ROOM = 520  # pixels in a line of boxes
_HEIGHT = 56  # pixels of a box
_DASHES = {
    mark("special"): "dash",
    mark("byte"): "dot",
    mark("word start"): "solid",
    mark("continuation"): "solid",
}


def token_boxes(
    pieces: Sequence[str],
    ids: Sequence[int],
    theme: Theme,
    *,
    role: Role,
    selected: int | None = None,
    replaced: Sequence[int] = (),
) -> dict[str, Any]:
    """Boxes in reading order, as many in a line as there is room for, in the colour of their language.

    A box with a dashed frame is a special token, one with a dotted frame a byte; a filled one starts a word. Tokens
    that a change has put there, `replaced`, are written in the colour of gates.
    """
    boxes = _placed(pieces)
    names = token_names(pieces)
    kinds = [kind_of(piece) for piece in pieces]
    traces = boxes.traces(
        names,
        [*map(str, ids)],
        theme,
        inks=[theme.gate if i in replaced else theme.text for i in range(len(pieces))],
        parts=[("token", i) for i in range(len(pieces))],
        hover=[
            _("{name}: token {token}, {kind}").format(name=name, token=token, kind=_(kind))
            for name, token, kind in zip(names, ids, kinds, strict=True)
        ],
    )
    looks = [_look(kind, getattr(theme, role), theme, chosen=i == selected) for i, kind in enumerate(kinds)]
    layout = boxes.layout(theme, [boxes.frame(i, *look) for i, look in enumerate(looks)])
    point = None if selected is None else {"x": float(boxes.x[selected]), "y": float(boxes.y[selected])}
    layout["meta"] = {
        "width": boxes.room * boxes.wide,
        "grid": {"rows": boxes.n_lines, "columns": boxes.per_line, "selected": point},
    }
    return {"data": traces, "layout": layout}


def place_in_boxes(pieces: Sequence[str], x: float, y: float) -> int | None:
    """Which token stands at a picked point of `token_boxes`; None in the empty rest of the last line."""
    place = round(y) * _placed(pieces).per_line + round(x)
    return place if 0 <= place < len(pieces) else None


def _placed(pieces: Sequence[str]) -> BoxLines:
    return BoxLines.of(pieces, room=ROOM, high=_HEIGHT)


def _look(kind: str, colour: str, theme: Theme, *, chosen: bool) -> tuple[str, dict[str, Any]]:
    """Fill and frame of a box."""
    fill = {"word start": faded(colour, 0.16), "special": theme.surface}.get(kind, CLEAR)
    frame = theme.text if chosen else faded(colour, 0.6)
    return fill, {"width": 3 if chosen else 1, "color": frame, "dash": _DASHES[kind]}
