"""Page: what does a Transformer do? Live translation, the flow map, alignment, next token, attention."""

import streamlit as st

from explainer.pages.frame import layout, whatif
from explainer.pages.frame.session import set_sentence
from explainer.pages.frame.view import view_of
from explainer.pages.translate.attention import show_attention
from explainer.pages.translate.overview import (
    alignment_head,
    chosen_row,
    show_alignment,
    show_map,
    show_next_token,
    show_translation,
)

words = layout.opening("translate")
layout.examples(words, set_sentence)
view = view_of(st.session_state.get("sentence", ""))
if view is not None:
    whatif.bar(view)
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
layout.closing(words)
