"""Parts of the page about blocks: the hidden layer of feed-forward."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explainer.equations.sublayers import HIDDEN, most_active, zero_share
from explainer.figures.block import TITLES
from explainer.figures.escape import for_markdown
from explainer.figures.strips import Lit, hidden_units
from explainer.figures.style import number, shape_text
from explainer.figures.token_marks import share_bars
from explainer.pages import lesson
from explainer.pages.block_spot import Spot, pick_token
from explainer.pages.inside import Words
from explainer.pages.link import set_link
from explainer.pages.picked import picked_cell
from explainer.pages.view import View

HIGHEST, LOWEST = 28, 12  # hidden units that a figure names: of the largest and of the smallest u


def show_units(view: View, spot: Spot) -> None:
    """The matrix of a hidden stage: every token, some units."""
    units = _units(view, spot)
    values = view.values(spot.hook)[:, units]
    shape = shape_text(("T", r"d_{\text{ff}}"), view.trace[spot.hook].shape)
    st.markdown(
        f"**{TITLES[spot.stage]}** · ${shape}$; shown are the {HIGHEST} most active units of token {spot.row + 1} "
        f"{for_markdown(spot.rows[spot.row])} and, at the right, its {LOWEST} most negative ones"
    )
    lesson.figure(
        hidden_units(
            values,
            spot.rows,
            units,
            view.theme,
            selected=(spot.row, units.index(spot.unit)),
            row_title=spot.row_title,
        ),
        key="units",
        alt=f"{TITLES[spot.stage]}: {len(spot.rows)} tokens, {len(units)} hidden units named by their numbers",
        table=lambda: lesson.matrix_table(values, spot.rows, labels_of(units)),
        on_pick=lambda: _pick_unit(units, spot.dim),
    )


def show_hidden(view: View, spot: Spot, words: Words) -> None:
    """Some hidden units of the selected token before and after ReLU."""
    st.markdown(words["hidden layer"])
    units, hooks = _units(view, spot), spot.sublayer.hooks
    values = np.stack([view.values(hooks[stage])[spot.row, units] for stage in HIDDEN])
    titles = [TITLES[stage] for stage in HIDDEN]
    place = units.index(spot.unit)
    selected = (HIDDEN.index(spot.stage), place) if spot.stage in HIDDEN else None
    lit: dict[str, list[Lit]] = {"relu": [(0, place)], "update": [(1, None)]}
    framed = lit.get(spot.stage, ())
    lesson.figure(
        hidden_units(values, titles, units, view.theme, selected=selected, lit=framed, role=spot.accent),
        key="hidden",
        alt=f"The most active and the most negative hidden units of token {spot.row + 1} before and after ReLU",
        table=lambda: lesson.matrix_table(values, titles, labels_of(units)),
        on_pick=lambda: _pick_hidden(units),
    )


def show_zeros(view: View, spot: Spot, words: Words) -> None:
    """How many hidden units are off, for each token."""
    st.markdown(words["sparsity"])
    shares = zero_share(view.shown[spot.sublayer.hooks["relu"]])
    title = "share of the hidden units that are 0"
    lesson.figure(
        share_bars(shares, spot.rows, view.theme, selected=spot.row, title=title),
        key="zeros",
        alt="For each token the share of its hidden units that are 0 after ReLU; "
        f"of the selected one {number(float(shares[spot.row]), 3)}",
        table=lambda: (
            ["token", "share of zeros"],
            [[row, number(float(share), 4)] for row, share in zip(spot.rows, shares, strict=True)],
        ),
        on_pick=lambda: pick_token("zeros", spot),
    )


def labels_of(units: Sequence[int]) -> list[str]:
    """Labels of hidden units, from 1."""
    return [str(unit + 1) for unit in units]


def _units(view: View, spot: Spot) -> list[int]:
    hidden = view.shown[spot.sublayer.hooks["hidden"]][spot.row]
    return most_active(hidden, HIGHEST, LOWEST, spot.unit).tolist()


def _pick_hidden(units: Sequence[int]) -> None:
    picked = picked_cell("hidden")
    if picked:
        set_link(stage=HIDDEN[picked[0]], unit=str(units[picked[1]] + 1))


def _pick_unit(units: Sequence[int], dim: int) -> None:
    picked = picked_cell("units")
    if picked:
        set_link(cell=f"{picked[0] + 1}.{dim + 1}", unit=str(units[picked[1]] + 1))
