"""Show the code: the lines of the model that compute an array, and a snippet that reproduces it."""

import inspect
import textwrap
from typing import TYPE_CHECKING

import streamlit as st

from explainer.pages.state import Specs, translator

if TYPE_CHECKING:
    from torch import nn

    from explainer.pages.view import View


def show_code(view: "View", hook: str, *, key: str, index: tuple[int, ...] = ()) -> None:
    """An expander with the function that really runs at this hook point, and how to get the same array.

    Args:
        view: Whose sentence and changes the snippet repeats.
        hook: Full name of the hook point.
        key: Widget key.
        index: Which part of the array is shown: a head, a row.
    """
    with st.expander("Show the code", key=key):
        module, attribute = hook.rpartition(".")[::2]
        source = function_at(translator().checkpoint.model.get_submodule(module), attribute)
        st.caption(f"What runs at `{hook}`, read from the source:")
        st.code(source, language="python")
        specs = () if view.compare == "before" else view.specs
        st.caption("The same array in Python or a notebook (copy with the button at the right):")
        st.code(snippet(view.sentence, hook, specs, index, view.padding), language="python")


def function_at(module: "nn.Module", attribute: str) -> str:
    """The source of the method of `module` that passes its tensor to the hook point `attribute`.

    Raises:
        LookupError: no method does.
    """
    for _, method in inspect.getmembers(type(module), inspect.isfunction):
        if method.__name__ != "__init__" and method.__module__.startswith("explainer."):
            source = inspect.getsource(method)
            if f"self.{attribute}(" in source:
                return textwrap.dedent(source)
    raise LookupError(f"no method of {type(module).__name__} passes a tensor to {attribute}")


def snippet(sentence: str, hook: str, specs: Specs, index: tuple[int, ...], padding: int = 0) -> str:
    """Python that reproduces the array of a hook point for this sentence under these changes."""
    at = "".join(f"[{i}]" for i in index)
    lines = ["from explainer.translator import Translator"]
    if specs:
        lines.append("from explainer.whatif.changes import parse")
    lines += [
        "",
        "translator = Translator.load()",
        f"sentence = {sentence!r}",
        "ids = translator.translate(sentence).ids",
    ]
    if specs:
        lines.append(f"changes = tuple(map(parse, {specs!r}))")
    more = (", changes=changes" if specs else "") + (f", padding={padding}" if padding else "")
    lines += [f"trace = translator.trace(sentence, ids{more})", f'print(trace["{hook}"]{at})']
    return "\n".join(lines)
