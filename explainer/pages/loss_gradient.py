"""A part of the page about the loss: what it pushes, the gradient on the logits."""

import streamlit as st

from explainer.equations.difference import largest_difference
from explainer.equations.loss import (
    GRADIENT,
    ON_VECTOR,
    gradient_story,
    logit_gradient,
    probabilities,
    vector_gradient,
)
from explainer.equations.output import TABLE
from explainer.equations.ranking import shares
from explainer.equations.smoothing import EVERYWHERE
from explainer.figures.escape import for_markdown
from explainer.figures.paint import paint
from explainer.figures.smoothing import gradient_bars
from explainer.figures.style import small
from explainer.pages import lesson
from explainer.pages.head_parts import name_of
from explainer.pages.inside import Words
from explainer.pages.loss_pair import Pair, trained
from explainer.pages.loss_smoothing import Smoothing, marks, pick, table
from explainer.pages.state import translator


def show_gradient(pair: Pair, chosen: Smoothing, words: Words) -> None:
    """Bars of p − q, the arithmetic of one, and the deviation from automatic differentiation."""
    gradient = logit_gradient(pair.logits, chosen.q)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(words["gradient"])
        lesson.figure(
            gradient_bars(
                translator().checkpoint.tokenizer.pieces(chosen.ids.tolist()),
                shares(gradient, chosen.ids),
                pair.view.theme,
                **marks(pair, chosen),
            ),
            key="gradient",
            alt=f"The gradient p − q on the logits of row {pair.row + 1}; the label's is {gradient[pair.label]:.4f}",
            table=lambda: table(chosen, {"p − q": gradient}),
            on_pick=lambda: pick("gradient"),
        )
    with right, st.container(key="gradient-story"):
        st.latex(paint(GRADIENT, pair.view.theme))
        token = chosen.token
        st.markdown(f"**v =** {for_markdown(name_of(token))}, in row {pair.row + 1}")
        p = float(probabilities(pair.log_p)[token])
        told = gradient_story(p, float(chosen.q[token]), float(chosen.gradient[token]))
        lesson.story(told, pair.view.theme)
        largest = largest_difference(gradient, chosen.gradient)
        st.caption(
            f"Checked: the formula equals PyTorch's automatic differentiation of the same loss, all "
            f"{len(gradient)} logits: max |Δ| = {small(largest)}."
        )
        if chosen.convention is EVERYWHERE:
            on_x = trained(pair, chosen.epsilon)[1][pair.row]
            weights = translator().parameters[TABLE]
            difference = largest_difference(vector_gradient(gradient, weights), on_x)
            st.latex(paint(ON_VECTOR, pair.view.theme))
            st.caption(
                "One step further back, on the vector x of this row: the code that trains, "
                f"`explainer/train/loss.py`, has the same, max |Δ| = {small(difference)}."
            )
