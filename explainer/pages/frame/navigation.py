"""From a part of the flow map to the page about it, with the same sentence."""

from pathlib import Path

import streamlit as st

from explainer.measures.anatomy import EMBEDDINGS, part_of, place_of

_ASKED = "page to open"
_PAGES_FOLDER = Path(__file__).parents[1]
_PAGES = {  # parts that lead to one page whatever their layer
    "source_token": "tokens",
    **dict.fromkeys(EMBEDDINGS.values(), "tokens"),
    "source_position": "positions",
    "target_position": "positions",
    "memory": "cross_attention",
    "head": "output_head",
}
_ATTENTION = {"encoder": "self_attention", "decoder": "masks", "cross": "cross_attention"}


def page_of(part: str, number: int | None = None) -> tuple[str, dict[str, str]] | None:
    """The page about a part of the flow map, and what its link says; None for a part that has no page.

    A part is a name or a module path; `number` is the token that it belongs to, from 0.
    """
    if part in _PAGES:
        row = {} if number is None else {"row": str(number + 1)}
        side = {"side": "target"} if part.startswith("target_") else {}
        return _PAGES[part], side | (row if part in ("source_token", "head") else {})
    if place := place_of(part):
        kind, layer = place
        return _ATTENTION[kind], {"kind": kind, "layer": str(layer + 1)}
    if found := part_of(part):
        more = {"sublayer": "feed_forward"} if found.name == "feed_forward" else {}
        return "blocks", {"side": found.side, "layer": str(found.layer + 1), **more}
    return None


def open_part(part: str, number: int | None = None, *_: object) -> None:
    """Go to the page about a part; stay if there is none. What the link says of the changes in force comes along."""
    found = page_of(part, number if isinstance(number, int) else None)
    if found is not None:
        open_page(*found)


def open_page(name: str, query: dict[str, str] | None = None) -> None:
    """Go to a page, the changes as they are."""
    st.session_state[_ASKED] = (name, query or {})
    st.rerun()


def open_asked() -> None:
    """Go where `open_page` was told to; called where the sentence is typed, which alone writes it to the link."""
    if asked := st.session_state.pop(_ASKED, None):
        name, query = asked
        kept = {key: st.query_params[key] for key in ("what", "show") if key in st.query_params}
        st.switch_page(_PAGES_FOLDER / name / "page.py", query_params={**kept, **query})
