"""The attention panel: kind, layer and head; matrix beside its equation; a cell's story; all heads; one head off."""

from collections.abc import Mapping

import streamlit as st

from explainer.equations.attention import WEIGHT
from explainer.language import _, mark
from explainer.measures.anatomy import columns_of
from explainer.pages.frame import whatif
from explainer.pages.frame.link import choose, link_choice
from explainer.pages.frame.share import fragment
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place, choose_head, choose_kind, name_of_kind, say_why, show_all_heads
from explainer.pages.kit.tensor import cell_of, show_arithmetic, show_matrix

ARRAYS = {
    mark("scores"): "attend.hook_scores",
    mark("masked scores"): "attend.hook_masked",
    mark("weights"): "attend.hook_weights",
    mark("output Z"): "attend.hook_mixed",
}
OVER_KEYS = ("weights", "output Z")  # arrays whose arithmetic is a sum over the keys


@fragment
def show_attention(view: Translated, words: Mapping[str, str]) -> None:
    """The whole panel; a fragment: a click in it draws nothing else anew."""
    whatif.renew_if_stale(view)
    st.container(key="attention-panel")  # where a click on the map leads
    st.subheader(_("Inside attention"), anchor=False)
    st.markdown(words["attention"])
    place, array = _choose_place(view)
    say_why(view, place)
    shown = place.tensor(view, ARRAYS[array])
    cell = cell_of(shown, _default_cell(view, place, array))
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_matrix(view, shown, key="attention", selected=cell)
    with right, st.container(key="attention-story"):
        name_of = columns_of(place.kind, view.tokens).__getitem__ if array in OVER_KEYS else None
        show_arithmetic(view, shown, cell, key="attention", name_of=name_of)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(_("**All heads.** Each tile is one head's weights; a click opens it."))
        if view.is_difference:
            st.caption(_("The tiles and the arithmetic show the pass **after** the changes."))
        show_all_heads(view, place)
    with right:
        _show_what_if(view, place, words)


def _choose_place(view: Translated) -> tuple[Place, str]:
    """Kind, layer and head, and which array of its arithmetic is shown."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        place = choose_head(view, choose_kind(_("Where"), "cross"))
        return place, choose("stage", _("Show"), tuple(ARRAYS), "weights", forgets=("cell",), format_func=_)


def _default_cell(view: Translated, place: Place, array: str) -> tuple[int, int]:
    """The most telling cell; in a decoder, the largest weight of the row that was chosen above, if one was."""
    row, column = place.telling_cell(view)
    if place.kind != "encoder" and "row" in st.query_params:
        row = link_choice("row", range(1, len(view.tokens.target) + 1), row + 1) - 1
        column = int(view.before[f"{place.path}.{WEIGHT}"][place.head, row].argmax())
    return (row, 0) if array == "output Z" else (row, column)


def _show_what_if(view: Translated, place: Place, words: Mapping[str, str]) -> None:
    st.markdown(words["what if"])
    label = _("Switch off {kind}, layer {layer}, head {head}").format(
        kind=name_of_kind(place.kind), layer=place.layer + 1, head=place.head + 1
    )
    whatif.offer(view, f"off:{place.spec}", label, key="switch-off")
    whatif.tell_effect(view, words)
