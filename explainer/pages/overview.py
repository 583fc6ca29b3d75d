"""The parts of the Translate page above its attention panel."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from explainer.equations.attention import WEIGHT
from explainer.equations.flow import FlowNumbers, flow_numbers, stream_table
from explainer.equations.output import LOG_PROB, LOG_PROBS, probabilities
from explainer.equations.places import columns_of, meaning_of_rows
from explainer.equations.ranking import listed, shares
from explainer.figures.bars import top_k_bars
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.flow import flow_alt, flow_map
from explainer.figures.lines import DRAWN, FAINT, attention_lines
from explainer.figures.matrix import decoder_labels
from explainer.figures.style import number
from explainer.pages import lesson
from explainer.pages.cut import marked, say_cut
from explainer.pages.heads import Place, most_telling_of
from explainer.pages.link import link_choice, set_link
from explainer.pages.panel import Drawn, drawn
from explainer.pages.parts import open_part
from explainer.pages.picked import picked_part
from explainer.pages.state import translator
from explainer.pages.view import View

TOP_K = 8
NOTHING = "∅"  # the empty translation


def show_translation(view: View, words: Mapping[str, str]) -> None:
    """The German sentence, large, and how sure the model is."""
    with st.container(key="translation"):
        text = for_markdown(view.translation.text) or NOTHING
        st.markdown(f"## {marked(text, view.translation.ended)}")
        from explainer.translator import BEAM_4

        best = view.translation.best
        made = "Made without the changes. " if view.specs else ""
        tokens = "1 token" if len(best) == 1 else f"{len(best)} tokens"
        st.caption(
            f"{made}log p = {number(best.log_prob)} nats over {tokens}; score {number(best.score)}, the best of a "
            f"beam search with {BEAM_4.beam_size} beams",
            help=lesson.filled(words["score"], alpha=BEAM_4.penalty.alpha),
        )
        say_cut(view)


def show_map(view: View, row: int, words: Mapping[str, str]) -> None:
    """The flow map of this sentence; a click on a part opens it below."""
    drawing, alt, numbers = _map_of(view, view.checkpoint, view.translation.ids, row, view.theme.name)
    picked = lesson.figure(
        drawing, key="map", alt=alt, table=lambda: stream_table(numbers), on_pick=_pick_row_of_map
    )
    if picked and picked["customdata"]:
        open_part(*picked["customdata"])
    if view.is_difference:
        st.caption(
            "The map, the lines and the bars show the pass **after** the changes; "
            "the matrix below shows the difference."
        )
    is_changed = bool(view.specs) and view.compare != "before"
    st.markdown(f"{words['map, changed' if is_changed else 'map, one pass']} {words['map']}")


@st.cache_resource(
    max_entries=64,
    show_spinner=False,
    hash_funcs={View: lambda view: (view.sentence, view.specs, view.compare)},
)
def _map_of(
    view: View, checkpoint: str, ids: tuple[int, ...], row: int, theme: str
) -> tuple[Drawn, str, FlowNumbers]:
    """The map, ready to be sent; the same for all visitors who look at the same row of the same sentence."""
    numbers = flow_numbers(view.shown, predicted_ids=ids, piece=translator().checkpoint.tokenizer.piece)
    return drawn(flow_map(numbers, view.theme, selected=row)), flow_alt(numbers, selected=row), numbers


def alignment_head(view: View) -> Place:
    """The most telling cross-attention head of this sentence, before any change: it stays when one is made."""
    best = most_telling_of(view, "cross")
    return Place("cross", best.layer, best.head)


def chosen_row(view: View, best: Place) -> int:
    """The decoder row that the link names, or the one with the sharpest alignment in the head `best`."""
    sharpest, _ = best.telling_cell(view)
    return link_choice("row", range(1, len(view.tokens.predicted) + 1), sharpest + 1) - 1


def show_alignment(view: View, best: Place, row: int, words: Mapping[str, str]) -> None:
    """Cross-attention of the most telling head as lines; a click chooses the German token."""
    weights = view.shown[f"{best.path}.{WEIGHT}"][best.head]
    rows, columns = meaning_of_rows("cross", view.tokens), columns_of("cross", view.tokens)
    before = most_telling_of(view, "cross")
    st.subheader("Which English words does German look at?", anchor=False)
    st.markdown(lesson.filled(words["alignment"], drawn=DRAWN, faint=FAINT))
    st.caption(
        f"Decoder layer {best.layer + 1}, cross-attention head {best.head + 1}: the most telling head for this "
        f"sentence (mean largest weight on a word {number(before.focus)} × "
        f"share of different words {number(before.variety)}"
        f"{', before the changes' if view.specs else ''})."
    )
    drawing = attention_lines(weights, rows, columns, view.theme, selected=row)
    lesson.figure(
        drawing,
        key="alignment",
        alt=f"Cross-attention lines from the German token {rows[row]} to the English tokens",
        table=lambda: lesson.matrix_table(weights, rows, columns),
        on_pick=_pick_row,
    )


def show_next_token(view: View, row: int, words: Mapping[str, str]) -> None:
    """The distribution that the chosen row predicts, beside its equation."""
    log_probs = view.shown[LOG_PROB][row]
    predicted = view.translation.ids[row]
    ids = listed(log_probs, TOP_K, (predicted,))
    *probs, rest = shares(probabilities(log_probs), ids).tolist()
    tokenizer = translator().checkpoint.tokenizer
    pieces = tokenizer.pieces(ids.tolist())
    told = link_choice("next", ids.tolist(), predicted)
    label = decoder_labels(view.tokens.target, view.tokens.predicted)[row]
    st.subheader("What comes next?", anchor=False)
    st.markdown(words["next token"])
    st.caption(f"Row {row + 1}: {for_markdown(label)}")
    drawing = top_k_bars(
        ids.tolist(),
        pieces,
        np.array(probs),
        rest,
        view.theme,
        chosen=ids.tolist().index(predicted),
        n_others=len(log_probs) - len(pieces),
    )
    lesson.figure(
        drawing,
        key="next-token",
        alt=f"The most probable next tokens; {pieces[0]} with probability {probs[0]:.3f} is the first",
        table=lambda: (["token", "probability"], list(zip(pieces, probs, strict=True))),
        on_pick=_pick_token,
    )
    lesson.equation(LOG_PROBS, view.shown, view.theme)
    st.markdown(
        f"**v =** {for_markdown(token_label(tokenizer.piece(told)))}; a click on a bar tells another token."
    )
    lesson.story(LOG_PROBS.story(view.shown, (row, told)), view.theme, tokenizer.piece)


def _pick_token() -> None:
    picked = picked_part("next-token", "candidate")
    if picked and picked[0] is not None:  # not the bar of all others
        set_link(next=str(picked[0]))


def _pick_row_of_map() -> None:
    if picked := picked_part("map", "target_token"):
        set_link(row=str(picked[0] + 1), cell=None, next=None)


def _pick_row() -> None:
    if picked := picked_part("alignment", "query"):
        set_link(row=str(picked[0] + 1), cell=None)
