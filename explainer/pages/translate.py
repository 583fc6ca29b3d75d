"""Page: what does a Transformer do? Live translation, the flow map, alignment, next token, attention."""

import streamlit as st

from explainer.pages import lesson, whatif
from explainer.pages.attention_panel import show_attention
from explainer.pages.overview import (
    alignment_head,
    chosen_row,
    show_alignment,
    show_map,
    show_next_token,
    show_translation,
)
from explainer.pages.state import set_sentence
from explainer.pages.view import view_of

words = lesson.opening("translate")
lesson.examples(words, set_sentence)
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
lesson.closing(words)
