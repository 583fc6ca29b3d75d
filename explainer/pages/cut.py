"""The limit of a sentence, and what was cut at it: said in the same words on all pages."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.pages.state import translator

if TYPE_CHECKING:
    from explainer.pages.view import View

MOST_TOKENS = 100  # the largest limit: that of the longest sentence that can be typed


def marked(text: str, ended: bool) -> str:
    """What a search found: a text that was cut is marked."""
    return text if ended else f"{text} … (cut)"


def limit_of(sentence: str, name: str = "translator") -> int:
    """The most tokens of the translation of a typed sentence, `</s>` included; `name` is of the model."""
    model = translator(name)
    return model.limit_for(len(model.source_ids(sentence)))


def limit_in_words(sentence: str, name: str = "translator") -> str:
    """How that limit comes about."""
    from explainer.decode.rules import LONGER, MORE

    model, limit = translator(name), limit_of(sentence, name)
    n_source = len(model.source_ids(sentence))
    if limit < int(LONGER * n_source) + MORE:
        return f"{limit} tokens (all that the model has positions for)"
    return f"{limit} tokens ({LONGER:g} × {n_source} English tokens + {MORE})"


def say_cut(view: "View") -> None:
    """One line if the search for the translation found no end."""
    if not view.translation.ended:
        st.info(
            f"**Cut at the limit** of {limit_in_words(view.sentence)}: the search found no end. "
            "No row predicts `</s>`, no number counts it.",
            icon=":material/content_cut:",
        )
