"""One token's vectors one below the other, dimension under dimension; what the selected number is made of is framed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.figures.heat.cells import box
from explainer.figures.heat.matrix import matrix
from explainer.figures.style import Role, Theme, number, span
from explainer.language import _

Lit = tuple[int, int | None]  # a row, or one cell of it


def strips(
    values: Float[np.ndarray, "row column"],
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    *,
    selected: tuple[int, int] | None,
    lit: Sequence[Lit] = (),
    column_title: str | None = None,
    bound: float | None = None,
    role: Role = "residual",
) -> dict[str, Any]:
    """A heat map with a row for each vector; `selected` is the framed number, None if it is in another figure.

    What it was computed from, the numbers or whole rows `lit`, is framed in the colour of `role`. The columns are
    dimensions if no title says what else; `bound` ends the signed range.
    """
    drawing = matrix(
        values, rows, columns, theme, kind="signed", row_title="",
        column_title=_("dimension") if column_title is None else column_title,
        selected=selected, bound=bound, compact=True,
    )  # fmt: skip
    colour, width = getattr(theme, role), values.shape[1]
    for row, column in lit:
        across = (0, row, width, 1) if column is None else (column, row, 1, 1)
        drawing["layout"]["shapes"].insert(0, box(*across, colour, 2.5))
    return drawing


def chosen_strip(
    values: Float[np.ndarray, "line row"],
    lines: Sequence[str],
    rows: Sequence[str],
    theme: Theme,
    *,
    selected: int,
    signed: bool = False,
) -> dict[str, Any]:
    """A number from 0 to 1 (a signed one: from −1) for each decoder row, a column of the grid, a line for each pass."""
    drawing = matrix(
        values, lines, rows, theme, kind="signed" if signed else "weights", row_title="",
        column_title=_("input → predicts"), role="target", lit_column=selected, bound=1.0,
    )  # fmt: skip
    layout, low = drawing["layout"], -1 if signed else 0
    layout["height"] = layout["margin"]["t"] + 10 + 36 * len(lines)
    layout["margin"]["l"] = max(layout["margin"]["l"], 60)
    layout["meta"]["width"] = layout["margin"]["l"] + 64 + (30 if len(rows) <= 16 else 22) * len(rows)
    layout["meta"]["grid"]["selected"] = {"x": selected, "y": len(lines) - 1}  # where the arrow keys begin
    drawing["data"][0]["colorbar"] |= {"tickvals": [low, 1], "ticktext": [number(low, 0), "1"]}
    return drawing


def hidden_units(
    values: Float[np.ndarray, "row unit"],
    rows: Sequence[str],
    units: Sequence[int],
    theme: Theme,
    *,
    selected: tuple[int, int] | None,
    row_title: str = "",
    bound: float | None = None,
    lit: Sequence[Lit] = (),
    role: Role = "residual",
) -> dict[str, Any]:
    """Some hidden units of a feed-forward layer, each named by its number (from 1); arguments as for `strips`."""
    columns = [str(unit + 1) for unit in units]
    drawing = strips(
        values, rows, columns, theme, selected=selected, lit=lit, column_title=_("hidden unit"), bound=bound, role=role
    )  # fmt: skip
    drawing["layout"]["yaxis"]["title"]["text"] = row_title
    drawing["layout"]["meta"]["width"] = drawing["layout"]["margin"]["l"] + 64 + 10 * len(units)
    if len(values) < 4:
        drawing["layout"]["height"] += 12 * len(values)
        ends = [-drawing["data"][0]["zmax"], drawing["data"][0]["zmax"]]
        drawing["data"][0]["colorbar"] |= {"tickvals": ends, "ticktext": [number(end, 1) for end in ends]}
    axis = drawing["layout"]["xaxis"]
    axis["tickangle"], axis["tickfont"] = -90, {**axis["tickfont"], "size": 10}
    return drawing


def dot_product(
    one: Float[np.ndarray, " d_model"],
    other: Float[np.ndarray, " d_model"],
    names: tuple[str, str],
    theme: Theme,
) -> dict[str, Any]:
    """Two vectors and their products, place by place; every line has a range of its own, which its label tells."""
    values = np.stack([one, other, one * other])
    bounds = np.array([span(row) for row in values])
    rows = [
        f"{name}  (±{number(float(bound))})"
        for name, bound in zip((*names, _("product")), bounds, strict=True)
    ]
    columns = [str(i + 1) for i in range(len(one))]
    drawing = strips(values / bounds[:, None], rows, columns, theme, selected=None, bound=1.0)
    heat, layout = drawing["data"][0], drawing["layout"]
    heat["showscale"], heat["hovertemplate"] = False, _("%{y}, dimension %{x}") + "<extra></extra>"
    layout["height"] += 8 * len(values)
    layout["meta"].pop("grid")  # there is nothing to select
    return drawing
