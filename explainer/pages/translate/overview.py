"""The parts of the Translate page above its attention panel."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from explainer.equations.attention import WEIGHT
from explainer.equations.output import LOG_PROB, LOG_PROBS, probabilities
from explainer.figures.bars.rows import top_k_bars
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.flow.map import flow_alt, flow_map
from explainer.figures.heat.matrix import decoder_labels
from explainer.figures.style import number
from explainer.figures.tokens.lines import DRAWN, FAINT, attention_lines
from explainer.language import _, ngettext
from explainer.measures.anatomy import attention_path, columns_of, meaning_of_rows
from explainer.measures.flow import FlowNumbers, flow_numbers, stream_table
from explainer.measures.vocabulary import listed, shares
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.cut import marked, say_cut
from explainer.pages.frame.link import link_choice
from explainer.pages.frame.navigation import open_part
from explainer.pages.frame.panel import Drawn, drawn
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place, most_telling_of

TOP_K = 8
NOTHING = "∅"  # the empty translation


def show_translation(view: Translated, words: Mapping[str, str]) -> None:
    """The German sentence, large, and how sure the model is."""
    with st.container(key="translation"):
        text = for_markdown(view.translation.text) or NOTHING
        st.markdown(f"## {marked(text, view.translation.ended)}")
        from explainer.translator.translator import BEAM_4

        best = view.translation.best
        sure = ngettext(
            "log p = {log_prob} nats over {n} token; score {score}, the best of a beam search with {beams} beams",
            "log p = {log_prob} nats over {n} tokens; score {score}, the best of a beam search with {beams} beams",
            len(best),
        )
        numbers = {"log_prob": number(best.log_prob), "score": number(best.score)}
        sure = sure.format(n=len(best), beams=BEAM_4.beam_size, **numbers)
        made = [_("Made without the changes.")] if view.specs else []
        help_text = layout.filled(words["score"], alpha=BEAM_4.penalty.alpha)
        st.caption(" ".join([*made, sure]), help=help_text)
        say_cut(view)


def show_map(view: Translated, row: int, words: Mapping[str, str]) -> None:
    """The flow map of this sentence; a click on a part opens it below."""
    drawing, alt, numbers = _map_of(view, row)
    picked = layout.figure(
        drawing,
        key="map",
        alt=alt,
        table=lambda: stream_table(numbers),
        says=lambda row: {"row": str(row + 1), "cell": None, "next": None},
        part="target_token",
    )
    if picked and picked["customdata"]:
        open_part(*picked["customdata"])
    if view.is_difference:
        told = _(
            "The map, the lines and the bars show the pass **after** the changes; "
            "the matrix below shows the difference."
        )
        st.caption(told)
    is_changed = bool(view.specs) and view.compare != "before"
    st.markdown(f"{words['map, changed' if is_changed else 'map, one pass']} {words['map']}")


@kept(mebibytes=64)
def _map_of(view: Translated, row: int) -> tuple[Drawn, str, FlowNumbers]:
    """The map, ready to be sent; the same for all visitors who look at the same row of the same sentence."""
    numbers = flow_numbers(view.shown, predicted_ids=view.translation.ids, piece=view.tokenizer.piece)
    return drawn(flow_map(numbers, view.theme, selected=row)), flow_alt(numbers, selected=row), numbers


def chosen_row(view: Translated) -> int:
    """The decoder row that the link names, or the one with the sharpest alignment in the most telling head."""
    best = most_telling_of(view, "cross")
    sharpest, __ = Place("cross", best.layer, best.head).telling_cell(view)
    return link_choice("row", range(1, len(view.tokens.predicted) + 1), sharpest + 1) - 1


def show_alignment(view: Translated, row: int, words: Mapping[str, str]) -> None:
    """Cross-attention of the most telling head as lines; a click chooses the German token."""
    best = most_telling_of(view, "cross")
    weights = view.shown[f"{attention_path('cross', best.layer)}.{WEIGHT}"][best.head]
    rows, columns = meaning_of_rows("cross", view.tokens), columns_of("cross", view.tokens)
    st.subheader(_("Which English words does German look at?"), anchor=False)
    st.markdown(layout.filled(words["alignment"], drawn=DRAWN, faint=FAINT))
    which = _(
        "Decoder layer {layer}, cross-attention head {head}: the most telling head for this sentence "
        "(mean largest weight on a word {focus} × share of different words {variety})."
    )
    if view.specs:
        which = _(
            "Decoder layer {layer}, cross-attention head {head}: the most telling head for this sentence "
            "(mean largest weight on a word {focus} × share of different words {variety}, before the changes)."
        )
    numbers = {"focus": number(best.focus), "variety": number(best.variety)}
    st.caption(which.format(layer=best.layer + 1, head=best.head + 1, **numbers))
    drawing = attention_lines(weights, rows, columns, view.theme, selected=row)
    layout.figure(
        drawing,
        key="alignment",
        alt=_("Cross-attention lines from the German token {token} to the English tokens").format(
            token=rows[row]
        ),
        table=lambda: layout.matrix_table(weights, rows, columns),
        says=lambda row: {"row": str(row + 1), "cell": None},
        part="query",
    )


def show_next_token(view: Translated, row: int, words: Mapping[str, str]) -> None:
    """The distribution that the chosen row predicts, beside its equation."""
    log_probs = view.shown[LOG_PROB][row]
    predicted = view.translation.ids[row]
    ids = listed(log_probs, TOP_K, (predicted,))
    *probs, rest = shares(probabilities(log_probs), ids).tolist()
    pieces = view.tokenizer.pieces(ids.tolist())
    told = link_choice("next", ids.tolist(), predicted)
    label = decoder_labels(view.tokens.target, view.tokens.predicted)[row]
    st.subheader(_("What comes next?"), anchor=False)
    st.markdown(words["next token"])
    st.caption(_("Row {row}: {label}").format(row=row + 1, label=for_markdown(label)))
    chosen, n_others = ids.tolist().index(predicted), len(log_probs) - len(pieces)
    layout.figure(
        top_k_bars(ids.tolist(), pieces, np.array(probs), rest, view.theme, chosen=chosen, n_others=n_others),
        key="next-token",
        alt=_("The most probable next tokens; {token} with probability {probability} is the first").format(
            token=pieces[0], probability=f"{probs[0]:.3f}"
        ),
        table=lambda: ([_("token"), _("probability")], list(zip(pieces, probs, strict=True))),
        says=lambda token: {"next": str(token)},
        part="candidate",
    )
    layout.equation(LOG_PROBS, view.seen("head"), view.theme)
    what = _("**v =** {token}; a click on a bar tells another token.")
    st.markdown(what.format(token=for_markdown(token_label(view.tokenizer.piece(told)))))
    layout.story(LOG_PROBS.story(view.seen("head"), (row, told)), view.theme, view.tokenizer.piece)
