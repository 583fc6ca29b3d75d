"""What the output head would say after each decoder layer: a row for each position, a column for each layer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.heat.cells import cell_texts
from explainer.figures.heat.matrix import matrix
from explainer.figures.style import Theme, probability
from explainer.language import _


def lens_map(
    pieces: Sequence[Sequence[str]],
    probabilities: Float[np.ndarray, "row layer"],
    rows: Sequence[str],
    theme: Theme,
    *,
    selected: int,
) -> dict[str, Any]:
    """The most probable token of each layer, row by row, the colour its probability; the selected row is framed."""
    columns = [_("after layer {layer}").format(layer=layer + 1) for layer in range(probabilities.shape[1])]
    drawing = matrix(
        probabilities, rows, columns, theme, kind="weights", row_title=_("input → predicts"), column_title="",
        role="target", lit_row=selected,
    )  # fmt: skip
    write_words(drawing, pieces, probabilities)
    height = min(30, max(20, 420 // len(rows)))
    drawing["layout"]["height"] = height * len(rows) + 40
    drawing["layout"]["meta"]["width"] += 90 * len(columns)
    return drawing


def write_words(
    drawing: dict[str, Any],
    said: Sequence[Sequence[str | None]],
    probabilities: Float[np.ndarray, "row column"],
) -> None:
    """Into each cell of a matrix of probabilities its token, too; None is a cell where nothing was said."""
    heat, layout = drawing["data"][0], drawing["layout"]
    texts = [
        [
            "" if piece is None else f"{for_plotly(token_label(piece))}  {probability(float(p))}"
            for piece, p in zip(*row, strict=True)
        ]
        for row in zip(said, probabilities, strict=True)
    ]
    heat["text"] = texts
    heat["hovertemplate"] = "%{x}: %{text}<extra></extra>"
    drawing["data"][-1] = cell_texts(texts, heat, 13)
    layout["xaxis"]["tickangle"] = 0
    layout["xaxis"]["title"]["text"] = ""
    layout["margin"]["t"] = 30
