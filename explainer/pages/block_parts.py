"""Parts of the page about blocks: one stage as a matrix beside its arithmetic, and one token through all stages."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explainer.equations.sublayers import HIDDEN, OUTLIERS, strip_rows, usual_bound
from explainer.figures.block import TITLES
from explainer.figures.strips import Lit, strips
from explainer.pages import lesson
from explainer.pages.block_hidden import show_units
from explainer.pages.block_spot import Spot
from explainer.pages.inside import Words
from explainer.pages.link import set_link
from explainer.pages.picked import picked_cell
from explainer.pages.tensor import dimensions, show_arithmetic, show_matrix
from explainer.pages.view import View

PARAMETERS = {"gain": "norm.weight", "bias": "norm.bias"}


def show_stage(view: View, spot: Spot, words: Words) -> None:
    """The matrix of the stage, and how its selected number came about."""
    shown = spot.tensor(view)
    left, right = st.columns([3, 2], gap="large")
    with left:
        if spot.stage in HIDDEN:
            show_units(view, spot)
        else:
            bound = usual_bound(np.stack([view.before[spot.hook], view.trace[spot.hook]]))
            show_matrix(view, shown, key="matrix", selected=spot.cell, compact=True, bound=bound)
            if not view.is_difference:
                st.caption(lesson.filled(words["colour range"], outliers=f"{OUTLIERS:.1%}"))
    with right, st.container(key="story"):
        if spot.stage == "before":
            st.caption(words["x before"])
        show_arithmetic(view, shown, spot.cell, key="story")
        if spot.stage == "update" and spot.sublayer.name != "feed_forward":
            st.caption(words["attention output"])


def show_strips(view: View, spot: Spot, words: Words) -> None:
    """The selected token's vector at every stage, and gain and bias: what the selected number is made of is framed."""
    st.markdown(words["strips"])
    names = strip_rows(tuple(spot.sublayer.hooks))
    values = np.stack([_strip(view, spot, name) for name in names])
    titles = [TITLES.get(name, {"gain": "gain g", "bias": "bias b"}.get(name, name)) for name in names]
    selected = None if spot.stage in HIDDEN else (names.index(spot.stage), spot.dim)
    columns = dimensions(values.shape[1])
    lesson.figure(
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
        alt=f"Token {spot.row + 1}: its vector at each stage of {spot.sublayer.words}, one below the other",
        table=lambda: lesson.matrix_table(values, titles, columns),
        on_pick=lambda: _pick_strip(names, spot.row),
    )


def _strip(view: View, spot: Spot, name: str) -> np.ndarray:
    if name in PARAMETERS:
        values = view.seen(spot.sublayer.residual)[PARAMETERS[name]]
        return np.zeros_like(values) if view.is_difference else values
    return view.values(spot.sublayer.hooks[name])[spot.row]


def _lit(spot: Spot, names: Sequence[str]) -> list[Lit]:
    """Whole rows where a number needs all of a vector, else the cells above and below it."""
    whole = spot.stage in ("normalised", "hidden")
    sources = [*spot.sublayer.sources(spot.stage), *(PARAMETERS if spot.stage == "output" else ())]
    return [(names.index(one), None if whole else spot.dim) for one in sources if one in names]


def _pick_strip(names: Sequence[str], row: int) -> None:
    picked = picked_cell("strips")
    if picked:
        name = names[picked[0]]
        set_link(stage="output" if name in PARAMETERS else name, cell=f"{row + 1}.{picked[1] + 1}")
