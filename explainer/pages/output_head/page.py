"""Page: how does a vector become a word? Dot products with every word vector, then softmax over the vocabulary."""

import numpy as np
import streamlit as st

from explainer.equations.output import LOG_PROB, TEMPERED, entropies
from explainer.figures.escape import for_markdown
from explainer.figures.heat.strips import chosen_strip
from explainer.figures.latex import paint
from explainer.figures.style import number, probability
from explainer.language import _
from explainer.measures.anatomy import n_layers
from explainer.measures.vocabulary import chosen_probabilities
from explainer.pages.frame import layout, whatif
from explainer.pages.frame.link import link_number, set_link
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import query_labels
from explainer.pages.output_head.logit import Logit, show_candidates, show_log_prob, show_logit, show_margin

LINKS = ("row", "next", "other", "k", "T")


def show(view: Translated, words: Words) -> None:
    """All rows, one of them with its dot products and its distribution, two tokens against each other, what if."""
    logit = _choose_logit(view)
    _show_rows(view, logit, words)
    show_logit(view, logit, words)
    show_candidates(view, logit, words)
    left, right = st.columns([3, 2], gap="large")
    with left, st.container(key="log-prob-story"):
        show_log_prob(view, logit)
    with right:
        st.latex(paint(TEMPERED, view.theme))
        st.markdown(words["temperature"])
        _show_what_if(view, words)
    show_margin(view, logit, words)


def _choose_logit(view: Translated) -> Logit:
    """Row and token from the link; while it says nothing, the row that is least sure of its token."""
    log_probs = view.shown[LOG_PROB]
    ids = view.translation.ids
    least = int(chosen_probabilities(view.before[LOG_PROB], ids).argmin())
    row = link_number("row", least + 1, 1, len(log_probs)) - 1
    if "next" not in st.query_params:
        set_link(other=None)  # belonged to another sentence or row
    token = link_number("next", ids[row], 0, log_probs.shape[1] - 1)
    return Logit(row=row, label=query_labels(view, "decoder")[row], token=token, chosen=ids[row])


def _show_rows(view: Translated, logit: Logit, words: Words) -> None:
    """The probability of the chosen token in every row; a click selects the row."""
    st.markdown(words["rows"])
    unsure, labels, ids = entropies(view.shown[LOG_PROB]), query_labels(view, "decoder"), view.translation.ids
    before, after = (chosen_probabilities(trace[LOG_PROB], ids) for trace in (view.before, view.trace))
    strip = {"p": after}
    if view.is_difference:
        strip = {_("after − before"): after - before}
    elif view.specs:
        strip = {_("before"): before, _("after"): after}
    numbers = np.stack(list(strip.values()))
    layout.figure(
        chosen_strip(numbers, list(strip), labels, view.theme, selected=logit.row, signed=view.is_difference),
        key="rows",
        alt=_("The probability of the token that each decoder row goes on with"),
        table=lambda: (
            [_("row"), *strip, _("entropy, nats")],
            [
                [label, *(f"{values[i]:.6g}" for values in strip.values()), number(float(unsure[i]), 4)]
                for i, label in enumerate(labels)
            ],
        ),
        says=lambda __, row: {"row": str(row + 1), "next": None, "other": None},
    )
    _say_how_sure(view, logit, chosen_probabilities(view.shown[LOG_PROB], ids), float(unsure[logit.row]))


def _say_how_sure(view: Translated, logit: Logit, probs: np.ndarray, unsure: float) -> None:
    """The probability of the selected row's token against the smallest one; the row's entropy by its own name."""
    least, labels = int(probs.argmin()), query_labels(view, "decoder")
    is_changed = bool(view.specs) and view.compare != "before"
    if logit.row == least:
        told = _("No row is less sure of its token.")
        changed = _("No row is less sure of its token under the changes.")
    else:
        told = _("The row that is least sure of its token is {row}, {name}: {p}.")
        changed = _("The row that is least sure of its token under the changes is {row}, {name}: {p}.")
    here, lowest = (
        {"row": row + 1, "name": for_markdown(labels[row]), "p": probability(float(probs[row]))}
        for row in (logit.row, least)
    )
    entropy = _("The entropy of the selected row's whole distribution is {entropy} nats.")
    sentences = [
        _("Row {row}, {name}: probability {p}.").format(**here),
        (changed if is_changed else told).format(**lowest),
        entropy.format(entropy=number(unsure)),
    ]
    st.caption(" ".join(sentences))


def _show_what_if(view: Translated, words: Words) -> None:
    st.markdown(words["what if"])
    sublayer = f"decoder.{n_layers(view.trace, 'decoder')}.feed_forward"
    whatif.offer(view, f"unadded:{sublayer}", _("No residual in the last sublayer"), key="if-unadded")
    whatif.offer(view, f"unnormed:{sublayer}", _("No layer norm in the last sublayer"), key="if-unnormed")
    evenly = _("Cross-attention looks evenly at all English tokens")
    whatif.offer(view, "uniform:cross", evenly, key="if-uniform")
    whatif.tell_effect(view, words)


page("output_head", show, needs=WHOLE_PASS, links=LINKS)
