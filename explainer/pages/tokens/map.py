"""The embedding map: rows of E dropped onto a plane, the sentence's tokens named."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import token_label
from explainer.figures.lines.scatter import Dots, embedding_map
from explainer.figures.style import Role, number
from explainer.language import _, mark
from explainer.measures.vocabulary import Neighbours, Plane, nearest, principal_plane
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, set_link
from explainer.pages.frame.view import Translated
from explainer.pages.tokens.choice import Entry
from explainer.text.spelling import early_words, kind_of

if TYPE_CHECKING:
    from explainer.translator.translator import Translator

NEAR = 60  # neighbours that the plane of a neighbourhood is laid through
NAMED_NEAR = 14  # those of them that are named
MOST_NAMED = 36  # tokens of the sentence that are named: more would hide each other
_PLANES = mark("vocabulary"), mark("neighbourhood")
FAINT = 1500  # words in the background of the whole vocabulary


@dataclass(frozen=True)
class _Background:
    plane: Plane
    dots: Dots


def show_plane(view: Translated, entry: Entry, words: Mapping[str, str]) -> None:
    """The plane of the whole vocabulary or of the chosen token's neighbourhood; a click chooses a token."""
    st.subheader(_("A map of the embeddings"), anchor=False)
    which = choose("plane", _("Plane that keeps most of"), _PLANES, "vocabulary", format_func=_)
    near = neighbours_of(view.model, entry.table_name, entry.token).ids.tolist()
    if which == "vocabulary":
        behind = _vocabulary(view.model, entry.table_name)
        marked = entry.token, *_sentence(view), *near[:3]
        alt = _(
            "{n} vocabulary entries on the plane of the vocabulary, which keeps {kept} % of the variance; "
            "named are {tokens}"
        )
    else:
        behind = _neighbourhood(view.model, entry.table_name, entry.token)
        marked = entry.token, *near[:NAMED_NEAR]
        alt = _(
            "{n} vocabulary entries on the plane of the neighbourhood, which keeps {kept} % of the variance; "
            "named are {tokens}"
        )
    ids = list(dict.fromkeys(marked))
    pieces = view.tokenizer.pieces(ids)
    at = behind.plane.project(entry.table[ids])
    kept = number(100 * behind.plane.kept, 1)
    st.markdown(layout.filled(words[which], kept=kept, faint=f"{FAINT:,}", near=NEAR))
    named = ", ".join(token_label(piece).strip() for piece in pieces)
    layout.figure(
        embedding_map(
            behind.dots,
            Dots.of(ids, pieces, at),
            [_role(view, piece) for piece in pieces],
            view.theme,
            chosen=entry.token,
            shares=behind.plane.shares.tolist(),
        ),
        key="embedding-map",
        alt=alt.format(n=len(behind.dots.ids), kept=kept, tokens=named),
        table=lambda: (
            [_("token"), _("id"), _("first axis"), _("second axis")],
            [
                [piece, token, *(f"{one:.4f}" for one in xy)]
                for piece, token, xy in zip(pieces, ids, at, strict=True)
            ],
        ),
        on_pick=_pick,
    )


@kept(mebibytes=8)
def neighbours_of(model: "Translator", table: str, token: int) -> Neighbours:
    """The nearest entries of a token in a table; kept for the next visitor who asks."""
    return nearest(model.parameters[table], token, NEAR)


@kept(mebibytes=32)
def _vocabulary(model: "Translator", table: str) -> _Background:
    plane = principal_plane(model.parameters[table])
    return _behind(model, table, plane, early_words(model.checkpoint.tokenizer, FAINT))


@kept(mebibytes=16)
def _neighbourhood(model: "Translator", table: str, token: int) -> _Background:
    ids = [token, *neighbours_of(model, table, token).ids.tolist()]
    return _behind(model, table, principal_plane(model.parameters[table][ids]), ids)


def _behind(model: "Translator", table: str, plane: Plane, ids: list[int]) -> _Background:
    pieces = model.checkpoint.tokenizer.pieces(ids)
    return _Background(plane, Dots.of(ids, pieces, plane.project(model.parameters[table][ids])))


def _sentence(view: Translated) -> list[int]:
    """Its tokens, without bytes: they lie in one heap, because they were hardly ever trained."""
    pieces = (piece for piece in (*view.tokens.source, *view.tokens.target) if kind_of(piece) != "byte")
    found = map(view.tokenizer.id_of, dict.fromkeys(pieces))
    return [token for token in found if token is not None][:MOST_NAMED]


def _role(view: Translated, piece: str) -> Role:
    if piece in view.tokens.source:
        return "source"
    return "target" if piece in view.tokens.target else "residual"


def _pick() -> None:
    picked = st.session_state["embedding-map"].pick
    if picked and isinstance(picked["customdata"], int):
        set_link(token=str(picked["customdata"]))
