"""Page: why several heads? All heads of a layer, how they are joined, and what the translation is without each."""

import streamlit as st

from explainer.pages import whatif
from explainer.pages.attention_stage import pair_of
from explainer.pages.heads import Place, choose_head, choose_kind, say_why
from explainer.pages.inside import Words, inside_page
from explainer.pages.joined_heads import show_joining
from explainer.pages.multi_head_parts import show_effects, show_heads, show_table
from explainer.pages.view import View


def show(view: View, words: Words) -> None:
    """The heads beside each other, what each does, how they are joined, what each is worth."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        place = choose_head(view, choose_kind("Where", "encoder"))
    say_why(view, place)
    pair = pair_of(view, place)
    show_heads(view, place, (pair.query, pair.key))
    show_table(view, place)
    st.caption(words["measures"])
    left, right = st.columns(2, gap="large")
    with left:
        show_effects(view, place, words)
    with right:
        _show_what_if(view, place, words)
    show_joining(view, place, pair, words)


def _show_what_if(view: View, place: Place, words: Words) -> None:
    st.markdown(words["what if"])
    layer = f"{place.kind}.{place.layer + 1}"
    for head in range(len(view.trace[f"{place.path}.hook_q"])):
        here = f"layer {place.layer + 1}, head {head + 1}"
        whatif.offer(view, f"off:{layer}.{head + 1}", f"Switch off {here}", key=f"if-off-{head}")
    here = f"layer {place.layer + 1}, head {place.head + 1}"
    whatif.offer(view, f"only:{place.spec}", f"Switch off all of the layer but {here}", key="if-only")
    whatif.tell_effect(view, words)


inside_page("multi_head", show)
