"""Page: what must a word not see? Padding mask, look-ahead mask, and what happens without the second."""

from dataclasses import replace

import streamlit as st

from explainer.language import _, mark
from explainer.pages.frame import whatif
from explainer.pages.frame.link import choose, link_choice, slide
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place, choose_head, choose_kind, name_of_kind
from explainer.pages.kit.mask import say_changed, show_mask, show_prefix_check
from explainer.pages.kit.tensor import cell_of, show_arithmetic, show_matrix
from explainer.pages.masks.twins import show_twins

LINKS = ("kind", "layer", "head", "pad", "stage", "cell", "row")
ARRAYS = {"S + M": "attend.hook_masked", mark("weights A"): "attend.hook_weights"}


def show(view: Translated, words: Words) -> None:
    """The mask, what it does to scores and weights, why training needs it, and what happens without it."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        place = choose_head(view, choose_kind(_("Where"), "decoder"))
        padding = int(slide("pad", _("Padding tokens after the sentence"), 0, 0, 4, 1, width=260))
    st.markdown(words[f"mask, {place.kind}"])
    padded = replace(view, padding=padding)
    say_changed(padded, place, words)
    cell = _show_attention(padded, place, words)
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True, key="prefix"):
        show_prefix_check(view, words)
    with right, st.container(border=True, key="what-if"):
        _show_what_if(view, place, cell, words)
    show_twins(view, words)


def _show_attention(view: Translated, place: Place, words: Words) -> tuple[int, int]:
    array = link_choice("stage", tuple(ARRAYS), "S + M")
    shown = {name: place.tensor(view, hook) for name, hook in ARRAYS.items()}
    mask = view.shown[f"{place.path}.attend.hook_mask"][place.head]
    last_row, last_column = mask.shape[0] - 1 - view.padding, mask.shape[1] - 1
    default = (min(2, last_row), last_column)  # a masked cell where there is one
    cell = cell_of(shown[array], default)
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_mask(view, place, cell)
        if cell == default and mask[last_row, last_column] and not mask[default]:
            st.caption(words["why this cell"])
    with right, st.container(key="story"):
        choose("stage", _("Arithmetic of"), tuple(ARRAYS), "S + M", format_func=_)
        name_of = shown[array].columns.__getitem__ if array == "weights A" else None
        show_arithmetic(view, shown[array], cell, key="story", name_of=name_of)
    st.markdown(words["after the mask" if not mask.all() else "after the mask, none"])
    left, right = st.columns(2, gap="large")
    for column, name, key in ((left, "S + M", "masked"), (right, "weights A", "weights")):
        with column:
            show_matrix(view, shown[name], key=key, selected=cell, also={"stage": name}, compact=True)
    return cell


def _show_what_if(view: Translated, place: Place, cell: tuple[int, int], words: Words) -> None:
    st.markdown(words["what if"])
    whatif.offer(view, "ahead", _("Remove the look-ahead mask of the decoder"), key="if-ahead")
    mask = view.shown[f"{place.path}.attend.hook_mask"][place.head]
    row, column = cell
    if row >= mask.shape[0] or column >= mask.shape[1]:
        st.caption(words["padding stays"])
        return
    hide = _("Hide cell {row}, {column} of the mask of {kind}, in all layers and heads")
    show = _("Open cell {row}, {column} of the mask of {kind}, in all layers and heads")
    label = hide if mask[row, column] else show
    label = label.format(row=row + 1, column=column + 1, kind=name_of_kind(place.kind))
    whatif.offer(view, f"mask:{place.kind}:{row + 1}.{column + 1}", label, key="if-cell")
    whatif.tell_effect(view, words)


page("masks", show, needs=WHOLE_PASS, links=LINKS)
