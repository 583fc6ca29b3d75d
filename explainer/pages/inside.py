"""The frame of the lessons about the typed sentence: the changes in force, one lesson; inside the model, a slim map."""

from collections.abc import Callable, Mapping

import streamlit as st

from explainer.figures.flow import BLOCKS, slim_flow_map
from explainer.figures.style import theme_named
from explainer.pages import lesson, whatif
from explainer.pages.cut import say_cut
from explainer.pages.panel import Drawn, drawn, panel
from explainer.pages.parts import open_page
from explainer.pages.state import set_sentence, theme
from explainer.pages.view import View, view_of

Words = Mapping[str, str]
Show = Callable[[View, Words], None]


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
    words = lesson.opening(name)
    lesson.examples(words, set_sentence)
    view = view_of(st.session_state.get("sentence", ""), whole=whole)
    if view is not None:
        if whole:  # else the page says it where it shows the translation
            say_cut(view)
        whatif.bar(view)
        _body(show, view, words)
    lesson.closing(words)


@st.fragment
def _body(show: Show, view: View, words: Words) -> None:
    if whatif.stale(view) or (view.specs and st.query_params.get("show", "after") != view.compare):
        st.rerun()
    show(view, words)


def _slim_map(name: str) -> None:
    with st.container(key="slim-map"):
        alt = f"The parts of the Transformer in the order of the data; this page is about: {_title(name)}"
        picked = panel(_slim(name, theme().name), key="slim", alt=alt, name="glassbox-map")
    if picked and picked["customdata"] and picked["customdata"][0] != name:
        open_page(picked["customdata"][0])


@st.cache_resource(show_spinner=False)
def _slim(name: str, theme_name: str) -> Drawn:
    return drawn(slim_flow_map(name, theme_named(theme_name)))


def _title(name: str) -> str:
    return BLOCKS[name].replace("<br>", " ")
