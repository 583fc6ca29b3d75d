"""One step of greedy decoding: the tokens so far, its distribution, its choice and the sum, and another choice."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from explainer.decode.watched.walk import Mode, Walk
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
from explainer.text.tokenizer import START_ID

MODE_NAMES = {"cache": mark("key/value cache"), "re-feed": mark("re-feed everything")}
SIZES = (5, 8, 12, 20)
SAME = 1e-3  # nats: what rounding may do to the log p of one sentence
FIRST = 3  # tokens that were the most probable before the changes: shown in any case


@dataclass(frozen=True, eq=False)
class GreedyStep:
    """One step of a search, from 0; `found` has both modes, `mode` is shown.

    `specs` are the changes under which was searched. `pieces` are `<s>` and the tokens said: step t reads piece t.
    """

    view: Translated
    found: Decoded
    mode: Mode
    step: int
    specs: Specs
    pieces: tuple[str, ...]

    @property
    def walk(self) -> Walk:
        """The search in the mode that is shown."""
        return self.found.walk(self.mode)

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
    pieces = tuple(view.tokenizer.pieces([START_ID, *found.plain.tokens]))
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom", key="greedy-bar"):
        mode = _choose_mode(found)
        if not found.may_cache:
            st.caption(_("no key/value cache here: see below"), width="content")
        titles = decoder_labels(pieces[:-1], pieces[1:])
        row = spelled_number(st.query_params.get("row", ""))
        if row is not None and len(titles) < row <= MOST_TOKENS:
            set_link(row=str(len(titles)))  # a change made the translation shorter
        step = stepper("row", titles, default=found.closest)
    return GreedyStep(view, found, mode, step, specs, pieces)


def _choose_mode(found: Decoded) -> Mode:
    options = found.modes[::-1]
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


def show_said(here: GreedyStep) -> None:
    """`<s>` and the tokens, those still to come hidden; a click on one goes to the step that says it."""
    probabilities = np.exp(taken(here.walk.log_probs, np.array(here.walk.tokens)).astype(np.float64))
    closest = here.found.closest
    row = here.found.plain.log_probs[closest]
    best, second = int(row.argmax()), runner_up(row)
    why = _("{first} {p_first} against {second} {p_second}").format(
        first=f"“{for_markdown(here.view.name_of(best))}”", p_first=probability(float(np.exp(row[best]))),
        second=f"“{for_markdown(here.view.name_of(second))}”", p_second=probability(float(np.exp(row[second]))),
    )  # fmt: skip
    if here.step == closest:
        first = _("★ Shown first because no choice was closer: {why}.")
    else:
        first = _("The closest choice is step {step} ★: {why}.")
    read = ngettext(
        "**Decoder input: {n} token**, and what it says next ✓",
        "**Decoder input: {n} tokens**, and what it says next ✓",
        here.step + 1,
    )
    st.markdown(f"{read.format(n=here.step + 1)} · {first.format(step=closest + 1, why=why)}")
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
    after, asked, view, then = here.log_probs, _asked(here), here.view, None
    also = [here.token, *([] if asked is None else [asked])]
    if here.specs:  # the same step, after the same tokens, of the unchanged model
        before = log_probs_along(view.model, view.sentence, here.walk.tokens)[here.step]
        also += top(before[None], FIRST)[0].tolist()
        then = np.exp(before)
    ids = listed(after, count, also)
    alt = _("The most probable next tokens of step {step}; {first} is first and is taken")
    show_token_bars(
        view.tokenizer,
        ids,
        before_and_after(then, np.exp(after), ids, is_difference=view.is_difference),
        key="candidates",
        alt=alt.format(step=here.step + 1, first=view.tokenizer.piece(int(ids[0]))),
        n_others=len(after) - len(ids),
        chosen=here.token,
        selected=asked,
        signed=view.is_difference,
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
    if asked is None and here.step == here.found.closest:
        asked = runner_up(here.log_probs)
    st.markdown(words["detour"])
    if asked is None or asked == here.token:
        st.caption(words["detour hint"])
        return
    prefix = (*here.walk.tokens[: here.step], asked)
    other = detour_of(here.view.model, here.view.sentence, prefix, here.specs)
    greedy = float(here.walk.sums[-1])
    decode, bold = here.view.tokenizer.decode, "**{}**".format
    taken_here, instead = (bold(for_markdown(here.view.name_of(token))) for token in (here.token, asked))
    said = here.walk.tokens[:-1] if here.walk.finished else here.walk.tokens
    best = here.view.changed_translation if here.specs else here.view.translation
    as_it_was = _("greedy: {token} at step {step}").format(token=taken_here, step=here.step + 1)
    as_asked = _("{token} instead, then greedy").format(token=instead)
    rows = [
        (as_it_was, decode(said), greedy, here.walk.finished),
        (as_asked, decode(other.words), other.log_prob, other.finished),
        (_("beam search, 4 hypotheses"), best.text, best.best.log_prob, best.best.finished),
    ]
    cells = [
        [name, marked(for_markdown(text) or "∅", finished), number(log_prob, 3)]
        for name, text, log_prob, finished in rows
    ]
    st.markdown(layout.as_table(["", _("sentence"), _("log p, nats")], cells))
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


def _asked(here: GreedyStep) -> int | None:
    """The token that the link wants to be tried at this step: `9.1234`, a step from 1 and a token id."""
    raw = st.query_params.get("next")
    if raw is None:
        return None
    n_steps, n_tokens = here.walk.log_probs.shape
    step, token = map(spelled_number, raw.partition(".")[::2])
    if step is not None and token is not None and 1 <= step <= n_steps and token < n_tokens:
        return token if step == here.step + 1 else None
    fell_back("next", raw, _("step.token up to {last}").format(last=f"{n_steps}.{n_tokens - 1}"))
    return None


def _steps_table(here: GreedyStep, probabilities: np.ndarray) -> layout.Table:
    rows = zip(here.pieces, here.pieces[1:], probabilities.tolist(), here.walk.sums.tolist(), strict=False)
    return [_("step"), _("reads"), _("says"), "p", _("log p so far, nats")], [
        [i, token_label(reads), token_label(says), f"{p:.6g}", f"{total:.6g}"]
        for i, (reads, says, p, total) in enumerate(rows, start=1)
    ]
