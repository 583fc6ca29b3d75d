"""How close other entries of the vocabulary are: a bar for each cosine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.axes import value_axis
from explainer.figures.escape import for_plotly, token_label
from explainer.figures.rows import named_bars
from explainer.figures.style import Theme, faded, number


def cosine_bars(
    ids: Sequence[int], pieces: Sequence[str], values: Float[np.ndarray, " k"], theme: Theme
) -> dict[str, Any]:
    """Horizontal bars on the fixed range 0–1 (from −1 if one is negative), the closest on top.

    A click on a bar carries `["token", id]`.
    """
    names = [for_plotly(token_label(piece)) for piece in pieces]
    drawing = named_bars(
        values,
        names,
        [number(float(value), 3) for value in values],
        theme,
        colours=[faded(theme.residual, 0.6)] * len(names),
        keys=[("token", token) for token in ids],
        hover=[f"{name}: token {token}<extra></extra>" for name, token in zip(names, ids, strict=True)],
    )
    low = 0 if (values >= 0).all() else -1
    drawing["layout"]["xaxis"] = value_axis(theme, "cosine", range=[low, 1], zeroline=False)
    return drawing
