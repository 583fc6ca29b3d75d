"""Parts of the page about greedy decoding: the tokens so far, the distribution of a step, its choice and the sum."""

import numpy as np
import streamlit as st

from explainer.equations.decoding import CHOICE, SUM, runner_up, taken
from explainer.equations.output import LOG_PROBS, LOG_PROBS_OF, LOGITS_OF
from explainer.figures.escape import for_katex, for_markdown, token_label
from explainer.figures.latex import paint
from explainer.figures.style import number, probability
from explainer.figures.tokens.lines import attention_lines
from explainer.figures.tokens.timeline import timeline
from explainer.measures.flow import top
from explainer.measures.vocabulary import listed
from explainer.pages.frame import layout
from explainer.pages.frame.cut import limit_in_words, marked
from explainer.pages.frame.link import choose, picked_part, set_link
from explainer.pages.frame.page import Words
from explainer.pages.greedy.decoded import detour_of, log_probs_along
from explainer.pages.greedy.sight import Sight, link_pair, say_why_first
from explainer.pages.kit.heads import choose_head
from explainer.pages.kit.tokens import before_and_after, show_token_bars

SIZES = (5, 8, 12, 20)
SAME = 1e-3  # nats: what rounding may do to the log p of one sentence
FIRST = 3  # tokens that were the most probable before the changes: shown in any case


def show_tokens(sight: Sight) -> None:
    """`<s>` and the tokens, those still to come hidden; a click on one goes to the step that says it."""
    probabilities = np.exp(taken(sight.walk.log_probs, np.array(sight.walk.tokens)).astype(np.float64))
    why = say_why_first(sight)
    if sight.step == sight.first:
        why = f"★ Shown first because no choice was closer: {why}."
    else:
        why = f"The closest choice is step {sight.first + 1} ★: {why}."
    count = f"{sight.step + 1} token{'s' if sight.step else ''}"
    st.markdown(f"**Decoder input: {count}**, and what it says next ✓ · {why}")
    layout.figure(
        timeline(sight.pieces, probabilities.tolist(), sight.view.theme, step=sight.step),
        key="timeline",
        alt=f"The decoder reads {' '.join(map(token_label, sight.pieces[: sight.step + 1]))} and says "
        f"{token_label(sight.pieces[sight.step + 1])}",
        table=lambda: _steps_table(sight, probabilities),
        on_pick=_pick_step,
    )
    if not sight.walk.finished:
        st.warning(
            f"**Cut, not finished:** no `</s>` within {limit_in_words(sight.view.model, sight.view.sentence)}.",
            icon=":material/content_cut:",
        )


def show_distribution(sight: Sight, words: Words) -> None:
    """The probabilities of this step: the largest, and all others as one bar; a click tries another token."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.markdown(words["distribution"], width="content")
        count = choose("k", "Tokens shown", SIZES, 8, label_visibility="collapsed")
    after, asked = sight.log_probs, _asked(sight)
    before = _without_changes(sight)
    also = [sight.token, *([] if asked is None else [asked])]
    if before is not None:
        also += top(before[None], FIRST)[0].tolist()
    ids = listed(after, count, also)
    then = None if before is None else np.exp(before)
    show_token_bars(
        sight.view.tokenizer,
        ids,
        before_and_after(then, np.exp(after), ids, is_difference=sight.view.is_difference),
        key="candidates",
        alt=f"The most probable next tokens of step {sight.step + 1}; "
        f"{sight.view.tokenizer.piece(int(ids[0]))} is first and is taken",
        n_others=len(after) - len(ids),
        chosen=sight.token,
        selected=asked,
        signed=sight.view.is_difference,
        on_pick=lambda: _pick_token(sight.step),
    )


def show_choice(sight: Sight, words: Words) -> None:
    """The equations of the choice and of the sum, with this step's numbers."""
    colours, step = sight.view.theme, sight.step
    layout.equation(CHOICE, sight.seen, colours)
    log_prob = float(sight.log_probs[sight.token])
    name = for_katex(token_label(sight.pieces[step + 1]).strip())
    p, log_p = probability(float(np.exp(log_prob))), number(log_prob, 3).replace("−", "-")
    chosen = rf"\target{{\hat y_{{{step + 1}}}}} = \target{{{name}}}, \quad p = {p}, \quad \log p = {log_p}"
    st.latex(paint(chosen, colours))
    layout.equation(SUM, sight.seen, colours)
    layout.story(SUM.story(sight.seen, (step,)), colours, lambda place: sight.pieces[place + 1])
    if st.toggle("log p of this step, from its logits", key="step-log-prob"):
        row = slice(step, step + 1)
        seen = {LOGITS_OF: sight.walk.logits[row], LOG_PROBS_OF: sight.walk.log_probs[row]}
        layout.equation(LOG_PROBS, seen, colours)
        layout.story(LOG_PROBS.story(seen, (0, sight.token)), colours, sight.view.tokenizer.piece)
    st.caption(words["nats"])


def show_detour(sight: Sight, words: Words) -> None:
    """What greedy search says if this step takes another token, and which of both sentences is more probable."""
    asked = _asked(sight)
    if asked is None and sight.step == sight.first:
        asked = runner_up(sight.log_probs)
    st.markdown(words["detour"])
    if asked is None or asked == sight.token:
        st.caption(words["detour hint"])
        return
    prefix = (*sight.walk.tokens[: sight.step], asked)
    other = detour_of(sight.view.model, sight.view.sentence, prefix, sight.specs)
    greedy = float(sight.walk.sums[-1])
    decode = sight.view.tokenizer.decode
    said = sight.walk.tokens[:-1] if sight.walk.finished else sight.walk.tokens
    best = sight.view.changed_translation if sight.specs else sight.view.translation
    rows = [
        (
            f"greedy: {_bold(sight, sight.token)} at step {sight.step + 1}",
            decode(said),
            greedy,
            sight.walk.finished,
        ),
        (f"{_bold(sight, asked)} instead, then greedy", decode(other.words), other.log_prob, other.finished),
        ("beam search, 4 hypotheses", best.text, best.best.log_prob, best.best.finished),
    ]
    table = "| | sentence | log p, nats |\n|---|---|---|\n" + "\n".join(
        f"| {name} | {marked(for_markdown(text) or '∅', finished)} | {number(log_prob, 3)} |"
        for name, text, log_prob, finished in rows
    )
    st.markdown(table)
    if other.finished and sight.walk.finished:
        st.markdown(words["detour better" if other.log_prob > greedy else "detour worse"])
    if best.ended and sight.walk.finished and best.best.log_prob > greedy + SAME:
        st.markdown(words["beam better"])
    if not all(finished for *_, finished in rows):
        st.markdown(words["detour cut"])


def show_attention(sight: Sight, words: Words) -> None:
    """Cross-attention of the rows so far, this step's strongly: which English tokens feed this prediction."""
    st.markdown(words["attention"])
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        place = choose_head(sight.view, "cross")
    step, source = sight.step, sight.source
    weights = sight.walk.across[:, place.layer, place.head].copy()
    weights[step + 1 :] = 0.0
    rows = [one if i <= step else " " for i, one in enumerate(sight.pieces[1:])]
    layout.figure(
        attention_lines(weights, rows, source, sight.view.theme, selected=step),
        key="lines",
        alt=f"Lines from {token_label(rows[step])} to the English tokens that its row looks at",
        table=lambda: layout.matrix_table(
            sight.walk.across[: step + 1, place.layer, place.head], rows[: step + 1], source
        ),
    )
    after = ", after the changes" if sight.view.is_difference else ""
    st.caption(f"Layer {place.layer + 1}, head {place.head + 1}: the row {for_markdown(sight.label)}{after}.")


def _bold(sight: Sight, token: int) -> str:
    return f"**{for_markdown(sight.view.name_of(token))}**"


def _asked(sight: Sight) -> int | None:
    """The token of the link that is to be tried at this step."""
    step, token = link_pair("next", len(sight.walk.tokens), len(sight.log_probs))
    return token if step == sight.step else None


def _without_changes(sight: Sight) -> np.ndarray | None:
    """The same step, after the same tokens, of the unchanged model; None if nothing is changed."""
    if not sight.specs:
        return None
    view = sight.view
    return log_probs_along(view.model, view.sentence, sight.walk.tokens)[sight.step]


def _steps_table(sight: Sight, probabilities: np.ndarray) -> layout.Table:
    rows = zip(sight.pieces, sight.pieces[1:], probabilities.tolist(), sight.walk.sums.tolist(), strict=False)
    return ["step", "reads", "says", "p", "log p so far, nats"], [
        [i, token_label(reads), token_label(says), f"{p:.6g}", f"{total:.6g}"]
        for i, (reads, says, p, total) in enumerate(rows, start=1)
    ]


def _pick_step() -> None:
    if picked := picked_part("timeline", "step"):
        set_link(row=str(picked[0] + 1))


def _pick_token(step: int) -> None:
    picked = picked_part("candidates", "candidate")
    if picked and picked[0] is not None:
        set_link(next=f"{step + 1}.{picked[0]}")
