"""The most probable next tokens as bars, and all the others together as one more."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.amounts import others
from explainer.figures.bars.rows import named_bars
from explainer.figures.escape import for_plotly, token_label
from explainer.figures.lines.axes import value_axis
from explainer.figures.style import Theme, faded, probability
from explainer.language import _


def top_k_bars(
    ids: Sequence[int],
    pieces: Sequence[str],
    probs: Float[np.ndarray, " k"],
    rest: float,
    theme: Theme,
    *,
    chosen: int | None,
    n_others: int,
) -> dict[str, Any]:
    """Horizontal bars on the fixed range 0–1, most probable on top, the rest of the vocabulary last.

    Args:
        ids: The most probable tokens; a click on a bar carries `["candidate", id]`, on the last `["candidate", None]`.
        pieces: How the vocabulary spells them.
        probs: Their probabilities.
        rest: Probability of all other tokens together.
        theme: Colours.
        chosen: Which of `pieces` the translation goes on with; None if it is not among them.
        n_others: How many tokens share `rest`.
    """
    names = [for_plotly(token_label(piece)) for piece in pieces]
    names = [f"<b>{name}</b> ✓" if i == chosen else name for i, name in enumerate(names)]
    values = np.asarray(probs, dtype=np.float32)
    colours = [theme.target if i == chosen else faded(theme.target, 0.5) for i in range(len(pieces))]
    keys = [("candidate", token) for token in ids]
    if n_others:  # the bars of a small table may be all there is
        names.append(others(n_others))
        values = np.append(values, rest).astype(np.float32)
        colours, keys = [*colours, theme.masked], [*keys, ("candidate", None)]
    drawing = named_bars(
        values,
        names,
        [probability(float(value)) for value in values],
        theme,
        colours=colours,
        keys=keys,
        row=30,
    )
    drawing["layout"]["xaxis"] = value_axis(
        theme, _("probability"), range=[0, 1], tickvals=[0, 0.25, 0.5, 0.75, 1], zeroline=False
    )
    return drawing
