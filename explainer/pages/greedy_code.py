"""Show the code of greedy search: the functions that really run, and a snippet that repeats it."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from explainer.pages.greedy_sight import Sight


def show_greedy_code(sight: Sight) -> None:
    """An expander with the search, one step of the model in the mode that is shown, and how to get the same numbers."""
    from explainer.decode.model import CachedModel, PlainModel
    from explainer.decode.search import greedy

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
    lines = ["from explainer.decode.batch import source_batch", "from explainer.decode.walk import walk"]
    lines.append("from explainer.translator import Translator")
    if specs:
        lines.append("from explainer.whatif.changes import compiled, edited, parse")
    lines += ["", "translator = Translator.load()", "model = translator.checkpoint.model"]
    lines.append(f"ids = translator.source_ids({sight.view.sentence!r})")
    more = ""
    if specs:
        lines += [f"changes = tuple(map(parse, {specs!r}))", "ids = edited(changes, ids)"]
        more = ", interventions=compiled(changes, model.config)"
    lines.append(f"found = walk(model, source_batch([ids]), {sight.mode!r}{more})")
    lines.append(
        f"print(found.tokens[{sight.step}], found.log_probs[{sight.step}], found.sums[{sight.step}])"
    )
    return "\n".join(lines)


@cache
def _source(function: Callable[..., Any]) -> str:
    return inspect.getsource(function)
