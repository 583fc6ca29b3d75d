"""State: what is cached for all visitors, and what all pages of a visitor share: language, sentence, theme."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from jaxtyping import Float
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explainer.equations.output import HEAD, LOG_PROB
from explainer.figures.style import Theme, theme_named
from explainer.language import ENGLISH, PSEUDO, _, ask_visitor, language, languages, pseudo, speak
from explainer.measures.anatomy import attention_hooks
from explainer.measures.flow import flow_hooks
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import fell_back, set_link

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
    """The translation of `text` under some changes, kept for the next visitor who types the same."""
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
    """The pass that reads `text` and predicts `ids` under some changes; shared by all visitors.

    It keeps what the Translate page shows, or the `whole`; `padding` many `<pad>` stand after both sentences.
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
    return flow_hooks(name) or attention_hooks(name) or name.startswith(f"{HEAD}.")


def _changes(specs: Specs) -> "Changes":
    from explainer.whatif.changes import parse

    return tuple(map(parse, specs))


def choose_language() -> None:
    """Speak the language that the link names, on all pages from now on; it stays in the link."""
    asked = st.query_params.get(_LANGUAGE)
    if asked is not None and asked not in languages():
        spoken = ", ".join(one for one in languages() if one != PSEUDO)
        fell_back(_LANGUAGE, asked, _("one of {options}").format(options=spoken))
    elif asked is not None:
        st.session_state[_LANGUAGE] = asked
    speak(st.session_state.get(_LANGUAGE, ENGLISH))
    if language() != ENGLISH:
        set_link(**{_LANGUAGE: language()})


def _visitors_language() -> str | None:
    """What the visitor chose, for parts of a page and callbacks that run by themselves; None outside a session."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    return st.session_state.get(_LANGUAGE, ENGLISH)


_LANGUAGE = "language"
ask_visitor(_visitors_language)


def choose_sentence() -> None:
    """The input for the sentence: live, in the link, the same on all pages."""
    st.session_state.setdefault("sentence", DEFAULT_SENTENCE)
    st.text_input(
        _("English"), key="sentence", bind="query-params", persist_state="session", live=True,
        on_change=forget_place, max_chars=MAX_CHARACTERS, placeholder=_("Type an English sentence"),
    )  # fmt: skip


def set_sentence(sentence: str) -> None:
    """Put a sentence into the input."""
    st.session_state["sentence"] = sentence
    forget_place()


def forget_place() -> None:
    """Drop from the link what belonged to the sentence that was: another one has other rows and cells."""
    places = ("row", "cell", "next", "token", "merge", "dims", "swap-one", "swap-other", "target")
    set_link(**dict.fromkeys((*places, "node", "force", "at", "end")))  # the last four: of a search tree


def theme() -> Theme:
    """The colours of the theme that the visitor sees."""
    return theme_named(st.context.theme.type)


def prose(page: str) -> dict[str, str]:
    """The sections of a page's Markdown file by their `## headings`, in the visitor's language if it has one."""
    return _prose(page, language())


@kept(mebibytes=8)
def _prose(page: str, language: str) -> dict[str, str]:
    path = _PAGES / page / f"{language}.md"
    text = (path if path.exists() else path.with_stem(ENGLISH)).read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.removeprefix("## ").split("\n## "))
    sections = {name.strip(): body.strip() for name, __, body in parts}
    if language == PSEUDO:
        return {name: _pseudo_section(name, body) for name, body in sections.items()}
    return sections


def _pseudo_section(name: str, body: str) -> str:
    """A section in the pseudo-language; the sentences to try are the model's, and stay."""
    if name.startswith("try this"):
        return re.sub("(?<= — ).*", lambda why: pseudo(why[0]), body)
    parts = re.split(r"(^ +- .*\n?)", body, flags=re.MULTILINE) if name == "find out" else [body]
    return "".join(part if i % 2 else pseudo(part) for i, part in enumerate(parts))
