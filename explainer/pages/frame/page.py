"""The frame of the lessons about the typed sentence: the changes in force, one lesson; inside the model, a slim map."""

from collections.abc import Callable, Mapping

import streamlit as st

from explainer.figures.flow.map import BLOCKS, slim_flow_map
from explainer.figures.style import theme_named
from explainer.pages.frame import layout, whatif
from explainer.pages.frame.caches import kept
from explainer.pages.frame.cut import say_cut
from explainer.pages.frame.navigation import open_page
from explainer.pages.frame.panel import Drawn, drawn, panel
from explainer.pages.frame.session import set_sentence, theme
from explainer.pages.frame.view import Translated, view_of

Words = Mapping[str, str]
Show = Callable[[Translated, Words], None]


def inside_page(name: str, show: Show) -> None:
    """A whole page: map, question, examples, changes, the lesson itself, what to be careful about.

    Args:
        name: Of the page, its prose and its block of the map.
        show: Draws the lesson; it runs as a fragment, so that a click in it draws nothing else anew.
    """
    _slim_map(name)
    lesson_page(name, show, whole=True)


def lesson_page(name: str, show: Show, *, whole: bool = False) -> None:
    """A page about the typed sentence without the map; arguments as for `inside_page`.

    Args:
        name: Of the page and its prose.
        show: Draws the lesson, as a fragment.
        whole: Trace every hook point.
    """
    words = layout.opening(name)
    layout.examples(words, set_sentence)
    view = view_of(st.session_state.get("sentence", ""), whole=whole)
    if view is not None:
        if whole:  # else the page says it where it shows the translation
            say_cut(view)
        whatif.bar(view)
        _body(show, view, words)
    layout.closing(words)


@st.fragment
def _body(show: Show, view: Translated, words: Words) -> None:
    if whatif.stale(view) or (view.specs and st.query_params.get("show", "after") != view.compare):
        st.rerun()
    show(view, words)


def _slim_map(name: str) -> None:
    with st.container(key="slim-map"):
        alt = f"The parts of the Transformer in the order of the data; this page is about: {_title(name)}"
        picked = panel(_slim(name, theme().name), key="slim", alt=alt, name="glassbox-map")
    if picked and picked["customdata"] and picked["customdata"][0] != name:
        open_page(picked["customdata"][0])


@kept(mebibytes=8)
def _slim(name: str, theme_name: str) -> Drawn:
    return drawn(slim_flow_map(name, theme_named(theme_name)))


def _title(name: str) -> str:
    return BLOCKS[name].replace("<br>", " ")
