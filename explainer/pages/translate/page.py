"""Page: what does a Transformer do? Live translation, the flow map, alignment, next token, attention."""

import streamlit as st

from explainer.pages.frame.page import TRANSLATION, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.translate.attention import show_attention
from explainer.pages.translate.overview import (
    alignment_head,
    chosen_row,
    show_alignment,
    show_map,
    show_next_token,
    show_translation,
)

LINKS = ("row", "next", "kind", "layer", "head", "stage", "cell")


def show(view: Translated, words: Words) -> None:
    """The translation, the map, which words German looks at, what comes next, one head."""
    show_translation(view, words)
    best = alignment_head(view)
    row = chosen_row(view, best)
    show_map(view, row, words)
    left, right = st.columns(2, gap="large")
    with left:
        show_alignment(view, best, row, words)
    with right:
        show_next_token(view, row, words)
    show_attention(view, words)


page("translate", show, needs=TRANSLATION, links=LINKS)
