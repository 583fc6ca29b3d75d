"""The limit of a sentence, and what was cut at it: said in the same words on all pages."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.language import _, ngettext

if TYPE_CHECKING:
    from explainer.pages.frame.view import Translated
    from explainer.translator.translator import Translator

MOST_TOKENS = 100  # the largest limit: that of the longest sentence that can be typed


def marked(text: str, ended: bool) -> str:
    """What a search found: a text that was cut is marked."""
    return text if ended else _("{text} … (cut)").format(text=text)


def limit_of(model: "Translator", sentence: str) -> int:
    """The most tokens of the translation of a typed sentence, `</s>` included."""
    return model.limit_for(len(model.source_ids(sentence)))


def limit_in_words(model: "Translator", sentence: str) -> str:
    """How that limit comes about."""
    from explainer.decode.search.rules import LONGER, MORE

    limit, n_source = limit_of(model, sentence), len(model.source_ids(sentence))
    if limit < int(LONGER * n_source) + MORE:
        all_places = ngettext(
            "{n} token (all that the model has positions for)",
            "{n} tokens (all that the model has positions for)",
            limit,
        )
        return all_places.format(n=limit)
    product = ngettext(
        "{limit} tokens ({factor} × {n} English token + {more})",
        "{limit} tokens ({factor} × {n} English tokens + {more})",
        n_source,
    )
    return product.format(limit=limit, factor=f"{LONGER:g}", n=n_source, more=MORE)


def say_cut(view: "Translated") -> None:
    """One line if the search for the translation found no end."""
    if not view.translation.ended:
        say_cut_at(limit_in_words(view.model, view.sentence))


def say_cut_at(limit: str) -> None:
    """The same of a limit, in words."""
    told = _(
        "**Cut at the limit** of {limit}: the search found no end. No row predicts `</s>`, no number counts it."
    )
    st.info(told.format(limit=limit), icon=":material/content_cut:")
