"""Page: what does a Transformer do? Live translation, the flow map, alignment, next token, attention."""

import streamlit as st

from explainer.pages.frame.page import TRANSLATION, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.translate import overview
from explainer.pages.translate.attention import show_attention

LINKS = ("row", "next", "kind", "layer", "head", "stage", "cell")


def show(view: Translated, words: Words) -> None:
    """The translation, the map, which words German looks at, what comes next, one head."""
    overview.show_translation(view, words)
    row = overview.chosen_row(view)
    overview.show_map(view, row, words)
    left, right = st.columns(2, gap="large")
    with left:
        overview.show_alignment(view, row, words)
    with right:
        overview.show_next_token(view, row, words)
    show_attention(view, words)


page("translate", show, needs=TRANSLATION, links=LINKS)
