"""One hypothesis: its text so far, its arithmetic, what may follow it, where it looks; and another token forced."""

from typing import Any

import numpy as np
import streamlit as st

from explainer.decode.watched.recording import Forced
from explainer.equations.decoding import DIVISORS, SCORE, SOURCES, divisor, furthest, products, sums
from explainer.equations.output import top_k
from explainer.figures.bars.rows import top_k_bars
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.latex import paint
from explainer.figures.style import probability, small
from explainer.figures.tokens.lines import attention_lines
from explainer.figures.tree.sum import score_latex, sum_latex
from explainer.language import _, mark, ngettext
from explainer.pages.beam_search.tree import TreeScene, link_after, offer_to_force
from explainer.pages.frame import layout
from explainer.pages.frame.link import set_link
from explainer.pages.frame.page import Words

_BARS = 10
_AGREES = 1e-3  # nats: float32 on two ways


def say_node(scene: TreeScene) -> None:
    """Its text so far, and what became of it."""
    tree, place = scene.told.tree, scene.place
    why = "" if scene.is_chosen else _("No hypothesis of this step is better.")
    if scene.is_first:
        why = _("★ Shown first: here the best hypothesis took its least probable token.")
    told = _("Step {step}: **{fate}**, rank {rank} of its pool.")
    if tree.fates[place] in ("greedy", "forced"):
        told = _("Step {step}: **{fate}**.")
    told = told.format(step=len(scene.tokens), fate=_(_FATES[tree.fates[place]]), rank=tree.ranks[place] + 1)
    st.markdown(f"#### {for_markdown(scene.ground.sentence(scene.tokens))}")
    st.caption(f"{told} {why}".rstrip())
    if scene.is_chosen:
        again = _("Follow the best hypothesis again")
        st.button(again, on_click=set_link, kwargs={"node": None}, type="tertiary")


_FATES = {
    "kept": mark("ran on"),
    "pruned": mark("pruned"),
    "finished": mark("finished"),
    "cut": mark("cut at the limit, not finished"),
    "forced": mark("forced"),
    "greedy": mark("only greedy search comes here"),
}


def show_sum(scene: TreeScene, words: Words) -> None:
    """The equations, the numbers of this hypothesis, and how far a plain pass is from them."""
    rules, place, tree = scene.told.recording.rules, scene.place, scene.told.tree
    path = tree.path(place)[1:]
    log_ps = tree.log_ps[path]
    penalty = rules.penalty
    formulas = rf"\begin{{gathered}} {_(SCORE)} \\ {DIVISORS[penalty.name]} \end{{gathered}}"
    st.latex(paint(formulas, scene.theme))
    deviation = furthest(log_ps, scene.ground.plain(scene.tokens, scene.told.bests).log_ps)
    checked = words["checked table" if scene.ground.name == "table" else "checked"]
    said = layout.filled(checked, source=_(SOURCES[penalty.name]), deviation=small(deviation))
    if deviation <= _AGREES:
        st.caption(said)
    else:
        st.error(_("**The two ways differ.** {checked}").format(checked=said))
    names, length = [tree.names[i] for i in path], len(scene.tokens)
    divided_by = divisor(penalty.name, penalty.alpha, length)
    added_up = sum_latex(names, log_ps, products(log_ps), sums(log_ps), scene.theme)
    score = score_latex(float(tree.log_probs[place]), length, penalty.name, penalty.alpha, divided_by)
    st.latex(rf"\begin{{gathered}} {added_up} \\[6pt] {score} \end{{gathered}}")
    st.caption(words["nats"])


def show_next(scene: TreeScene, words: Words, forced: tuple[Forced, ...]) -> None:
    """The ten most probable tokens after this hypothesis; one of them, or any other, can be forced."""
    st.markdown(words["next"])
    tokens, ground = scene.tokens, scene.ground
    room = scene.told.recording.rules.max_new_tokens - len(tokens)
    if tokens[-1] == ground.end_id:
        st.info(words["ended"], icon=":material/flag:")
        return
    if room < 1:
        st.info(words["cut"], icon=":material/content_cut:")
        return
    row = scene.told.recording.read(tokens)
    ids, probs, rest = top_k(row, min(_BARS, len(row)))
    pieces = [ground.piece(int(i)) for i in ids]
    alt = ngettext(
        "The {n} most probable tokens after this hypothesis; {first} is first",
        "The {n} most probable tokens after this hypothesis; {first} is first",
        len(ids),
    )
    layout.figure(
        top_k_bars(ids.tolist(), pieces, probs, rest, scene.theme, chosen=None, n_others=len(row) - len(ids)),
        key="next",
        alt=alt.format(n=len(ids), first=token_label(pieces[0]).strip()),
        table=lambda: (
            [_("token"), "p", "log p"],
            [[name, f"{p:.6g}", f"{np.log(p):.6g}"] for name, p in zip(pieces, probs, strict=True) if p > 0],
        ),
        says=lambda token: link_after(tokens, (int(token),), forced),
        part="candidate",
    )
    offer_to_force(ground, tokens, forced, room)


def show_node_attention(scene: TreeScene, words: Words) -> None:
    """Cross-attention of the row that predicted the last token of this hypothesis."""
    plain = scene.ground.plain(scene.tokens, scene.told.bests)
    if not plain.source:
        return
    best = scene.told.recording.finished
    layer, head = scene.ground.telling_head(best[0].tokens if best else scene.tokens)
    names = [scene.ground.piece(token) for token in scene.tokens]
    st.markdown(words["attention"])
    weights, row = plain.weights[layer, head], len(names) - 1

    def draw() -> dict[str, Any]:
        drawing = attention_lines(weights, names, plain.source, scene.theme, selected=row)
        if scene.ground.name == "hindi":
            drawing["layout"]["annotations"][1]["text"] = _("Hindi")
        return drawing

    layout.figure(
        scene.ground.drawing("lines", scene.tokens, layer, head, scene.theme.name, make=draw),
        key="lines",
        alt=_("Lines from {token} to the English tokens that the row before it looks at").format(
            token=token_label(names[row]).strip()
        ),
        table=lambda: layout.matrix_table(weights, names, plain.source),
    )
    most = int(weights[row].argmax())
    told = _(
        "Layer {layer}, head {head}: on the best hypothesis no head's rows look more firmly at words of their own. "
        "While it predicted **{predicted}**, {weight} of its weight lay on **{read}**."
    )
    st.caption(
        told.format(
            layer=layer + 1, head=head + 1, predicted=for_markdown(token_label(names[row]).strip()),
            weight=probability(float(weights[row, most])),
            read=for_markdown(token_label(plain.source[most]).strip()),
        )
    )  # fmt: skip
