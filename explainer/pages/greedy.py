"""Page: what does the decoder do at prediction time? Greedy search, one step at a time."""

import streamlit as st

from explainer.pages import whatif
from explainer.pages.greedy_code import show_greedy_code
from explainer.pages.greedy_cost import show_computed, show_cost
from explainer.pages.greedy_parts import (
    show_attention,
    show_choice,
    show_detour,
    show_distribution,
    show_tokens,
)
from explainer.pages.greedy_sight import sight_of
from explainer.pages.inside import Words, lesson_page
from explainer.pages.view import View


def show(view: View, words: Words) -> None:
    """The step: tokens, distribution, choice; another choice; cross-attention; what is computed, and what it costs."""
    sight = sight_of(view)
    show_tokens(sight)
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_distribution(sight, words)
    with right, st.container(key="choice"):
        show_choice(sight, words)
    with st.container(border=True, key="detour"):
        show_detour(sight, words)
    left, right = st.columns(2, gap="large")
    with left:
        show_computed(sight, words)
    with right:
        show_attention(sight, words)
    show_cost(sight, words)
    left, right = st.columns(2, gap="large")
    with left:
        _show_what_if(view, words)
    with right:
        show_greedy_code(sight)


def _show_what_if(view: View, words: Words) -> None:
    st.markdown(words["what if"])
    whatif.offer(
        view, "uniform:cross", "Cross-attention looks evenly at all English tokens", key="if-uniform"
    )
    whatif.offer(view, "unplaced:source", "The encoder is not told where its tokens stand", key="if-unplaced")
    whatif.offer(view, "ahead", "Remove the look-ahead mask of the decoder", key="if-ahead")
    st.caption(words["where it shows"])


lesson_page("greedy", show)
