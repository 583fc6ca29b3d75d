"""Page: what does a Transformer do? Live translation, the flow map, alignment, next token, attention."""

import streamlit as st

from explainer.pages import lesson
from explainer.pages.attention_panel import show_attention
from explainer.pages.overview import (
    alignment_head,
    chosen_row,
    show_alignment,
    show_map,
    show_next_token,
    show_translation,
)
from explainer.pages.share import share_button
from explainer.pages.state import choose_sentence, set_sentence
from explainer.pages.view import view_of

words = lesson.opening("translate")
with st.container(horizontal=True, vertical_alignment="bottom"):
    sentence = choose_sentence()
    share_button()
lesson.examples(words, set_sentence)
view = view_of(sentence)
if view is not None:
    show_translation(view)
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
