"""Page: how do words become vectors? Pieces, ids, rows of the embedding table, and which rows are alike."""

import numpy as np
import streamlit as st

from explainer.figures.bars.rows import cosine_bars
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.latex import story_latex
from explainer.figures.style import number
from explainer.language import _, ngettext
from explainer.measures.vocabulary import COSINE, cosine_story
from explainer.pages.frame import layout, whatif
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.kit.choice import offer_swap
from explainer.pages.kit.tensor import show_arithmetic
from explainer.pages.kit.window import choose_window, show_joined
from explainer.pages.tokens.choice import Entry, chosen, plain, show_tied, show_tokens
from explainer.pages.tokens.map import neighbours_of, show_plane
from explainer.pages.tokens.merges import show_merges
from explainer.text.tidy import tidy

LINKS = ("side", "row", "token", "merge", "cell", "dims", "plane", "swap-one", "swap-other")
WIDTH = 6  # dimensions that are shown at once


def show(view: Translated, words: Words) -> None:
    """Tokens, merges, rows of the table, neighbours, map, what if."""
    entry = chosen(view)
    show_tokens(view, entry, words)
    show_merges(view, entry, words)
    _show_rows(view, entry, words)
    show_tied(view, entry, words)
    left, right = st.columns(2, gap="large")
    with left:
        _show_neighbours(view, entry, words)
    with right:
        show_plane(view, entry, words)
    _show_what_if(view, entry, words)


def _show_rows(view: Translated, entry: Entry, words: Words) -> None:
    st.subheader(_("From ids to rows of numbers"), anchor=False)
    st.markdown(words["rows"])
    side = entry.side
    left, right = st.columns(2, gap="large")
    rows = view.shown[f"{side.path}.hook_token"]
    with left:
        default = entry.row, int(np.abs(rows[entry.row]).argmax())
        window = choose_window(rows.shape, default, WIDTH)
        show_joined(
            view,
            side,
            ("hook_token", "hook_scaled"),
            ("E[token]", f"√{rows.shape[1]} · E[token]"),
            ("→",),
            window,
            key="rows",
            lit=((0, window.cell[0]),),
            sets_row=True,
        )
        st.caption(words["why this cell"])
    with right, st.container(key="story"):
        scaled = side.tensor(view, "hook_scaled", _("scaled embedding"))
        show_arithmetic(view, scaled, window.cell, key="scaled")


def _show_neighbours(view: Translated, entry: Entry, words: Words) -> None:
    st.subheader(_("Which entries are alike?"), anchor=False)
    st.markdown(words["neighbours"])
    tokenizer = view.tokenizer
    found = neighbours_of(view.model, entry.table_name, entry.token)
    ids = found.ids[:10].tolist()
    pieces = tokenizer.pieces(ids)
    whose = _("Nearest to **{name}** (token {token}) among all {n} entries:")
    st.markdown(whose.format(name=plain(entry.piece), token=entry.token, n=len(tokenizer)))
    alt = _("The ten entries with the largest cosine to {token}; the first is {first} with {cosine}")
    first = {"first": pieces[0].strip(), "cosine": number(float(found.cosines[0]), 3)}
    layout.figure(
        cosine_bars(ids, pieces, found.cosines[:10], view.theme),
        key="neighbours",
        alt=alt.format(token=entry.piece.strip(), **first),
        table=lambda: (
            [_("token"), _("id"), _("cosine")],
            [[*row] for row in zip(pieces, ids, found.cosines[:10].tolist(), strict=True)],
        ),
        says=lambda token: {"token": str(token)},
        part="token",
    )
    title = _("The first bar, term by term: b = {token}")
    with st.expander(title.format(token=plain(pieces[0])), key="cosine-story"):
        st.latex(COSINE)
        st.latex(story_latex(cosine_story(entry.table, entry.token, ids[0]), view.theme))
        told = _(
            "The terms are numbered by dimension. The model computes no cosines; this is the page's ruler."
        )
        st.caption(told)


def _show_what_if(view: Translated, entry: Entry, words: Words) -> None:
    st.subheader(_("What if?"), anchor=False)
    st.markdown(words["what if"])
    names = [token_label(piece).strip() for piece in view.before.info.source[:-1]]
    left, right = st.columns(2, gap="large")
    with left:
        if entry.side.name == "source" and entry.row < len(names):
            _offer_replacement(view, entry, names[entry.row])
        else:
            st.caption(words["not replaceable"])
    with right:
        offer_swap(view, names)
    whatif.tell_effect(view, words)


def _offer_replacement(view: Translated, entry: Entry, name: str) -> None:
    spec = f"replace:{entry.row + 1}:"
    label = _("In place of token {n}, {name}, the row of this word")
    label = label.format(n=entry.row + 1, name=for_markdown(name))
    other = tidy(st.text_input(label, value="dog", key="other-word", max_chars=40) or "")
    ids = view.tokenizer.encode(other)
    if len(ids) == 1:
        label = _("Replace it by {word}").format(word=for_markdown(other))
        whatif.offer_value(view, spec, f"{spec}{ids[0]}", label, key="if-replace")
    elif ids:
        pieces = " · ".join(for_markdown(token_label(piece)) for piece in view.tokenizer.pieces(ids))
        told = ngettext(
            "That word is {n} piece: {pieces}. One place holds one row: choose a word that is one piece.",
            "That word is {n} pieces: {pieces}. One place holds one row: choose a word that is one piece.",
            len(ids),
        )
        st.info(told.format(n=len(ids), pieces=pieces))
    if entry.token != entry.at_row:
        label = _("Replace it by {word}, chosen above").format(word=plain(entry.piece))
        whatif.offer_value(view, spec, f"{spec}{entry.token}", label, key="if-replace-chosen")


page("tokens", show, needs=WHOLE_PASS, links=LINKS)
