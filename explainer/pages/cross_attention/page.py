"""Page: how does German look at English? Queries from the decoder, keys and values from the memory."""

import streamlit as st

from explainer.figures.tokens.lines import attention_lines
from explainer.language import _, mark
from explainer.pages.frame import layout, whatif
from explainer.pages.frame.link import choose
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place, choose_head, say_why, show_all_heads
from explainer.pages.kit.not_explanation import show_not_an_explanation
from explainer.pages.kit.tensor import cell_of, show_arithmetic, show_matrix

LINKS = ("layer", "head", "stage", "cell", "measure")
ARRAYS = {
    mark("weights"): "attend.hook_weights",
    mark("scores"): "attend.hook_scores",
    mark("queries"): "hook_q",
    mark("keys"): "hook_k",
    mark("values"): "hook_v",
    mark("output Z"): "attend.hook_mixed",
}


def show(view: Translated, words: Words) -> None:
    """The matrix of one head beside its arithmetic, the lines, all heads, what if."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        place = choose_head(view, "cross")
        array = choose("stage", _("Show"), tuple(ARRAYS), "weights", forgets=("cell",), format_func=_)
    say_why(view, place)
    shown = place.tensor(view, ARRAYS[array])
    query, key = place.telling_cell(view)
    default = {"keys": (key, 0), "values": (key, 0), "queries": (query, 0), "output Z": (query, 0)}
    cell = cell_of(shown, default.get(array, (query, key)))
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_matrix(view, shown, key="matrix", selected=cell)
    with right, st.container(key="story"):
        name_of = view.tokens.source.__getitem__ if array in ("weights", "output Z") else None
        show_arithmetic(view, shown, cell, key="story", name_of=name_of)
    left, right = st.columns(2, gap="large")
    with left:
        _show_lines(view, place, cell[0] if array not in ("keys", "values") else query, words)
    with right:
        show_not_an_explanation(view, place, words)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(words["all heads"])
        show_all_heads(view, place)
    with right:
        _show_what_if(view, place, words)


def _show_lines(view: Translated, place: Place, row: int, words: Words) -> None:
    st.markdown(words["lines"])
    weights = view.shown[f"{place.path}.attend.hook_weights"][place.head]
    rows, columns = view.tokens.predicted, view.tokens.source
    alt = _("Lines from the German token {token} to the English tokens that its row looks at")
    layout.figure(
        attention_lines(weights, rows, columns, view.theme, selected=row),
        key="lines",
        alt=alt.format(token=rows[row]),
        table=lambda: layout.matrix_table(weights, rows, columns),
        says=lambda row: {"cell": f"{row + 1}.1", "stage": "weights"},
        part="query",
    )


def _show_what_if(view: Translated, place: Place, words: Words) -> None:
    st.markdown(words["what if"])
    here = {"layer": place.layer + 1, "head": place.head + 1}
    off, only = _("Switch off layer {layer}, head {head}"), _("Switch off all others of layer {layer}")
    evenly = _("Let layer {layer}, head {head} look evenly at all tokens")
    whatif.offer(view, f"off:{place.spec}", off.format(**here), key="if-off")
    whatif.offer(view, f"only:{place.spec}", only.format(**here), key="if-only")
    whatif.offer(view, f"uniform:{place.spec}", evenly.format(**here), key="if-uniform")
    whatif.offer(view, "uniform:cross", _("Let all heads of all layers look evenly"), key="if-all-uniform")
    whatif.tell_effect(view, words)


page("cross_attention", show, needs=WHOLE_PASS, links=LINKS)
