"""The pool of one step: all candidates that were ranked, best on top."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.drawing import bars, name_axis, value_axis
from explainer.figures.escape import for_plotly
from explainer.figures.style import Theme, base_layout, faded, number
from explainer.language import _

_LETTERS = 26


def pool_bars(
    names: Sequence[str],
    log_probs: Float[np.ndarray, " candidate"],
    fates: Sequence[str],
    places: Sequence[int],
    theme: Theme,
    *,
    selected: int | None = None,
) -> dict[str, Any]:
    """Bars of Σ log p (nats, best first) from 0 to the left: the shorter, the more probable.

    A name is the end of a hypothesis, its new token last; a click carries `["node", place in the tree]`.
    """
    labels = [f"{rank}. {for_plotly(_end_of(name))}" for rank, name in enumerate(names, start=1)]
    worst = float(min(log_probs, default=-1.0))
    trace = bars(
        log_probs,
        [f"{number(float(v))} {_(fate)}" for v, fate in zip(log_probs, fates, strict=True)],
        theme,
        colours=[_colour(fate, theme) for fate in fates],
        clicks=[("node", int(place)) for place in places],
    )
    widths = [2.5 if place == selected else 0 for place in places]
    trace["marker"]["line"] = {"width": widths, "color": theme.text}
    layout = base_layout(theme, height=24 * len(names) + 52, bargap=0.3)
    layout["margin"] = {"l": 190, "r": 10, "t": 4, "b": 40}
    layout["xaxis"] = value_axis(theme, _("Σ log p, nats"), range=[min(worst, -0.5) * 1.45, 0])
    layout["yaxis"] = name_axis(labels, theme, size=12)
    return {"data": [trace], "layout": layout}


def _colour(fate: str, theme: Theme) -> str:
    return {"kept": faded(theme.target, 0.55), "finished": theme.target, "cut": faded(theme.target, 0.3)}.get(
        fate, theme.masked
    )


def _end_of(text: str) -> str:
    return text if len(text) <= _LETTERS else f"…{text[1 - _LETTERS :]}"
