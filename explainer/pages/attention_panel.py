"""The attention panel: kind, layer and head; matrix beside its equation; a cell's story; all heads; one head off."""

from collections.abc import Mapping

import streamlit as st

from explainer.equations.attention import MASKED_SCORES, MIXED, SCORES, WEIGHTS
from explainer.equations.places import (
    KINDS,
    Kind,
    all_weights,
    attention_path,
    columns_of,
    meaning_of_rows,
)
from explainer.equations.telling import Telling, all_telling, most_telling_cell
from explainer.figures.escape import for_markdown
from explainer.figures.matrix import decoder_labels, labels, matrix
from explainer.figures.style import number, shape_text, span
from explainer.figures.thumbnails import thumbnails
from explainer.pages import lesson, whatif
from explainer.pages.link import choose, link_cell, link_choice, set_link
from explainer.pages.view import View

SHOWN = {"scores": SCORES, "masked scores": MASKED_SCORES, "weights": WEIGHTS, "output Z": MIXED}
KIND_NAMES = {
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "cross-attention",
}


@st.fragment
def show_attention(view: View, words: Mapping[str, str]) -> None:
    """The whole panel; a fragment: a click in it draws nothing else anew."""
    if whatif.stale(view):
        st.rerun()
    st.container(key="attention-panel")  # where a click on the map leads
    st.subheader("Inside attention", anchor=False)
    st.markdown(words["attention"])
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        kind: Kind = choose(
            "kind",
            "Where",
            KINDS,
            "cross",
            format_func=KIND_NAMES.__getitem__,
            forgets=("layer", "head", "cell"),
        )
        weights = all_weights(view.trace, kind)
        heads = all_telling(
            weights, meaning_of_rows(kind, view.tokens), columns_of(kind, view.tokens), same=kind != "cross"
        )
        best = max(heads, key=lambda one: one.score)
        layer = choose("layer", "Layer", range(1, weights.shape[0] + 1), best.layer + 1) - 1
        head = choose("head", "Head", range(1, weights.shape[1] + 1), best.head + 1) - 1
        stage = choose("stage", "Show", tuple(SHOWN), "weights", forgets=("cell",))
    cell = _cell(view, kind, layer, head, stage)
    st.caption(_why(best, layer, head))
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_matrix(view, kind, layer, head, stage, cell)
    with right, st.container(key="attention-story"):
        _show_arithmetic(view, kind, layer, head, stage, cell)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("**All heads.** Each tile is one head's weights; a click opens it.")
        allowed = view.trace[f"{attention_path(kind, layer)}.attend.hook_mask"][head]
        tiles = thumbnails(
            weights, allowed, view.theme, selected=(layer, head), starred=(best.layer, best.head)
        )
        lesson.figure(
            tiles,
            key="heads",
            alt=f"The weights of all {KIND_NAMES[kind]} heads",
            table=lambda: (
                ["layer", "head", "mean largest weight on a word", "share of different words"],
                [
                    [one.layer + 1, one.head + 1, number(one.focus, 3), number(one.variety, 3)]
                    for one in heads
                ],
            ),
            on_pick=_pick_head,
        )
    with right:
        _show_what_if(view, kind, layer, head, words)


def _why(best: Telling, layer: int, head: int) -> str:
    reason = (
        f"layer {best.layer + 1}, head {best.head + 1} ★ is the most telling: its rows put {number(best.focus)} "
        f"of their weight on one word on average, and look at different words ({number(best.variety)})"
    )
    here = (layer, head) == (best.layer, best.head)
    return f"Shown because {reason}." if here else f"You chose layer {layer + 1}, head {head + 1}; {reason}."


def _rows_and_columns(view: View, kind: Kind, stage: str, d_head: int) -> tuple[list[str], list[str]]:
    tokens = view.tokens
    rows = labels(tokens.source) if kind == "encoder" else decoder_labels(tokens.target, tokens.predicted)
    columns = [str(c + 1) for c in range(d_head)] if stage == "output Z" else labels(columns_of(kind, tokens))
    return rows, columns


def _cell(view: View, kind: Kind, layer: int, head: int, stage: str) -> tuple[int, int]:
    seen = view.trace.under(attention_path(kind, layer))
    default = most_telling_cell(
        seen[WEIGHTS.explains][head],
        meaning_of_rows(kind, view.tokens),
        columns_of(kind, view.tokens),
        same=kind != "cross",
    )
    if kind != "encoder" and "row" in st.query_params:  # the row that was chosen above
        row = link_choice("row", range(1, len(view.tokens.target) + 1), default[0] + 1) - 1
        default = (row, int(seen[WEIGHTS.explains][head][row].argmax()))
    return link_cell("cell", default, seen[SHOWN[stage].explains].shape[1:])


def _show_matrix(view: View, kind: Kind, layer: int, head: int, stage: str, cell: tuple[int, int]) -> None:
    seen = view.trace.under(attention_path(kind, layer))
    values = seen[SHOWN[stage].explains][head]
    rows, columns = _rows_and_columns(view, kind, stage, values.shape[1])
    drawing = matrix(
        values,
        rows,
        columns,
        view.theme,
        kind="weights" if stage == "weights" else "signed",
        row_title="query" if kind == "encoder" else "query: input → predicts",
        column_title="dimension" if stage == "output Z" else "key",
        allowed=seen["attend.hook_mask"][head] if stage in ("masked scores", "weights") else None,
        selected=cell,
        bound=span(seen[SHOWN[stage].explains]),  # the same for all heads of the layer
    )
    lesson.figure(
        drawing,
        key="attention",
        alt=f"{stage} of {KIND_NAMES[kind]}, layer {layer + 1}, head {head + 1}: rows are queries, columns are keys",
        table=lambda: lesson.matrix_table(values, rows, columns),
        on_pick=_pick_cell,
    )


def _show_arithmetic(
    view: View, kind: Kind, layer: int, head: int, stage: str, cell: tuple[int, int]
) -> None:
    seen = view.trace.under(attention_path(kind, layer))
    shown = SHOWN[stage]
    values = seen[shown.explains]
    lesson.equation(shown, seen, view.theme)
    symbols = ("T_q", "d_k") if stage == "output Z" else ("T_q", "T_k")
    st.caption(
        f"${shape_text(symbols, values.shape[1:])}$, head {head + 1} of {values.shape[0]}, layer {layer + 1}."
    )
    row, column = cell
    rows, columns = _rows_and_columns(view, kind, stage, values.shape[2])
    st.markdown(
        f"**Row {row + 1}** {for_markdown(rows[row])}, **column {column + 1}** {for_markdown(columns[column])}"
    )
    over_keys = stage in ("weights", "output Z")
    name_of = columns_of(kind, view.tokens).__getitem__ if over_keys else None
    lesson.story(shown.story(seen, (head, row, column)), view.theme, name_of)


def _show_what_if(view: View, kind: Kind, layer: int, head: int, words: Mapping[str, str]) -> None:
    st.markdown(words["what if"])
    label = f"Switch off {KIND_NAMES[kind]}, layer {layer + 1}, head {head + 1}"
    whatif.offer(view, f"off:{kind}.{layer + 1}.{head + 1}", label, key="switch-off")
    st.caption("What it does to the translation is shown above, under the sentence.")


def _pick_cell() -> None:
    picked = st.session_state["attention"].pick
    set_link(cell=f"{int(picked['y']) + 1}.{int(picked['x']) + 1}")


def _pick_head() -> None:
    picked = st.session_state["heads"].pick["customdata"]
    if picked and picked[0] == "head":
        set_link(layer=str(picked[1] + 1), head=str(picked[2] + 1))
