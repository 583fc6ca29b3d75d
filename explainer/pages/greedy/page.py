"""Page: what does the decoder do at prediction time? Greedy search, one step at a time."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from explainer.pages.frame import whatif
from explainer.pages.frame.page import Words, lesson_page
from explainer.pages.frame.view import Translated
from explainer.pages.greedy.cost import show_computed, show_cost
from explainer.pages.greedy.sight import Sight, sight_of
from explainer.pages.greedy.step import (
    show_attention,
    show_choice,
    show_detour,
    show_distribution,
    show_tokens,
)


def show_greedy_code(sight: Sight) -> None:
    """An expander with the search, one step of the model in the mode that is shown, and how to get the same numbers."""
    from explainer.decode.search.beam import greedy
    from explainer.decode.sources.transformer import CachedModel, PlainModel

    kind = CachedModel if sight.mode == "cache" else PlainModel
    with st.expander("Show the code", key="greedy-code"):
        st.caption("Greedy search is beam search with a beam of 1, read from the source:")
        st.code(_source(greedy), language="python")
        st.caption(f"One step of `{kind.__name__}`:")
        st.code(_source(kind.extend) + "\n" + _source(kind._read), language="python")
        st.caption("The same numbers in Python or a notebook:")
        st.code(snippet(sight), language="python")


def snippet(sight: Sight) -> str:
    """Python that decodes the same sentence in the same mode."""
    specs = sight.specs
    lines = [
        "from explainer.decode.sources.batch import source_batch",
        "from explainer.decode.watched.walk import walk",
    ]
    lines.append("from explainer.translator import Translator")
    if specs:
        lines.append("from explainer.whatif.changes import compiled, edited, parse")
    lines += ["", sight.view.model.code, "model = translator.checkpoint.model"]
    lines.append(f"ids = translator.source_ids({sight.view.sentence!r})")
    more = ""
    if specs:
        lines += [f"changes = tuple(map(parse, {specs!r}))", "ids = edited(changes, ids)"]
        more = ", interventions=compiled(changes, model)"
    lines.append(f"found = walk(model, source_batch([ids]), {sight.mode!r}{more})")
    lines.append(
        f"print(found.tokens[{sight.step}], found.log_probs[{sight.step}], found.sums[{sight.step}])"
    )
    return "\n".join(lines)


@cache
def _source(function: Callable[..., Any]) -> str:
    return inspect.getsource(function)


def show(view: Translated, words: Words) -> None:
    """The step: tokens, distribution, choice; another choice; cross-attention; what is computed, and what it costs."""
    sight = sight_of(view)
    show_tokens(sight)
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_distribution(sight, words)
    with right, st.container(key="choice"):
        show_choice(sight, words)
    with st.container(border=True, key="detour"):
        show_detour(sight, words)
    left, right = st.columns(2, gap="large")
    with left:
        show_computed(sight, words)
    with right:
        show_attention(sight, words)
    show_cost(sight, words)
    left, right = st.columns(2, gap="large")
    with left:
        _show_what_if(view, words)
    with right:
        show_greedy_code(sight)


def _show_what_if(view: Translated, words: Words) -> None:
    st.markdown(words["what if"])
    whatif.offer(
        view, "uniform:cross", "Cross-attention looks evenly at all English tokens", key="if-uniform"
    )
    whatif.offer(view, "unplaced:source", "The encoder is not told where its tokens stand", key="if-unplaced")
    whatif.offer(view, "ahead", "Remove the look-ahead mask of the decoder", key="if-ahead")
    st.caption(words["where it shows"])


lesson_page("greedy", show)
