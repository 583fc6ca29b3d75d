"""The tokens of a decoding in reading order: what was read, what is being said, what is still to come."""

from collections.abc import Sequence
from typing import Any

from explainer.figures.drawing import CLEAR, token_names
from explainer.figures.style import Theme, faded, probability
from explainer.figures.tokens.boxes import BoxLines
from explainer.language import _

ROOM = 1100  # pixels in a line of boxes
_HEIGHT = 50  # pixels of a box


def timeline(
    pieces: Sequence[str], probabilities: Sequence[float], theme: Theme, *, step: int
) -> dict[str, Any]:
    """A box for `<s>` and for each token that is said; the figure keeps its size while one steps.

    Step `step` (from 0) reads piece `step` and says the next one. Tokens up to its input are filled, the newest of them
    is framed; the one that is said now has a dashed frame and a ✓; those still to come are empty. A click on a box
    carries `["step", step that says it]`. The probabilities are of each token but the first, when it was said.
    """
    boxes = BoxLines.of(pieces, room=ROOM, high=_HEIGHT)
    seen, everything = range(step + 2), range(len(pieces))
    names = [name if i in seen else "·" for i, name in enumerate(token_names(pieces))]
    names[step + 1] = f"<b>{names[step + 1]}</b> ✓"
    below = [_("start"), *(probability(p) for p in probabilities)]
    traces = boxes.traces(
        names,
        [one if i in seen else "" for i, one in enumerate(below)],
        theme,
        inks=[theme.text] * len(pieces),
        parts=[("step", max(0, i - 1)) for i in everything],
        hover=[_("step {step}").format(step=max(1, i)) for i in everything],
    )
    layout = boxes.layout(theme, [boxes.frame(i, *_look(i - step, theme)) for i in everything])
    layout["meta"] = {"width": boxes.per_line * boxes.wide + 4}
    return {"data": traces, "layout": layout}


def _look(ahead: int, theme: Theme) -> tuple[str, dict[str, Any]]:
    """Fill and frame of a box; `ahead` counts from the newest token that was read: 1 is said now, 2 and more later."""
    fill = faded(theme.target, 0.30 if ahead == 0 else 0.13) if ahead <= 0 else CLEAR
    dash = "dash" if ahead == 1 else "dot" if ahead > 1 else "solid"
    colour = theme.target if ahead <= 1 else theme.line
    return fill, {"width": 3 if ahead in (0, 1) else 1, "color": colour, "dash": dash}
