"""Parts of the page about masks: the mask itself, and the proof that a row does not need its future."""

import streamlit as st

from explainer.equations.attention import additive
from explainer.equations.output import LOG_PROB
from explainer.equations.softmax import largest_difference
from explainer.figures.escape import for_markdown
from explainer.figures.heat.matrix import decoder_labels
from explainer.figures.style import shape_text, small
from explainer.language import _, ngettext
from explainer.pages.frame import layout
from explainer.pages.frame.link import link_choice, set_link
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import last_log_probs
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place, key_labels, query_labels, row_title

ROUNDING = 1e-3  # nats: what float32 may lose on the way; more is another number


def show_mask(
    view: Translated, place: Place, cell: tuple[int, int], *, key: str = "mask", compact: bool = False
) -> None:
    """M of all heads of a layer: 0 where a query may attend, −∞ where it may not; a click selects the cell."""
    allowed = view.shown[f"{place.path}.attend.hook_mask"][place.head]
    values = additive(allowed)
    shape, n_masked = f"${shape_text(('T_q', 'T_k'), values.shape)}$", int((~allowed).sum())
    st.markdown(_("**M, the mask** · {shape}, the same for all heads").format(shape=shape))
    alt = ngettext(
        "The mask: {n} of {cells} cells is −∞, the others 0",
        "The mask: {n} of {cells} cells are −∞, the others 0",
        n_masked,
    )
    layout.matrix_figure(
        values, query_labels(view, place.kind), key_labels(view, place.kind), view.theme,
        key=key, alt=alt.format(n=n_masked, cells=allowed.size), kind="signed", row_title=row_title(place.kind),
        column_title=_("key"), selected=cell, compact=compact,
        says=lambda y, x: {"cell": f"{y + 1}.{x + 1}"},
    )  # fmt: skip


def say_changed(view: Translated, place: Place, words: Words) -> None:
    """Whether the mask that is shown is the model's own, and in how many cells it differs."""
    hook = f"{place.path}.attend.hook_mask"
    changed = int((view.shown[hook][place.head] != view.before[hook][place.head]).sum())
    if changed:
        st.info(layout.filled(words["mask, changed"], cells=changed), icon=":material/change_circle:")


def show_prefix_check(view: Translated, words: Words) -> None:
    """The row of one pass over the whole target against the pass that has read no more than its own past."""
    st.markdown(words["all at once"])
    tokens = view.tokens
    labels = decoder_labels(tokens.target, tokens.predicted)
    default = min(3, len(labels))
    row = link_choice("row", range(1, len(labels) + 1), default)
    st.session_state["prefix-row"] = row
    st.select_slider(
        _("Row"),
        range(1, len(labels) + 1),
        key="prefix-row",
        format_func=lambda one: f"{one}: {labels[one - 1]}",
        on_change=lambda: set_link(row=str(st.session_state["prefix-row"])),
    )
    ids = view.translation.ids
    alone = last_log_probs(view.model, view.sentence, ids[: row - 1], view.specs)
    difference = largest_difference(view.trace[LOG_PROB][row - 1], alone)
    read = " ".join(for_markdown(token) for token in tokens.target[:row])
    compared = _(
        "Row {row} of the whole pass, against a pass that was given only {read}: the log-probabilities of all "
        "{n} tokens differ by at most **max |Δ| = {difference}**."
    )
    st.markdown(compared.format(row=row, read=read, n=len(alone), difference=small(difference)))
    if difference > ROUNDING:
        st.caption(words["not without the mask"])
