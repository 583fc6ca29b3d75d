"""The tokens: which one is chosen, the boxes of both sentences, the three uses of the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations.output import TABLE
from explainer.equations.softmax import largest_difference
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.style import number, small
from explainer.figures.tokens.boxes import place_in_boxes, token_boxes
from explainer.language import _, mark, ngettext
from explainer.measures.anatomy import EMBEDDINGS
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import link_number
from explainer.pages.frame.view import Translated
from explainer.pages.kit.window import NAMES, Side, chosen_side
from explainer.text.spelling import Word, kind_of, most_telling_word, spelled, word_at
from explainer.text.tidy import tidy

if TYPE_CHECKING:
    from explainer.translator.translator import Translator

TABLES = {**{side: f"{path}.table" for side, path in EMBEDDINGS.items()}, "output": TABLE}
_USES = {
    "source": mark("English embedding"),
    "target": mark("German embedding"),
    "output": mark("before the softmax, $W$"),
}


@dataclass(frozen=True)
class Entry:
    """What the visitor looks at.

    Attributes:
        row: Place of the token in the sentence, from 0; the entry `at_row` stands there.
        token: The one whose neighbours are shown: that at `row`, or one chosen among its neighbours.
        words: The words of the typed text, or of the translation, as BPE spells them.
    """

    model: "Translator"
    side: Side
    row: int
    at_row: int
    token: int
    words: tuple[Word, ...]

    @property
    def piece(self) -> str:
        """How the vocabulary spells `token`."""
        return self.model.checkpoint.tokenizer.piece(self.token)

    @property
    def table_name(self) -> str:
        """Which table this side looks its rows up in."""
        return TABLES[self.side.name]

    @cached_property
    def table(self) -> np.ndarray:
        """E: `[vocab, d_model]`."""
        return self.model.parameters[self.table_name]

    @property
    def word(self) -> Word | None:
        """The word that the chosen token is a piece of; a special token is in none."""
        place = self.row - (self.side.name == "target")  # the decoder's first token is `<s>`
        return word_at(list(self.words), place) if place >= 0 else None


def plain(piece: str) -> str:
    """A piece for prose, where a space at the front would break the bold type."""
    return for_markdown(token_label(piece).strip())


def chosen(view: Translated) -> Entry:
    """Side, row and token that the link names; else the word that BPE has most to do with."""
    side = chosen_side()
    tokenizer = view.tokenizer
    text = tidy(view.sentence) if side.name == "source" else view.translation.text
    words = spelled(tokenizer, text)
    ids = _ids(view, side.pieces(view))
    best = most_telling_word(words)
    telling = best.first + (side.name == "target") if best else 0
    row = link_number("row", min(telling, len(ids) - 1) + 1, 1, len(ids)) - 1
    token = link_number("token", ids[row], 0, len(tokenizer) - 1)
    return Entry(view.model, side, row, ids[row], token, tuple(words))


def show_tokens(view: Translated, entry: Entry, words: Mapping[str, str]) -> None:
    """Both sides as boxes with ids; a click chooses a token."""
    st.markdown(words["tokens"])
    alts = {
        "source": _("The English tokens with their ids: {tokens}"),
        "target": _("The German tokens with their ids: {tokens}"),
    }
    for name, column in zip(NAMES, st.columns(2, gap="large"), strict=True):
        with column:
            _show_side(view, entry, Side(name), alts[name])
    piece = entry.side.pieces(view)[entry.row]
    what = _("**{name}**, token {token}: {what}")
    st.markdown(what.format(name=plain(piece), token=entry.at_row, what=words[kind_of(piece)]))


def _show_side(view: Translated, entry: Entry, side: Side, alt: str) -> None:
    pieces = side.pieces(view)
    ids = _ids(view, pieces)
    named = list(zip(pieces, ids, strict=True))
    typed = zip(typed_pieces(view, side), pieces, strict=True)
    replaced = [i for i, (one, other) in enumerate(typed) if one != other]
    role = "source" if side.name == "source" else "target"
    selected = entry.row if entry.side == side else None
    counted = ngettext("**{language}**, {n} token", "**{language}**, {n} tokens", len(pieces))
    st.markdown(counted.format(language=_(NAMES[side.name]), n=len(pieces)))
    layout.figure(
        token_boxes(pieces, ids, view.theme, role=role, selected=selected, replaced=replaced),
        key=f"tokens-{side.name}",
        alt=alt.format(tokens=", ".join(f"{piece.strip()} {token}" for piece, token in named)),
        table=lambda: (
            [_("place"), _("token"), _("id"), _("kind")],
            [[i, token_label(piece), token, _(kind_of(piece))] for i, (piece, token) in enumerate(named, 1)],
        ),
        says=lambda x, y: _of_box(side, place_in_boxes(pieces, x, y)),
        part="point",
    )
    if replaced:
        places = ", ".join(str(i + 1) for i in replaced)
        st.caption(_("Put there by a **What if?**: {places}.").format(places=places))


def show_tied(view: Translated, entry: Entry, words: Mapping[str, str]) -> None:
    """One matrix or three: what the configuration says, and the row of the chosen token in each."""
    config = view.model.checkpoint.model.config
    st.subheader(_("One table, three uses") if config.tie_embeddings else _("Three tables"), anchor=False)
    st.markdown(words["tied" if config.tie_embeddings else "not tied"])
    heading = [
        _("row {row} of E: {name}").format(row=entry.token, name=plain(entry.piece)),
        _("shape"),
        _("first numbers"),
        _("max abs. difference from the first"),
    ]
    rows = []
    for use, path in TABLES.items():
        table = view.model.parameters[path]
        first = ", ".join(number(float(value), 4) for value in table[entry.token, :5])
        is_shared = np.shares_memory(table, view.model.parameters[TABLES["source"]])
        apart = _("0, the same memory") if is_shared else small(_apart(view.model, use))
        rows.append([_(_USES[use]), " × ".join(map(str, table.shape)), f"{first}, …", apart])
    st.markdown(layout.as_table(heading, rows))


@kept(mebibytes=1)
def _apart(model: "Translator", use: str) -> float:
    parameters = model.parameters
    return largest_difference(parameters[TABLES["source"]], parameters[TABLES[use]])


def _ids(view: Translated, pieces: tuple[str, ...]) -> tuple[int, ...]:
    found = map(view.tokenizer.id_of, pieces)
    return tuple(token for token in found if token is not None)


def typed_pieces(view: Translated, side: Side) -> tuple[str, ...]:
    """The tokens of a side before any change."""
    return view.before.info.source if side.name == "source" else view.before.info.target


def _of_box(side: Side, place: int | None) -> layout.Said:
    forgets = dict.fromkeys(("token", "merge", "cell", "dims"))
    return {} if place is None else {"side": side.name, "row": str(place + 1), **forgets}
