"""One step of greedy decoding: the tokens so far, its distribution, its choice and the sum, and another choice."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations.decoding import CHOICE, SUM, runner_up, seen_of, taken
from explainer.equations.output import LOG_PROBS, LOG_PROBS_OF, LOGITS_OF
from explainer.figures.escape import for_katex, for_markdown, token_label
from explainer.figures.heat.matrix import decoder_labels
from explainer.figures.latex import paint
from explainer.figures.style import number, probability
from explainer.figures.tokens.lines import attention_lines
from explainer.figures.tokens.timeline import timeline
from explainer.language import _, mark, ngettext
from explainer.measures.flow import top
from explainer.measures.vocabulary import listed
from explainer.pages.frame import layout
from explainer.pages.frame.cut import MOST_TOKENS, limit_in_words, marked
from explainer.pages.frame.link import choose, fell_back, set_link, spelled_number
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import Specs
from explainer.pages.frame.stepper import stepper
from explainer.pages.frame.view import Translated
from explainer.pages.greedy.decoded import Decoded, decoded, detour_of, log_probs_along
from explainer.pages.kit.heads import choose_head
from explainer.pages.kit.tokens import before_and_after, show_token_bars

if TYPE_CHECKING:
    from explainer.decode.watched.walk import Mode, Walk

MODE_NAMES = {"cache": mark("key/value cache"), "re-feed": mark("re-feed everything")}


@dataclass(frozen=True, eq=False)
class GreedyStep:
    """One step of a search.

    Attributes:
        view: The sentence and the colours.
        found: The search, in both modes.
        mode: Which of them is shown.
        step: From 0.
    """

    view: Translated
    found: Decoded
    mode: "Mode"
    step: int

    @property
    def specs(self) -> Specs:
        """The changes under which was searched."""
        return () if self.view.compare == "before" else self.view.specs

    @property
    def first(self) -> int:
        """The step that is shown first."""
        return self.found.closest

    @property
    def walk(self) -> "Walk":
        """The search in the mode that is shown."""
        return self.found.walk(self.mode)

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """`<s>` and the tokens that were said; piece t is what step t reads."""
        return pieces_of(self.view, self.found)

    @property
    def source(self) -> tuple[str, ...]:
        """The English tokens of the pass that is shown."""
        return self.view.tokens.source

    @property
    def label(self) -> str:
        """The step as `input → predicts`."""
        return decoder_labels(self.pieces[self.step : self.step + 1], self.pieces[self.step + 1 :][:1])[0]

    @property
    def token(self) -> int:
        """What this step says."""
        return self.walk.tokens[self.step]

    @property
    def log_probs(self) -> np.ndarray:
        """What this step says of the whole vocabulary."""
        return self.walk.log_probs[self.step]

    @cached_property
    def seen(self) -> dict[str, np.ndarray]:
        """What the equations of the search read."""
        return dict(seen_of(self.walk.log_probs, np.array(self.walk.tokens), self.walk.sums))


def chosen_step(view: Translated) -> GreedyStep:
    """Search, or remember the search; then the mode and the step that the link names."""
    specs = () if view.compare == "before" else view.specs
    found = decoded(view.model, view.sentence, specs)
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom", key="greedy-bar"):
        mode = _choose_mode(found)
        if not found.may_cache:
            st.caption(_("no key/value cache here: see below"), width="content")
        step = _choose_step(view, found)
    return GreedyStep(view, found, mode, step)


def pieces_of(view: Translated, found: Decoded) -> tuple[str, ...]:
    """`<s>` and the tokens of a search, as the vocabulary spells them."""
    from explainer.text.tokenizer import START_ID

    return tuple(view.tokenizer.pieces([START_ID, *found.plain.tokens]))


def link_pair(name: str, n_steps: int, n_tokens: int) -> tuple[int, int] | tuple[None, None]:
    """A step (in the link from 1) and a token id, `9.1234`; nothing if the link names none or one that cannot be."""
    raw = st.query_params.get(name)
    if raw is None:
        return None, None
    step, token = map(spelled_number, raw.partition(".")[::2])
    if step is not None and token is not None and 1 <= step <= n_steps and token < n_tokens:
        return step - 1, token
    fell_back(name, raw, _("step.token up to {last}").format(last=f"{n_steps}.{n_tokens - 1}"))
    return None, None


def say_why_first(here: GreedyStep) -> str:
    """Which step is shown first, and why."""
    row = here.found.plain.log_probs[here.first]
    best, second = int(row.argmax()), runner_up(row)
    one, two = (probability(float(np.exp(row[token]))) for token in (best, second))
    piece = here.view.tokenizer.piece
    told = _("{first} {p_first} against {second} {p_second}")
    names = {"first": _quoted(piece(best)), "second": _quoted(piece(second))}
    return told.format(**names, p_first=one, p_second=two)


def _quoted(piece: str) -> str:
    return f"“{for_markdown(token_label(piece).strip())}”"


def _choose_mode(found: Decoded) -> "Mode":
    options: tuple[Mode, ...] = ("cache", "re-feed") if found.may_cache else ("re-feed",)
    if st.query_params.get("decoder") == "cache" and not found.may_cache:
        set_link(decoder=None)  # a change came after the choice; the page says why
    return choose(
        "decoder",
        _("The decoder"),
        options,
        options[0],
        format_func=lambda mode: _(MODE_NAMES[mode]),
        label_visibility="collapsed",
    )


def _choose_step(view: Translated, found: Decoded) -> int:
    pieces = pieces_of(view, found)
    titles = decoder_labels(pieces[:-1], pieces[1:])
    row = spelled_number(st.query_params.get("row", ""))
    if row is not None and len(titles) < row <= MOST_TOKENS:
        set_link(row=str(len(titles)))  # a change made the translation shorter
    return stepper("row", titles, default=found.closest)


SIZES = (5, 8, 12, 20)
SAME = 1e-3  # nats: what rounding may do to the log p of one sentence
FIRST = 3  # tokens that were the most probable before the changes: shown in any case


def show_said(here: GreedyStep) -> None:
    """`<s>` and the tokens, those still to come hidden; a click on one goes to the step that says it."""
    probabilities = np.exp(taken(here.walk.log_probs, np.array(here.walk.tokens)).astype(np.float64))
    why = say_why_first(here)
    if here.step == here.first:
        first = _("★ Shown first because no choice was closer: {why}.")
    else:
        first = _("The closest choice is step {step} ★: {why}.")
    read = ngettext(
        "**Decoder input: {n} token**, and what it says next ✓",
        "**Decoder input: {n} tokens**, and what it says next ✓",
        here.step + 1,
    )
    st.markdown(f"{read.format(n=here.step + 1)} · {first.format(step=here.first + 1, why=why)}")
    layout.figure(
        timeline(here.pieces, probabilities.tolist(), here.view.theme, step=here.step),
        key="timeline",
        alt=_("The decoder reads {read} and says {said}").format(
            read=" ".join(map(token_label, here.pieces[: here.step + 1])),
            said=token_label(here.pieces[here.step + 1]),
        ),
        table=lambda: _steps_table(here, probabilities),
        says=lambda step: {"row": str(step + 1)},
        part="step",
    )
    if not here.walk.finished:
        told = _("**Cut, not finished:** no `</s>` within {limit}.")
        limit = limit_in_words(here.view.model, here.view.sentence)
        st.warning(told.format(limit=limit), icon=":material/content_cut:")


def show_distribution(here: GreedyStep, words: Words) -> None:
    """The probabilities of this step: the largest, and all others as one bar; a click tries another token."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.markdown(words["distribution"], width="content")
        count = choose("k", _("Tokens shown"), SIZES, 8, label_visibility="collapsed")
    after, asked = here.log_probs, _asked(here)
    before = _without_changes(here)
    also = [here.token, *([] if asked is None else [asked])]
    if before is not None:
        also += top(before[None], FIRST)[0].tolist()
    ids = listed(after, count, also)
    then = None if before is None else np.exp(before)
    alt = _("The most probable next tokens of step {step}; {first} is first and is taken")
    show_token_bars(
        here.view.tokenizer,
        ids,
        before_and_after(then, np.exp(after), ids, is_difference=here.view.is_difference),
        key="candidates",
        alt=alt.format(step=here.step + 1, first=here.view.tokenizer.piece(int(ids[0]))),
        n_others=len(after) - len(ids),
        chosen=here.token,
        selected=asked,
        signed=here.view.is_difference,
        says=lambda token: {"next": f"{here.step + 1}.{token}"},
    )


def show_choice(here: GreedyStep, words: Words) -> None:
    """The equations of the choice and of the sum, with this step's numbers."""
    colours, step = here.view.theme, here.step
    layout.equation(CHOICE, here.seen, colours)
    log_prob = float(here.log_probs[here.token])
    name = for_katex(token_label(here.pieces[step + 1]).strip())
    p, log_p = probability(float(np.exp(log_prob))), number(log_prob, 3).replace("−", "-")
    chosen = rf"\target{{\hat y_{{{step + 1}}}}} = \target{{{name}}}, \quad p = {p}, \quad \log p = {log_p}"
    st.latex(paint(chosen, colours))
    layout.equation(SUM, here.seen, colours)
    layout.story(SUM.story(here.seen, (step,)), colours, lambda place: here.pieces[place + 1])
    if st.toggle(_("log p of this step, from its logits"), key="step-log-prob"):
        row = slice(step, step + 1)
        seen = {LOGITS_OF: here.walk.logits[row], LOG_PROBS_OF: here.walk.log_probs[row]}
        layout.equation(LOG_PROBS, seen, colours)
        layout.story(LOG_PROBS.story(seen, (0, here.token)), colours, here.view.tokenizer.piece)
    st.caption(words["nats"])


def show_detour(here: GreedyStep, words: Words) -> None:
    """What greedy search says if this step takes another token, and which of both sentences is more probable."""
    asked = _asked(here)
    if asked is None and here.step == here.first:
        asked = runner_up(here.log_probs)
    st.markdown(words["detour"])
    if asked is None or asked == here.token:
        st.caption(words["detour hint"])
        return
    prefix = (*here.walk.tokens[: here.step], asked)
    other = detour_of(here.view.model, here.view.sentence, prefix, here.specs)
    greedy = float(here.walk.sums[-1])
    decode = here.view.tokenizer.decode
    said = here.walk.tokens[:-1] if here.walk.finished else here.walk.tokens
    best = here.view.changed_translation if here.specs else here.view.translation
    rows = [
        (
            _("greedy: {token} at step {step}").format(token=_bold(here, here.token), step=here.step + 1),
            decode(said),
            greedy,
            here.walk.finished,
        ),
        (
            _("{token} instead, then greedy").format(token=_bold(here, asked)),
            decode(other.words),
            other.log_prob,
            other.finished,
        ),
        (_("beam search, 4 hypotheses"), best.text, best.best.log_prob, best.best.finished),
    ]
    heading = "| | " + _("sentence") + " | " + _("log p, nats") + " |\n|---|---|---|\n"
    table = heading + "\n".join(
        f"| {name} | {marked(for_markdown(text) or '∅', finished)} | {number(log_prob, 3)} |"
        for name, text, log_prob, finished in rows
    )
    st.markdown(table)
    if other.finished and here.walk.finished:
        st.markdown(words["detour better" if other.log_prob > greedy else "detour worse"])
    if best.ended and here.walk.finished and best.best.log_prob > greedy + SAME:
        st.markdown(words["beam better"])
    if not all(finished for *__, finished in rows):
        st.markdown(words["detour cut"])


def show_cross_attention(here: GreedyStep, words: Words) -> None:
    """Cross-attention of the rows so far, this step's strongly: which English tokens feed this prediction."""
    st.markdown(words["attention"])
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        place = choose_head(here.view, "cross")
    step, source = here.step, here.source
    weights = here.walk.across[:, place.layer, place.head].copy()
    weights[step + 1 :] = 0.0
    rows = [one if i <= step else " " for i, one in enumerate(here.pieces[1:])]
    layout.figure(
        attention_lines(weights, rows, source, here.view.theme, selected=step),
        key="lines",
        alt=_("Lines from {token} to the English tokens that its row looks at").format(
            token=token_label(rows[step])
        ),
        table=lambda: layout.matrix_table(
            here.walk.across[: step + 1, place.layer, place.head], rows[: step + 1], source
        ),
    )
    told = _("Layer {layer}, head {head}: the row {row}.")
    if here.view.is_difference:
        told = _("Layer {layer}, head {head}: the row {row}, after the changes.")
    st.caption(told.format(layer=place.layer + 1, head=place.head + 1, row=for_markdown(here.label)))


def _bold(here: GreedyStep, token: int) -> str:
    return f"**{for_markdown(here.view.name_of(token))}**"


def _asked(here: GreedyStep) -> int | None:
    """The token of the link that is to be tried at this step."""
    step, token = link_pair("next", len(here.walk.tokens), len(here.log_probs))
    return token if step == here.step else None


def _without_changes(here: GreedyStep) -> np.ndarray | None:
    """The same step, after the same tokens, of the unchanged model; None if nothing is changed."""
    if not here.specs:
        return None
    view = here.view
    return log_probs_along(view.model, view.sentence, here.walk.tokens)[here.step]


def _steps_table(here: GreedyStep, probabilities: np.ndarray) -> layout.Table:
    rows = zip(here.pieces, here.pieces[1:], probabilities.tolist(), here.walk.sums.tolist(), strict=False)
    return [_("step"), _("reads"), _("says"), "p", _("log p so far, nats")], [
        [i, token_label(reads), token_label(says), f"{p:.6g}", f"{total:.6g}"]
        for i, (reads, says, p, total) in enumerate(rows, start=1)
    ]
