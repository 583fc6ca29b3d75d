"""Attention is not explanation: what a head adds beside how much it weighs, and the weights without special tokens."""

import numpy as np
import streamlit as st

from explainer.capture.trace import Trace
from explainer.figures.style import span
from explainer.language import _, mark
from explainer.measures.anatomy import columns_of
from explainer.measures.heads import weighted_outputs, without_specials
from explainer.pages.frame import layout
from explainer.pages.frame.link import choose
from explainer.pages.frame.page import Words
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place, key_labels, query_labels, row_title

_WEIGHTS, _NORMS, _HIDDEN = mark("weights"), mark("norms ‖α·v W_O‖"), mark("without special tokens")
_NAMES = {_WEIGHTS: _WEIGHTS, _NORMS: mark(r"norms $\lVert\alpha\,v\,W_O\rVert$"), _HIDDEN: _HIDDEN}


def show_not_an_explanation(view: Translated, place: Place, words: Words) -> None:
    """Weights, norms, or weights without special tokens of one head; the text is the section "not an explanation"."""
    st.markdown(words["not an explanation"])
    measure = choose("measure", _("Show"), tuple(_NAMES), _NORMS, format_func=lambda one: _(_NAMES[one]))
    values = view.derived(lambda trace: _measured(view, place, measure, trace))
    if measure == _HIDDEN:
        told = _(
            "Special tokens are hidden and each row is divided by what is left: **not** the model's weights any more."
        )
        st.caption(told)
    seen = view.shown.under(f"{place.path}.attend")
    if not seen["hook_mixed"][place.head].any():
        st.caption(_("This head is switched off: nothing of this arrives."))
    key_title = _("key (special tokens hidden, rows renormalised)") if measure == _HIDDEN else _("key")
    alt = _("{measure} of layer {layer}, head {head}")
    layout.matrix_figure(
        values[place.head], query_labels(view, place.kind), key_labels(view, place.kind), view.theme,
        key="norms", alt=alt.format(measure=_(measure), layer=place.layer + 1, head=place.head + 1),
        kind="signed" if view.is_difference else "lengths" if measure == _NORMS else "weights",
        allowed=None if view.is_difference else seen["hook_mask"][place.head], bound=span(values), compact=True,
        role="value" if measure == _NORMS else "attention", row_title=row_title(place.kind), column_title=key_title,
    )  # fmt: skip


def _measured(view: Translated, place: Place, measure: str, trace: Trace) -> np.ndarray:
    """One matrix for each head of the layer."""
    weights = trace[f"{place.path}.attend.hook_weights"]
    if measure == _NORMS:
        output = view.model.parameters[f"{place.path}.output.weight"]
        return weighted_outputs(weights, trace[f"{place.path}.hook_v"], output)
    if measure == _HIDDEN:
        return without_specials(weights, columns_of(place.kind, view.tokens))
    return weights
