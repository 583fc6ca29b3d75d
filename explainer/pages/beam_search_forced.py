"""Tokens that the visitor forces: in the link, as chips, and by a field or a bar."""

import re
from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.pages.beam_search_told import Tokens, spelled
from explainer.pages.link import fell_back, set_link

if TYPE_CHECKING:
    from explainer.decode.recording import Forced
    from explainer.pages.beam_search_ground import Ground

_PATH = re.compile(r"(\d{1,6}(\.\d{1,6})*)?", re.ASCII)
MOST_PIECES = 12
Pairs = tuple[
    tuple[Tokens, Tokens], ...
]  # what the search said since the last forced token, and what was forced


def link_path(name: str, n_vocab: int) -> Tokens | None:
    """The tokens that the link names, `12.7.301`; None (said) if it names none."""
    raw = st.query_params.get(name)
    if raw is None:
        return None
    found = _path(raw, n_vocab)
    if found is None:
        fell_back(name, raw, f"numbers of tokens below {n_vocab} with points between them")
    return found


def link_forced(n_vocab: int) -> "tuple[Forced, ...]":
    """What is forced: `force=12.7:301:5:77` says 301 after 12 7, then, once the search went on with 5, 77."""
    raw = st.query_params.get("force")
    if raw is None:
        return ()
    parts = [_path(part, n_vocab) for part in raw.split(":")]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or len(parts) % 2 or () in known[1::2]:
        fell_back("force", raw, "beginning:forced tokens, such as 12.7:301")
        return ()
    return _absolute(tuple(zip(known[::2], known[1::2], strict=True)))


def force_after(prefix: Tokens, tokens: Tokens, before: "tuple[Forced, ...]") -> None:
    """Force `tokens` after `prefix`; what was forced on other branches is taken back."""
    from explainer.decode.recording import Forced

    kept = [
        one for one in before if prefix[: len(one.prefix) + len(one.tokens)] == (*one.prefix, *one.tokens)
    ]
    set_link(force=_written((*kept, Forced(prefix, tokens))), node=None, at=None, end=None)


def show_forced(ground: "Ground", forced: "tuple[Forced, ...]") -> None:
    """A chip for each forced token that takes it back, and whatever was forced after it."""
    if not forced:
        return
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="forced"):
        st.markdown("**Forced:**", width="content")
        for i, one in enumerate(forced):
            said = for_markdown(ground.spell(one.tokens) or ground.piece(one.tokens[0]))
            after = for_markdown(ground.spell(one.prefix)) or "the beginning"
            st.button(
                f"**{said}** after {after} ✕",
                key=f"forced-{i}",
                on_click=_take_back,
                args=(forced[:i],),
                help="Take it back",
            )


def offer_to_force(ground: "Ground", prefix: Tokens, forced: "tuple[Forced, ...]", room: int) -> None:
    """A field for a token or word that is to be said after `prefix`.

    Args:
        ground: What is searched.
        prefix: The tokens before it.
        forced: What is forced already.
        room: How many tokens there may still be.
    """
    key = "force-text"
    bare = st.form("force", border=False, clear_on_submit=True)
    with bare, st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        st.text_input(
            "Force a token or word here",
            key=key,
            max_chars=40,
            placeholder="type it, or click a bar",
            width=260,
        )
        st.form_submit_button(
            "Force it", on_click=_typed, args=(ground, prefix, forced, room), disabled=room < 1
        )
    if message := st.session_state.pop("force-refused", None):
        st.error(message)


def _typed(ground: "Ground", prefix: Tokens, forced: "tuple[Forced, ...]", room: int) -> None:
    typed = st.session_state["force-text"] or ""
    try:
        tokens = tuple(ground.encode(typed))
    except ValueError as error:
        st.session_state["force-refused"] = for_markdown(str(error))
        return
    if not tokens:
        st.session_state["force-refused"] = "Type a token or a word first."
    elif len(tokens) > min(MOST_PIECES, room):
        st.session_state["force-refused"] = (
            f"{for_markdown(typed)}: {len(tokens)} tokens; there is room for {min(MOST_PIECES, room)}."
        )
    elif ground.end_id in tokens[:-1]:
        st.session_state["force-refused"] = "Nothing follows the end of a sentence."
    else:
        force_after(prefix, tokens, forced)


def _take_back(left: "tuple[Forced, ...]") -> None:
    set_link(force=_written(left) if left else None, node=None, at=None, end=None)


def _path(text: str, n_vocab: int) -> Tokens | None:
    if not _PATH.fullmatch(text):
        return None
    tokens = tuple(int(part) for part in text.split(".")) if text else ()
    return tokens if all(token < n_vocab for token in tokens) else None


def _absolute(pairs: Pairs) -> "tuple[Forced, ...]":
    from explainer.decode.recording import Forced

    said: Tokens = ()
    found = []
    for free, tokens in pairs:
        found.append(Forced((*said, *free), tokens))
        said = (*said, *free, *tokens)
    return tuple(found)


def _written(forced: "tuple[Forced, ...]") -> str:
    said, parts = 0, []
    for one in forced:
        parts += [spelled(one.prefix[said:]), spelled(one.tokens)]
        said = len(one.prefix) + len(one.tokens)
    return ":".join(parts)
