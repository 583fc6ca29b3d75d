"""How the spread of dot products grows with the number of dimensions, divided by its root and not."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from explainer.figures.drawing import axis_title, legend
from explainer.figures.style import Theme, base_layout, number
from explainer.language import _


def spread_curves(
    sizes: Int[np.ndarray, " n"],
    curves: Sequence[Float[np.ndarray, " n"]],
    names: Sequence[str],
    theme: Theme,
    *,
    here: str,
) -> dict[str, Any]:
    """Three standard deviations over n dimensions: undivided, divided, and dotted what is expected of the first.

    The numbers of dimensions are evenly spaced on the axis, whose right end is named `here`.
    """
    styles = (
        {"color": theme.key, "width": 3},
        {"color": theme.attention, "width": 3},
        {"color": theme.muted, "width": 1.5, "dash": "dot"},
    )
    traces = [
        {
            "type": "scatter",
            "mode": "lines" if "dash" in line else "lines+markers+text",
            "x": np.arange(len(sizes), dtype=np.int32),
            "y": curve.astype(np.float32),
            "name": name,
            "line": line,
            "marker": {"size": 7},
            "text": [*[""] * (len(curve) - 1), number(float(curve[-1]))],
            "textposition": "middle left",
            "cliponaxis": False,
            "hovertemplate": f"%{{y:.3f}}<extra>{name}</extra>",
        }
        for curve, name, line in zip(curves, names, styles, strict=True)
    ]
    layout = base_layout(theme, height=290, showlegend=True)
    layout["legend"] = legend(y=1.02)
    layout["margin"] = {"l": 52, "r": 16, "t": 40, "b": 46}
    common = {"fixedrange": True, "zeroline": False, "gridcolor": theme.line}
    common |= {"tickfont": {"size": 12, "color": theme.muted}}
    across, up = _("dimensions summed, n"), _("standard deviation")
    labels = [*map(str, sizes[:-1]), f"{sizes[-1]} = {here}"]
    layout["xaxis"] = {**common, "showgrid": False, "title": axis_title(across, theme, standoff=8)}
    layout["xaxis"] |= {"tickvals": list(range(len(sizes))), "ticktext": labels}
    layout["yaxis"] = {**common, "rangemode": "tozero", "title": axis_title(up, theme, standoff=8)}
    return {"data": traces, "layout": layout}
