"""The frame of every page: question, examples, the changes in force, what the page shows, what to be careful about."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.flow.map import BLOCKS, slim_flow_map
from explainer.figures.style import theme_named
from explainer.language import _
from explainer.pages.frame import whatif
from explainer.pages.frame.caches import kept
from explainer.pages.frame.cut import say_cut
from explainer.pages.frame.navigation import open_page
from explainer.pages.frame.panel import Drawn, drawn, panel
from explainer.pages.frame.session import prose, set_sentence, theme
from explainer.pages.frame.share import fragment, note, noting
from explainer.pages.frame.view import Translated, view_of

Words = Mapping[str, str]
Show = Callable[[Any, Words], None]


@dataclass(frozen=True)
class Needs:
    """What a page reads, and which examples it offers.

    Attributes:
        sentence: Whether it reads the typed sentence; if not, the input is hidden, and kept for the other pages.
        view: Whether it shows the sentence's translation and pass.
        whole: Whether it shows every hook point of the pass; then the slim map stands above it.
        examples: The section of its prose with sentences to try, if it has one; a click on one calls `choose`.
    """

    sentence: bool = True
    view: bool = True
    whole: bool = False
    changes: bool = True
    examples: str = "try this"
    choose: Callable[[str], None] = set_sentence


TRANSLATION = Needs()
WHOLE_PASS = Needs(whole=True)
NOTHING = Needs(sentence=False, view=False)
SENTENCE = replace(NOTHING, sentence=True)


def page(name: str, show: Show, *, needs: Needs | Callable[[Words], Needs], links: Sequence[str]) -> None:
    """A whole page; `name` is also its folder and its block of the map, `links` all that it says in its link.

    `show` is given the view and the page's words. With a view it runs as a fragment, so that a click in it draws
    nothing else anew; without, the view is None and it makes fragments of its own. `needs` is a function if what the
    page reads is chosen on it, above everything else.
    """
    with noting(links):
        if needs == WHOLE_PASS:
            _slim_map(name)
        words = prose(name)
        st.title(words["question"], anchor=False)
        st.markdown(words["introduction"])
        needed = needs if isinstance(needs, Needs) else needs(words)
        if needed.sentence:
            note("sentence", st.session_state.get("sentence", ""))
        else:
            st.html("<style>.st-key-sentence { display: none; }</style>")
        if needed.examples in words:
            _examples(words[needed.examples], needed.choose)
        if needed.view:
            _show_view(show, needed, words)
        else:
            show(None, words)
        _closing(words)


def _show_view(show: Show, needs: Needs, words: Words) -> None:
    view = view_of(st.session_state.get("sentence", ""), whole=needs.whole)
    if view is None:
        return
    if needs.whole:  # else the page says it where it shows the translation
        say_cut(view)
    if needs.changes:
        whatif.bar(view)
    _shown(show, view, words)


@fragment
def _shown(show: Show, view: Translated, words: Words) -> None:
    whatif.renew_if_stale(view)
    show(view, words)


def _examples(section: str, choose: Callable[[str], None]) -> None:
    """The sentences to try, one click each; `choose` is called with the one that was clicked."""
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="examples"):
        st.markdown(_("Try this:"), width="content")
        for i, line in enumerate(section.splitlines()):
            sentence, __, why = line.removeprefix("- ").partition(" — ")
            _sentence_button(sentence, f"try-{i}", choose, why or None)


def _closing(words: Words) -> None:
    """The mistakes to avoid, and what to find out; the sentences that a task needs are one click away."""
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True, key="careful"):
        st.subheader(_("Careful!"), anchor=False)
        st.markdown(words["careful"])
    with right, st.container(border=True, key="tasks"):
        st.subheader(_("Find out"), anchor=False)
        found = tasks(words["find out"])
        if not found:
            st.markdown(words["find out"])
        for number, task in enumerate(found, 1):
            st.markdown(f"{number}. {task.text}")
            if task.sentences:
                with st.container(horizontal=True, gap="xsmall", key=f"task-{number}"):
                    for i, sentence in enumerate(task.sentences):
                        _sentence_button(sentence, f"task-{number}-{i}", set_sentence)


@dataclass(frozen=True)
class Task:
    """Something to find out, and the sentences to try it with."""

    text: str
    sentences: tuple[str, ...]


def tasks(section: str) -> list[Task]:
    """The tasks of a numbered list; indented points below one are its sentences."""
    found = []
    for part in re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]:
        lines = [line.strip() for line in part.strip().splitlines()]
        sentences = tuple(line.removeprefix("- ") for line in lines if line.startswith("- "))
        found.append(Task(" ".join(line for line in lines if not line.startswith("- ")), sentences))
    return found


def _sentence_button(sentence: str, key: str, choose: Callable[[str], None], why: str | None = None) -> None:
    label = for_markdown(sentence)
    st.button(label, key=key, on_click=choose, args=(sentence,), help=why, type="tertiary")


def _slim_map(name: str) -> None:
    with st.container(key="slim-map"):
        title = _(BLOCKS[name]).replace("<br>", " ")
        alt = _("The parts of the Transformer in the order of the data; this page is about: {title}")
        picked = panel(
            _slim(name, theme().name), key="slim", alt=alt.format(title=title), name="glassbox-map"
        )
    if picked and picked["customdata"] and picked["customdata"][0] != name:
        open_page(picked["customdata"][0])


@kept(mebibytes=8)
def _slim(name: str, theme_name: str) -> Drawn:
    return drawn(slim_flow_map(name, theme_named(theme_name)))
