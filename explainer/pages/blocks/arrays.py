"""Parts of the page about blocks: one array as a matrix beside its arithmetic, and one token through all arrays."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.flow.block import TITLES
from explainer.figures.heat.strips import Lit, hidden_units, strips
from explainer.figures.style import number, shape_text
from explainer.figures.tokens.marks import share_bars
from explainer.language import _
from explainer.measures.sublayers import HIDDEN, OUTLIERS, most_active, strip_rows, usual_bound, zero_share
from explainer.pages.blocks.spot import Spot
from explainer.pages.frame import layout
from explainer.pages.frame.page import Words
from explainer.pages.frame.view import Translated
from explainer.pages.kit.tensor import dimensions, show_arithmetic, show_matrix

HIGHEST, LOWEST = 28, 12  # hidden units that a figure names: of the largest and of the smallest u


def show_units(view: Translated, spot: Spot) -> None:
    """The matrix of a hidden array: every token, some units."""
    units = _units(view, spot)
    values = view.values(spot.hook)[:, units]
    shape = shape_text(("T", r"d_{\text{ff}}"), view.trace[spot.hook].shape)
    told = _(
        "**{array}** · {shape}; shown are the {highest} most active units of token {token} {name} and, at the right, "
        "its {lowest} most negative ones"
    )
    st.markdown(
        told.format(
            array=TITLES[spot.array], shape=f"${shape}$", highest=HIGHEST, token=spot.row + 1,
            name=for_markdown(spot.rows[spot.row]), lowest=LOWEST,
        )
    )  # fmt: skip
    alt = _("{array}: {rows} tokens, {units} hidden units named by their numbers")
    layout.figure(
        hidden_units(
            values,
            spot.rows,
            units,
            view.theme,
            selected=(spot.row, units.index(spot.unit)),
            row_title=spot.row_title,
        ),
        key="units",
        alt=alt.format(array=TITLES[spot.array], rows=len(spot.rows), units=len(units)),
        table=lambda: layout.matrix_table(values, spot.rows, labels_of(units)),
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
        table=lambda: layout.matrix_table(values, titles, labels_of(units)),
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


def labels_of(units: Sequence[int]) -> list[str]:
    """Labels of hidden units, from 1."""
    return [str(unit + 1) for unit in units]


def _units(view: Translated, spot: Spot) -> list[int]:
    hidden = view.shown[spot.sublayer.hooks["hidden"]][spot.row]
    return most_active(hidden, HIGHEST, LOWEST, spot.unit).tolist()


PARAMETERS = {"gain": "norm.weight", "bias": "norm.bias"}


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
    layout.figure(
        strips(
            values,
            titles,
            columns,
            view.theme,
            selected=selected,
            lit=_lit(spot, names),
            bound=usual_bound(values),
            role=spot.accent,
        ),
        key="strips",
        alt=_("Token {token}: its vector at each array of {sublayer}, one below the other").format(
            token=spot.row + 1, sublayer=spot.sublayer.words
        ),
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
