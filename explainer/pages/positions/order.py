"""The same words in another order, through the encoder with positions and without; and what can be changed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from explainer.equations.waves import lengths
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.heat.joined import joined
from explainer.figures.heat.matrix import labels
from explainer.figures.style import number, small, span
from explainer.language import _, ngettext
from explainer.pages.frame import layout, whatif
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import link_number, set_link
from explainer.pages.frame.panel import Drawn, drawn
from explainer.pages.frame.view import Translated
from explainer.pages.kit.choice import offer_swap
from explainer.pages.kit.tensor import dimensions

if TYPE_CHECKING:
    from explainer.translator.translator import Translator
    from explainer.whatif.order import OrderTest

SHOWN = 32  # dimensions of each difference that are drawn
MOST = 99  # shuffles that a link can name


def show_what_if(view: Translated, words: Mapping[str, str]) -> None:
    """No positions on one side or both; two words swapped."""
    st.markdown(words["what if"])
    whatif.offer(view, "unplaced:source", _("No positions on the English side"), key="if-source")
    whatif.offer(view, "unplaced:target", _("No positions on the German side"), key="if-target")
    offer_swap(view, [token_label(piece).strip() for piece in view.before.info.source[:-1]])
    whatif.tell_effect(view, words)


def show_order(view: Translated, words: Mapping[str, str]) -> None:
    """The typed order against a shuffle: how far the encoder's outputs are apart once the shuffle is undone."""
    st.subheader(_("The same words in another order"), anchor=False)
    st.markdown(words["order"])
    names = labels(view.before.info.source)
    if len(names) < 3:
        st.info(words["too short"], icon=":material/edit:")
        return
    seed = link_number("shuffle", 1, 1, MOST)
    order, found = _tested(view.model, view.sentence, seed)
    shuffled = " · ".join(for_markdown(names[place].strip()) for place in (*order, len(names) - 1))
    typed = " · ".join(for_markdown(name.strip()) for name in names)
    left, right = st.columns([2, 3], gap="large")
    with left:
        orders = _("Typed: {typed}\n\nShuffled: {shuffled}")
        st.markdown(orders.format(typed=typed, shuffled=shuffled))
        again = str(seed % MOST + 1)
        st.button(_("Shuffle again"), key="shuffle-again", on_click=lambda: set_link(shuffle=again))
        heading = _("encoder"), _("max abs. difference, all tokens and dimensions")
        rows = (
            [_("with positions"), f"**{number(found.with_positions.largest, 3)}**"],
            [_("without positions"), f"**{small(found.without_positions.largest)}**"],
        )
        st.markdown(layout.as_table(heading, rows))
        st.markdown(words["equivariant"])
    with right:
        _show_differences(view, seed, found, names)


def _show_differences(view: Translated, seed: int, found: "OrderTest", names: list[str]) -> None:
    placed, unplaced = found.with_positions, found.without_positions
    d_model = placed.typed.shape[1]
    n_shown = min(SHOWN, d_model)
    sizes = [lengths(one) for one in (placed.typed, placed.difference, unplaced.difference)]
    layout.figure(
        _drawing(view, seed),
        key="order",
        alt=ngettext(
            "Differences of the encoder's outputs between the shuffled and the typed order, first {n} dimension: "
            "with positions up to {placed}, without up to {unplaced}",
            "Differences of the encoder's outputs between the shuffled and the typed order, first {n} dimensions: "
            "with positions up to {placed}, without up to {unplaced}",
            n_shown,
        ).format(n=n_shown, placed=number(placed.largest, 3), unplaced=small(unplaced.largest)),
        table=lambda: (
            [_("token"), _("‖memory‖, typed order"), _("‖Δ‖ with positions"), _("‖Δ‖ without positions")],
            [[name, *(f"{one:.6g}" for one in row)] for name, *row in zip(names, *sizes, strict=True)],
        ),
    )
    told = _(
        "The unchanged model, encoder output of the shuffled order, put back in the typed order, minus that of the "
        "typed one; dimensions 1 to {last} of {n}."
    )
    st.caption(told.format(last=n_shown, n=d_model))


@kept(mebibytes=4)
def _tested(model: "Translator", sentence: str, seed: int) -> "tuple[tuple[int, ...], OrderTest]":
    from explainer.whatif.order import order_test, shuffled_order

    ids = model.source_ids(sentence)
    order = shuffled_order(len(ids), seed)
    return order, order_test(model.checkpoint.model, ids, order)


@kept(mebibytes=16)
def _drawing(view: Translated, seed: int) -> Drawn:
    __, found = _tested(view.model, view.sentence, seed)
    parts = [pair.difference[:, :SHOWN] for pair in (found.with_positions, found.without_positions)]
    titles = _("Δ with positions"), _("Δ without positions")
    names, columns = labels(view.before.info.source), dimensions(parts[0].shape[1])
    bound = span(found.with_positions.difference)
    return drawn(joined(parts, titles, ("",), names, columns, view.theme, bound=bound))
