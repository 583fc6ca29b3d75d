"""Exact search as it goes on: how far it is, what is known, and a button to stop it."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from explainer.equations.exact import BOUND, SOURCE
from explainer.figures.amounts import count, duration
from explainer.figures.paint import paint
from explainer.figures.style import number
from explainer.pages.inside import Words
from explainer.pages.state import theme

if TYPE_CHECKING:
    from explainer.decode.comparison import Comparison

PERCENT = 100.0


def show_exact(
    compared: "Comparison", budget: int, words: Words, *, on_stop: Callable[[bool], None], stopped: bool
) -> None:
    """How far exact search is, what it knows, its bound.

    Args:
        compared: The searches.
        budget: How many prefixes it may read.
        words: The page's prose.
        on_stop: Stops the work (True) or lets it go on; may be called twice for one click.
        stopped: Whether it is stopped.
    """
    step = compared.exact
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words["exact"], width="content")
        if not compared.is_done(budget):
            if stopped:
                clicked = st.button(
                    "Go on", icon=":material/play_arrow:", key="exact-go-on", on_click=on_stop, args=(False,)
                )
            else:
                clicked = st.button(
                    "Stop", icon=":material/stop:", key="exact-stop", on_click=on_stop, args=(True,)
                )
            if clicked:
                st.rerun()
    if step is None:
        st.progress(0.0, text=words["beams first"])
    else:
        share = number(PERCENT * step.settled, 1)
        text = f"{count(step.n_expanded)} prefixes read · {share} % of all probability settled"
        if len(compared.beams) < len(compared.widths):
            text += f" · {len(compared.beams)} of {len(compared.widths)} beams searched"
        st.progress(min(1.0, max(0.0, step.settled)), text=text)
        _say_state(compared, budget, words, stopped=stopped)
    with st.expander("The bound, and the code", key="exact-code"):
        st.latex(paint(BOUND, theme()))
        st.caption(f"{SOURCE}. {words['bound']}")
        if st.toggle("Show the code", key="exact-code-shown"):
            from explainer.decode.exact import exact_search

            st.caption("`explainer/decode/exact.py`")
            st.code(inspect.getsource(exact_search), language="python")


def _say_state(compared: "Comparison", budget: int, words: Words, *, stopped: bool) -> None:
    """What is proved; or what may still be found, and how long that takes at most."""
    state, step, proof = compared.state(budget), compared.exact, compared.proof
    if step is None or proof is None:
        return
    if state == "proved":
        said = words["proved"].format(
            n=count(step.n_expanded), needed=count(step.n_needed or 0), passes=count(proof.n_passes)
        )
    else:
        which = "stopped" if stopped and state == "searching" else state
        said = words[which].format(
            budget=count(budget),
            left=duration(compared.seconds_left(budget)),
            waiting=count(step.n_waiting),
            best=number(step.best.score, 3) if step.best is not None else "–",
            possible=number(step.best_possible, 3),
        )
    st.markdown(said)
