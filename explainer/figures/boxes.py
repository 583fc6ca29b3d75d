"""A sentence as its tokens: one box each, the piece above its id."""

from collections.abc import Sequence
from typing import Any

from explainer.figures.box_lines import BoxLines
from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Role, Theme, faded
from explainer.text.spelling import kind_of

ROOM = 520  # pixels in a line of boxes
_HEIGHT = 56  # pixels of a box
_DASHES = {"special": "dash", "byte": "dot", "word start": "solid", "continuation": "solid"}


def token_boxes(
    pieces: Sequence[str],
    ids: Sequence[int],
    theme: Theme,
    *,
    role: Role,
    selected: int | None = None,
    replaced: Sequence[int] = (),
) -> dict[str, Any]:
    """Boxes in reading order, as many in a line as there is room for.

    A box with a dashed frame is a special token, one with a dotted frame a byte; a filled one starts a word.

    Args:
        pieces: The tokens.
        ids: Their places in the vocabulary.
        theme: Colours.
        role: Whose colour the boxes have: that of their language.
        selected: The framed token.
        replaced: Tokens that a change has put there; they are written in the colour of gates.
    """
    boxes = _placed(pieces)
    names = [for_plotly(token_label(piece)) for piece in pieces]
    kinds = [kind_of(piece) for piece in pieces]
    traces = boxes.traces(
        names,
        [*map(str, ids)],
        theme,
        inks=[theme.gate if i in replaced else theme.text for i in range(len(pieces))],
        parts=[("token", i) for i in range(len(pieces))],
        hover=[f"{name}: token {token}, {kind}" for name, token, kind in zip(names, ids, kinds, strict=True)],
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
    fill = {"word start": faded(colour, 0.16), "special": theme.surface}.get(kind, "rgba(0,0,0,0)")
    frame = theme.text if chosen else faded(colour, 0.6)
    return fill, {"width": 3 if chosen else 1, "color": frame, "dash": _DASHES[kind]}
