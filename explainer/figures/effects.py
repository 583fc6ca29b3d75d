"""What a translation loses or gains without a part of the model: signed bars, the largest on top."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.axes import value_axis
from explainer.figures.escape import for_plotly
from explainer.figures.rows import named_bars
from explainer.figures.style import Theme, number


def effect_bars(
    effects: Float[np.ndarray, " part"],
    names: Sequence[str],
    keys: Sequence[Sequence[Any]],
    theme: Theme,
    *,
    selected: int | None,
    title: str,
) -> dict[str, Any]:
    """Horizontal bars from 0, in the order given; the axis covers them all and 0.

    Args:
        effects: Changes of a log-probability, in nats.
        names: What each bar is about.
        keys: What a click on each bar carries.
        theme: Colours: below 0 as negative numbers are everywhere, above 0 as positive ones.
        selected: A bar whose name is bold.
        title: What the numbers are.
    """
    labels = [for_plotly(name) for name in names]
    labels = [f"<b>{label}</b>" if i == selected else label for i, label in enumerate(labels)]
    low, high = min(0.0, float(effects.min(initial=0.0))), max(0.0, float(effects.max(initial=0.0)))
    room = 0.22 * ((high - low) or 1.0)
    drawing = named_bars(
        effects,
        labels,
        [number(float(value), 3) for value in effects],
        theme,
        colours=[theme.negative if value < 0 else theme.positive for value in effects],
        keys=keys,
        hover="%{text} nats<extra></extra>",
        left=150,
        row=25,
        size=13,
    )
    drawing["layout"]["xaxis"] = value_axis(theme, title, range=[low - room, high + room])
    drawing["layout"]["meta"] = {"width": 460}
    return drawing
