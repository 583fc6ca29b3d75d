"""Page: what does the decoder do at prediction time? Greedy search, one step at a time."""

import inspect

import streamlit as st

from explainer.decode.search.beam import greedy
from explainer.decode.sources.transformer import CachedModel, PlainModel
from explainer.language import _
from explainer.pages.frame import whatif
from explainer.pages.frame.page import TRANSLATION, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.greedy.cost import show_computed, show_cost
from explainer.pages.greedy.step import (
    GreedyStep,
    chosen_step,
    show_choice,
    show_cross_attention,
    show_detour,
    show_distribution,
    show_said,
)

LINKS = ("decoder", "row", "next", "k", "layer", "head")


def _show_code(here: GreedyStep) -> None:
    """An expander with the search, one step of the model in the mode that is shown, and how to get the same numbers."""
    kind = CachedModel if here.mode == "cache" else PlainModel
    with st.expander(_("Show the code"), key="greedy-code"):
        st.caption(_("Greedy search is beam search with a beam of 1, read from the source:"))
        st.code(inspect.getsource(greedy), language="python")
        st.caption(_("One step of `{model}`:").format(model=kind.__name__))
        step = inspect.getsource(kind.extend) + "\n" + inspect.getsource(kind._read)
        st.code(step, language="python")
        st.caption(_("The same numbers in Python or a notebook:"))
        st.code(_snippet(here), language="python")


def _snippet(here: GreedyStep) -> str:
    """Python that decodes the same sentence in the same mode."""
    specs = here.specs
    lines = [
        "from explainer.decode.sources.batch import source_batch",
        "from explainer.decode.watched.walk import walk",
        "from explainer.translator import Translator",
    ]
    if specs:
        lines.append("from explainer.whatif.changes import compiled, edited, parse")
    lines += ["", here.view.model.code, "model = translator.checkpoint.model"]
    lines.append(f"ids = translator.source_ids({here.view.sentence!r})")
    more = ""
    if specs:
        lines += [f"changes = tuple(map(parse, {specs!r}))", "ids = edited(changes, ids)"]
        more = ", interventions=compiled(changes, model)"
    lines.append(f"found = walk(model, source_batch([ids]), {here.mode!r}{more})")
    lines.append(f"print(found.tokens[{here.step}], found.log_probs[{here.step}], found.sums[{here.step}])")
    return "\n".join(lines)


def show(view: Translated, words: Words) -> None:
    """The step: tokens, distribution, choice; another choice; cross-attention; what is computed, and what it costs."""
    here = chosen_step(view)
    show_said(here)
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_distribution(here, words)
    with right, st.container(key="choice"):
        show_choice(here, words)
    with st.container(border=True, key="detour"):
        show_detour(here, words)
    left, right = st.columns(2, gap="large")
    with left:
        show_computed(here, words)
    with right:
        show_cross_attention(here, words)
    show_cost(here, words)
    left, right = st.columns(2, gap="large")
    with left:
        _show_what_if(view, words)
    with right:
        _show_code(here)


def _show_what_if(view: Translated, words: Words) -> None:
    st.markdown(words["what if"])
    whatif.offer(
        view, "uniform:cross", _("Cross-attention looks evenly at all English tokens"), key="if-uniform"
    )
    whatif.offer(
        view, "unplaced:source", _("The encoder is not told where its tokens stand"), key="if-unplaced"
    )
    whatif.offer(view, "ahead", _("Remove the look-ahead mask of the decoder"), key="if-ahead")
    st.caption(words["where it shows"])


page("greedy", show, needs=TRANSLATION, links=LINKS)
