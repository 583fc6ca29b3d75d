"""Page: how does it know the order? Sinusoids, their sum with the embeddings, and the same words in another order."""

import streamlit as st

from explainer.equations.waves import lengths
from explainer.figures.bars.rows import lengths_by_token
from explainer.figures.heat.matrix import labels
from explainer.language import _
from explainer.pages.frame import layout
from explainer.pages.frame.link import choose
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.kit.tensor import show_arithmetic
from explainer.pages.kit.window import NAMES, Side, choose_window, show_joined
from explainer.pages.positions.order import show_order, show_what_if
from explainer.pages.positions.waves import show_comparison, show_encodings, show_waves

LINKS = (
    "side", "cell", "dims", "range", "layout", "pairs",
    "measure", "pos", "at", "shuffle", "swap-one", "swap-other",
)  # fmt: skip
WIDTH = 4  # dimensions that are shown at once: two pairs


def show(view: Translated, words: Words) -> None:
    """The sum cell by cell, the table, waves, positions compared, the same words in another order."""
    forgets = ("cell", "row")
    named = choose(
        "side", _("Side"), tuple(NAMES), "source", format_func=lambda one: _(NAMES[one]), forgets=forgets
    )
    side = Side(named)
    has_formula = view.model.checkpoint.model.config.positions == "sinusoidal"
    _show_sum(view, side, words, has_formula=has_formula)
    if has_formula:
        show_encodings(view, side, words)
        pairs = show_waves(view, side, words)
        show_comparison(view, pairs, words)
    left, right = st.columns(2, gap="large")
    with left:
        _show_sizes(view, side, words)
    with right:
        st.subheader(_("Could positions be learned?"), anchor=False)
        st.markdown(words["learned"])
        st.subheader(_("What if?"), anchor=False)
        show_what_if(view, words)
    show_order(view, words)


def _show_sum(view: Translated, side: Side, words: Words, *, has_formula: bool) -> None:
    rows = view.shown[f"{side.path}.hook_sum"]
    st.markdown(words["sum"])
    left, right = st.columns(2, gap="large")
    with left:
        window = choose_window(rows.shape, (min(1, len(rows) - 1), 0), WIDTH)
        show_joined(
            view,
            side,
            ("hook_scaled", "hook_position", "hook_sum"),
            (f"√{rows.shape[1]} · E[token]", "PE", _("X, input")),
            ("+", "="),
            window,
            key="sum",
        )
        st.caption(words["why this cell"])
    with right, st.container(key="story"):
        show_arithmetic(view, side.tensor(view, "hook_sum", _("X, input")), window.cell, key="input")
        if has_formula:
            show_arithmetic(view, side.tensor(view, "hook_position", "PE"), window.cell, key="place")
        else:
            st.info(words["no formula"])


def _show_sizes(view: Translated, side: Side, words: Words) -> None:
    st.subheader(_("Does the position drown the word?"), anchor=False)
    st.markdown(words["sizes"])
    hooks = ("hook_token", "hook_scaled", "hook_position")
    names = ("‖E[token]‖", "‖√d_model · E[token]‖", "‖PE‖")
    sizes = [lengths(view.shown[f"{side.path}.{hook}"]) for hook in hooks]
    rows = labels(side.pieces(view))
    alt = _(
        "For each token the length of its row of E, of the row times √d_model, and of its position vector"
    )
    layout.figure(
        lengths_by_token(sizes, names, rows, view.theme),
        key="sizes",
        alt=alt,
        table=lambda: (
            [_("token"), *names],
            [[row, *(f"{one:.4f}" for one in values)] for row, *values in zip(rows, *sizes, strict=True)],
        ),
    )


page("positions", show, needs=WHOLE_PASS, links=LINKS)
