"""Why dot products are divided by √d_k, shown on the queries and keys of the head on the page."""

import streamlit as st

from explainer.equations.spread import SPREAD, spread_of_dots
from explainer.figures.paint import paint
from explainer.figures.spread import spread_curves
from explainer.figures.style import number
from explainer.pages import lesson
from explainer.pages.attention_stage import Stage
from explainer.pages.inside import Words

NAMES = ("q · k", "q · k ÷ √n", "if independent")


def show_spread(stage: Stage, words: Words) -> None:
    """The standard deviation of q·k over 1, 2, 4 … d_k dimensions, divided by the root of their number and not."""
    view, place = stage.view, stage.place
    q, k = (view.shown[f"{place.path}.{hook}"][place.head] for hook in ("hook_q", "hook_k"))
    spread = spread_of_dots(q, k)
    curves = (spread.dots, spread.divided, spread.independent)
    st.markdown(lesson.filled(words["spread"], d_k=q.shape[1]))
    lesson.figure(
        spread_curves(spread.sizes, curves, NAMES, view.theme, here="d_k"),
        key="spread",
        alt=f"Standard deviation of q·k over 1 to {q.shape[1]} dimensions: it grows to {number(float(curves[0][-1]))}; "
        f"divided by the root it is {number(float(curves[1][-1]))} at the end",
        table=lambda: (
            ["n", *NAMES],
            [[n, *(f"{curve[i]:.6g}" for curve in curves)] for i, n in enumerate(spread.sizes.tolist())],
        ),
    )
    st.latex(paint(SPREAD, view.theme))
