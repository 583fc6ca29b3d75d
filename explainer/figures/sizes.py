"""How long vectors are: for each token a row with a mark for each of its lengths."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.axes import name_axis, value_axis
from explainer.figures.escape import for_plotly
from explainer.figures.style import Theme, base_layout, number

_SYMBOLS = ("circle-open", "circle", "diamond")


def lengths_by_token(
    lengths: Sequence[Float[np.ndarray, " token"]], names: Sequence[str], rows: Sequence[str], theme: Theme
) -> dict[str, Any]:
    """Marks on one axis that starts at 0; what each mark means stands above in the same symbol.

    Args:
        lengths: Up to three lengths of each token.
        names: What they are the lengths of, in plain text.
        rows: Labels of the tokens.
        theme: Colours.
    """
    colours = (theme.source, theme.source, theme.gate)
    y = np.arange(len(rows), dtype=np.float32)
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": values.astype(np.float32),
            "y": y,
            "name": name,
            "marker": {"size": 10, "symbol": symbol, "color": colour},
            "hovertemplate": [
                f"{for_plotly(row)}: {name} = {number(float(value), 3)}<extra></extra>"
                for row, value in zip(rows, values, strict=True)
            ],
        }
        for values, name, symbol, colour in zip(lengths, names, _SYMBOLS, colours, strict=False)
    ]
    top = max(float(values.max(initial=0.0)) for values in lengths)
    height = 26 if len(rows) <= 20 else 18
    layout = base_layout(theme, height=height * len(rows) + 84, hovermode="closest")
    layout |= {"showlegend": True, "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"}}
    layout["margin"] = {"l": min(150, 22 + 8 * max(map(len, rows), default=1)), "r": 12, "t": 34, "b": 42}
    layout["xaxis"] = value_axis(theme, "length", range=[-0.03 * top, 1.06 * top], zeroline=False)
    layout["yaxis"] = name_axis([for_plotly(row) for row in rows], theme, size=13)
    layout["yaxis"] |= {"gridcolor": theme.line, "showgrid": True}
    return {"data": traces, "layout": layout}
