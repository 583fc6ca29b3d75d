"""What the page about blocks looks at: an array as a matrix beside its arithmetic, one token through all arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.flow.block import TITLES
from explainer.figures.heat.strips import Lit, hidden_units, strips
from explainer.figures.style import Role, number, shape_text
from explainer.figures.tokens.marks import share_bars
from explainer.language import _
from explainer.measures.anatomy import Kind, Sublayer
from explainer.measures.sublayers import HIDDEN, OUTLIERS, most_active, strip_rows, usual_bound, zero_share
from explainer.pages.frame import layout
from explainer.pages.frame.link import link_cell, link_number
from explainer.pages.frame.page import Words
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import query_labels
from explainer.pages.kit.tensor import D_MODEL, Tensor, dimensions, show_arithmetic, show_matrix

HIGHEST, LOWEST = 28, 12  # hidden units that a figure names: of the largest and of the smallest u
PARAMETERS = {"gain": "norm.weight", "bias": "norm.bias"}


@dataclass(frozen=True, kw_only=True)
class Spot:
    """What is looked at: an array of a sublayer, the selected token, dimension of the stream and unit of feed-forward.

    The `rows` are the tokens' labels.
    """

    sublayer: Sublayer
    array: str
    rows: Sequence[str]
    row: int
    dim: int
    unit: int = 0

    def link_of(self, row: int) -> dict[str, str | None]:
        """What the link says after a click on a token: it is selected, its dimension as it was."""
        return {"cell": f"{row + 1}.{self.dim + 1}"}

    @property
    def hook(self) -> str:
        """Of the array."""
        return self.sublayer.hooks[self.array]

    @property
    def cell(self) -> tuple[int, int]:
        """The selected cell of the array."""
        return self.row, self.unit if self.array in HIDDEN else self.dim

    @property
    def accent(self) -> Role:
        """Colour of the side."""
        return "source" if self.sublayer.side == "encoder" else "target"

    def tensor(self, view: Translated) -> Tensor:
        """What a figure of the array shows."""
        wide = self.array in HIDDEN
        return Tensor(
            hook=self.hook,
            title=TITLES[self.array],
            rows=self.rows,
            columns=dimensions(view.trace[self.hook].shape[1]),
            row_title=_("token") if self.sublayer.side == "encoder" else _("input → predicts"),
            column_title=_("hidden unit") if wide else _("dimension"),
            role="residual",
            symbols=("T", r"d_{\text{ff}}" if wide else D_MODEL),
        )


def spot_of(view: Translated, sublayer: Sublayer, array: str, position: int) -> Spot:
    """The selected cell, from the link; by default the largest number that is added to the token `position`."""
    kind: Kind = "encoder" if sublayer.side == "encoder" else "decoder"
    rows = query_labels(view, kind)
    update = view.before[sublayer.hooks["update"]]
    default = (position, int(np.abs(update[position]).argmax()))
    row, dim = link_cell("cell", default, update.shape)
    unit = 0
    if sublayer.name == "feed_forward":
        hidden = view.before[sublayer.hooks["hidden"]]
        unit = link_number("unit", int(hidden[row].argmax()) + 1, 1, hidden.shape[1]) - 1
    return Spot(sublayer=sublayer, array=array, rows=rows, row=row, dim=dim, unit=unit)


def show_units(view: Translated, spot: Spot) -> None:
    """The matrix of a hidden array: every token, some units."""
    units, shown = _units(view, spot), spot.tensor(view)
    values = view.values(spot.hook)[:, units]
    shape = shape_text(shown.symbols, view.trace[spot.hook].shape)
    told = _(
        "**{array}** · {shape}; shown are the {highest} most active units of token {token} {name} and, at the right, "
        "its {lowest} most negative ones"
    )
    what = {"array": shown.title, "shape": f"${shape}$", "highest": HIGHEST, "lowest": LOWEST}
    st.markdown(told.format(**what, token=spot.row + 1, name=for_markdown(spot.rows[spot.row])))
    alt = _("{array}: {rows} tokens, {units} hidden units named by their numbers")
    selected = spot.row, units.index(spot.unit)
    layout.figure(
        hidden_units(values, spot.rows, units, view.theme, selected=selected, row_title=shown.row_title),
        key="units",
        alt=alt.format(array=shown.title, rows=len(spot.rows), units=len(units)),
        table=lambda: layout.matrix_table(values, spot.rows, _labels(units)),
        says=lambda row, place: {**spot.link_of(row), "unit": str(units[place] + 1)},
    )


def show_hidden(view: Translated, spot: Spot, words: Words) -> None:
    """Some hidden units of the selected token before and after ReLU."""
    st.markdown(words["hidden layer"])
    units, hooks = _units(view, spot), spot.sublayer.hooks
    values = np.stack([view.values(hooks[array])[spot.row, units] for array in HIDDEN])
    titles = [TITLES[array] for array in HIDDEN]
    place = units.index(spot.unit)
    selected = (HIDDEN.index(spot.array), place) if spot.array in HIDDEN else None
    lit: dict[str, list[Lit]] = {"relu": [(0, place)], "update": [(1, None)]}
    framed = lit.get(spot.array, ())
    alt = _("The most active and the most negative hidden units of token {token} before and after ReLU")
    layout.figure(
        hidden_units(values, titles, units, view.theme, selected=selected, lit=framed, role=spot.accent),
        key="hidden",
        alt=alt.format(token=spot.row + 1),
        table=lambda: layout.matrix_table(values, titles, _labels(units)),
        says=lambda row, place: {"stage": HIDDEN[row], "unit": str(units[place] + 1)},
    )


def show_zeros(view: Translated, spot: Spot, words: Words) -> None:
    """How many hidden units are off, for each token."""
    st.markdown(words["sparsity"])
    shares = zero_share(view.shown[spot.sublayer.hooks["relu"]])
    title = _("share of the hidden units that are 0")
    alt = _("For each token the share of its hidden units that are 0 after ReLU; of the selected one {share}")
    layout.figure(
        share_bars(shares, spot.rows, view.theme, selected=spot.row, title=title),
        key="zeros",
        alt=alt.format(share=number(float(shares[spot.row]), 3)),
        table=lambda: (
            [_("token"), _("share of zeros")],
            [[row, number(float(share), 4)] for row, share in zip(spot.rows, shares, strict=True)],
        ),
        says=spot.link_of,
        part="token",
    )


def _labels(units: list[int]) -> list[str]:
    return [str(unit + 1) for unit in units]


def _units(view: Translated, spot: Spot) -> list[int]:
    hidden = view.shown[spot.sublayer.hooks["hidden"]][spot.row]
    return most_active(hidden, HIGHEST, LOWEST, spot.unit).tolist()


def show_array(view: Translated, spot: Spot, words: Words) -> None:
    """The matrix of the array, and how its selected number came about."""
    shown = spot.tensor(view)
    left, right = st.columns([3, 2], gap="large")
    with left:
        if spot.array in HIDDEN:
            show_units(view, spot)
        else:
            bound = usual_bound(np.stack([view.before[spot.hook], view.trace[spot.hook]]))
            show_matrix(view, shown, key="matrix", selected=spot.cell, compact=True, bound=bound)
            if not view.is_difference:
                st.caption(layout.filled(words["colour range"], outliers=f"{OUTLIERS:.1%}"))
    with right, st.container(key="story"):
        if spot.array == "before":
            st.caption(words["x before"])
        show_arithmetic(view, shown, spot.cell, key="story")
        if spot.array == "update" and spot.sublayer.name != "feed_forward":
            st.caption(words["attention output"])


def show_strips(view: Translated, spot: Spot, words: Words) -> None:
    """The selected token's vector at every array, and gain and bias: what the selected number is made of is framed."""
    st.markdown(words["strips"])
    names = strip_rows(tuple(spot.sublayer.hooks))
    values = np.stack([_strip(view, spot, name) for name in names])
    titles = [TITLES.get(name, {"gain": _("gain g"), "bias": _("bias b")}.get(name, name)) for name in names]
    selected = None if spot.array in HIDDEN else (names.index(spot.array), spot.dim)
    columns = dimensions(values.shape[1])
    alt = _("Token {token}: its vector at each array of {sublayer}, one below the other")
    lit, bound = _lit(spot, names), usual_bound(values)
    layout.figure(
        strips(
            values, titles, columns, view.theme, selected=selected, lit=lit, bound=bound, role=spot.accent
        ),
        key="strips",
        alt=alt.format(token=spot.row + 1, sublayer=spot.sublayer.words),
        table=lambda: layout.matrix_table(values, titles, columns),
        says=lambda row, dim: {
            "stage": "output" if names[row] in PARAMETERS else names[row],
            "cell": f"{spot.row + 1}.{dim + 1}",
        },
    )


def _strip(view: Translated, spot: Spot, name: str) -> np.ndarray:
    if name in PARAMETERS:
        values = view.seen(spot.sublayer.residual)[PARAMETERS[name]]
        return np.zeros_like(values) if view.is_difference else values
    return view.values(spot.sublayer.hooks[name])[spot.row]


def _lit(spot: Spot, names: Sequence[str]) -> list[Lit]:
    """Whole rows where a number needs all of a vector, else the cells above and below it."""
    whole = spot.array in ("normalised", "hidden")
    sources = [*spot.sublayer.sources(spot.array), *(PARAMETERS if spot.array == "output" else ())]
    return [(names.index(one), None if whole else spot.dim) for one in sources if one in names]
