"""State: what is cached for all visitors, and the sentence that all pages share."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from jaxtyping import Float

from explainer.equations.output import LOG_PROB
from explainer.figures.style import Theme, theme_named
from explainer.measures.anatomy import attention_hooks
from explainer.measures.flow import flow_hooks
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import set_link

if TYPE_CHECKING:
    from explainer.capture.trace import Trace
    from explainer.translator.translator import Translation, Translator
    from explainer.whatif.changes import Changes


MAX_CHARACTERS = 600
DEFAULT_SENTENCE = "The animal didn't cross the street because it was too tired."
Specs = tuple[str, ...]  # changes as the link spells them
_PAGES = Path(__file__).parents[1]


@kept(mebibytes=16)
def translation_of(model: "Translator", text: str, specs: Specs = ()) -> "Translation":
    """The translation of `text`, kept for the next visitor who types the same.

    Args:
        model: The model that is open.
        text: English.
        specs: What is changed on the way.
    """
    return model.translate(text, changes=_changes(specs))


@kept(mebibytes=192)
def trace_of(
    model: "Translator",
    text: str,
    ids: tuple[int, ...],
    specs: Specs = (),
    *,
    whole: bool = False,
    padding: int = 0,
) -> "Trace":
    """The pass that reads `text` and predicts the target; shared by all visitors.

    Args:
        model: The model that is open.
        text: English.
        ids: The target.
        specs: What is changed on the way.
        whole: Keep every hook point; else those that the Translate page shows.
        padding: How many `<pad>` stand after both sentences.
    """
    from explainer.capture.trace import everything

    wanted = everything if whole else shown_hooks
    return model.trace(text, ids, wanted=wanted, changes=_changes(specs), padding=padding)


@kept(mebibytes=16)
def last_log_probs(
    model: "Translator", text: str, ids: tuple[int, ...], specs: Specs = ()
) -> Float[np.ndarray, " vocab"]:
    """Log-probabilities of the token after `ids`, in nats, by a pass that was given no later token."""
    from explainer.text.tokenizer import END_ID

    asked = (*ids, END_ID)  # what the last row predicts is not read: any token may stand there
    trace = model.trace(text, asked, wanted=LOG_PROB.__eq__, changes=_changes(specs))
    return trace[LOG_PROB][-1]


def shown_hooks(name: str) -> bool:
    """The hook points that the Translate page reads."""
    return flow_hooks(name) or attention_hooks(name) or name.startswith("head.")


def _changes(specs: Specs) -> "Changes":
    from explainer.whatif.changes import parse

    return tuple(map(parse, specs))


def choose_sentence() -> str:
    """The input for the sentence: live, in the link, the same on all pages."""
    st.session_state.setdefault("sentence", DEFAULT_SENTENCE)
    return (
        st.text_input(
            "English",
            key="sentence",
            bind="query-params",
            persist_state="session",
            live=True,
            on_change=forget_place,
            max_chars=MAX_CHARACTERS,
            placeholder="Type an English sentence",
        )
        or ""
    )


def set_sentence(sentence: str) -> None:
    """Put a sentence into the input."""
    st.session_state["sentence"] = sentence
    forget_place()


def forget_place() -> None:
    """Drop from the link what belonged to the sentence that was: another one has other rows and cells."""
    set_link(
        **dict.fromkeys(("row", "cell", "next", "token", "merge", "dims", "swap-one", "swap-other", "target"))
    )
    set_link(**dict.fromkeys(("node", "force", "at", "end")))  # of a search tree


def theme() -> Theme:
    """The colours of the theme that the visitor sees."""
    return theme_named(st.context.theme.type)


@kept(mebibytes=8)
def prose(page: str, language: str = "en") -> dict[str, str]:
    """The sections of a page's Markdown file by their `## headings`."""
    text = (_PAGES / page / f"{language}.md").read_text(encoding="utf-8")
    parts = text.removeprefix("## ").split("\n## ")
    return {name.strip(): body.strip() for name, _, body in (part.partition("\n") for part in parts)}
