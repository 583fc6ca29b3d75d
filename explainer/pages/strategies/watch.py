"""The searches as they go on: what each strategy came to, whether there was a search error, and the progress."""

import inspect
from dataclasses import dataclass

import streamlit as st

from explainer.decode.search.exact import exact_search
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.watched.comparison import EXACT, Comparison, Found, title_of
from explainer.decode.watched.strategies import Sampled
from explainer.equations.decoding import (
    BOUND,
    DIVISORS,
    SCORE,
    SOURCE,
    SOURCES,
    divisor,
    off_by,
    products,
    sums,
)
from explainer.figures.amounts import count, duration, memory
from explainer.figures.bars.strategies import Kind, Reached, side_by_side
from explainer.figures.escape import for_markdown
from explainer.figures.latex import paint
from explainer.figures.style import change, number, small
from explainer.figures.tree.sum import score_latex, sum_latex
from explainer.language import _, ngettext
from explainer.pages.frame import layout
from explainer.pages.frame.cut import marked
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import theme
from explainer.pages.frame.share import fragment, note
from explainer.pages.frame.view import Translated
from explainer.pages.strategies.searches import Question, log_probs_of

PERCENT = 100.0
AGREES = 1e-3  # sums of float32, one pass for each token against one for all
TICK, SLICE = 0.25, 0.15  # seconds between looks, and of work at each
STOPPED = "stopped"  # the question whose searches this visitor has stopped
SHOWN = ("beam 2", "beam 4", "beam 8", "beam 16", "beam 32")  # of the beams that are searched
DRAWN = "sample, seed "  # as links name them


@dataclass(frozen=True, eq=False)
class Contest:
    """What the page shows; samples are kept by seed, exact search may read `budget` prefixes."""

    view: Translated
    question: Question
    compared: Comparison
    samples: dict[int, Sampled]
    budget: int

    @property
    def is_going(self) -> bool:
        """Whether there is work left that this visitor has not stopped."""
        return not self.is_stopped and not self.compared.is_done(self.budget)

    @property
    def is_stopped(self) -> bool:
        """Whether this visitor has stopped the work."""
        return st.session_state.get(STOPPED) == self.question

    @property
    def found(self) -> dict[str, Found]:
        """What each strategy came to, by its name, as far as it has."""
        rows, hidden = self.compared.rows, {f"beam {width}" for width in self.compared.widths} - set(SHOWN)
        searched = {name: one for name, one in rows.items() if name not in (EXACT, *hidden)}
        drawn = {f"{DRAWN}{seed}": sample.found for seed, sample in self.samples.items()}
        return {**searched, **drawn, **({EXACT: rows[EXACT]} if EXACT in rows else {})}

    def selected(self, found: dict[str, Found]) -> str:
        """The strategy that the link names; else the first that made a search error, else a beam."""
        asked = st.query_params.get("strategy")
        searched = [name for name in found if not name.startswith("sample")]
        missed = [name for name in searched if self.compared.missed_better(found[name].hypothesis)]
        wished = [asked, *missed, "beam 4", *found]
        selected = next(name for name in wished if name in found and name is not None)
        note("strategy", asked if asked and self.is_going else selected)  # what is asked for may come yet
        return selected


def watch(contest: Contest, words: Words) -> None:
    """All that changes while the searches go on: looked at again and again until they end."""
    fragment(_watched, run_every=TICK if contest.is_going else None)(contest, words, contest.is_going)


def _watched(contest: Contest, words: Words, is_going: bool) -> None:
    """Do a slice of the work, then show what is known; `is_going`: this is looked at again by itself."""
    if contest.is_going:
        contest.compared.advance(SLICE, contest.budget)
    while not contest.compared.beams:  # there is something to see from the first moment on
        contest.compared.advance(SLICE, contest.budget)
    if is_going and not contest.is_going:
        st.rerun()  # nobody need look again
    found = contest.found
    selected = contest.selected(found)
    _say_verdict(contest, words)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_figure(contest, found, selected)
    with right, st.container(border=True, key="exact"):
        _show_exact(contest, words)
    _say_model(contest, words)
    _show_table(contest, found, selected)
    _show_selected(contest, selected, found[selected].hypothesis, words)


def _show_figure(contest: Contest, found: dict[str, Found], selected: str) -> None:
    best, step, spelled = contest.compared.best, contest.compared.exact, contest.view.spelled
    assert best is not None
    every = [(name, one.hypothesis, spelled(one.hypothesis.words), one.n_read) for name, one in found.items()]
    title = _("log p, nats") if contest.question.penalty == "none" else _("score")
    alt = _("{measure} of what each strategy found, and how many prefixes it read; the best is {text}")
    layout.figure(
        side_by_side(
            [Reached(name, _title(name), one.score, n, _kind(name), text) for name, one, text, n in every],
            contest.view.theme,
            selected=list(found).index(selected),
            best=best.score,
            possible=best.score if step is None or step.outcome == "proved" else step.best_possible,
            title=title,
        ),
        key="strategies",
        alt=alt.format(measure=title, text=spelled(best.words)),
        table=lambda: (
            [_("strategy"), _("translation"), "log p", _("score"), _("prefixes read")],
            [
                [_title(name), text, f"{one.log_prob:.6g}", f"{one.score:.6g}", n]
                for name, one, text, n in every
            ],
        ),
        says=lambda name: {"strategy": str(name)},
        part="strategy",
    )


def _title(name: str) -> str:
    """What a strategy of `Contest.found` is called."""
    if name.startswith(DRAWN):
        return _("sample, seed {seed}").format(seed=name.removeprefix(DRAWN))
    return title_of(name)


def _kind(name: str) -> Kind:
    if name == EXACT:
        return "exact"
    return "sample" if name.startswith(DRAWN) else "search"


def _stop(contest: Contest, stopped: bool) -> None:
    """Stop the work for this visitor, or go on; may be called twice for one click."""
    st.session_state[STOPPED] = contest.question if stopped else None


def _show_exact(contest: Contest, words: Words) -> None:
    """How far exact search is, what it knows, its bound."""
    compared, is_stopped = contest.compared, contest.is_stopped
    step = compared.exact
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words["exact"], width="content")
        if not compared.is_done(contest.budget):
            label, icon, key = _("Stop"), ":material/stop:", "exact-stop"
            if is_stopped:
                label, icon, key = _("Go on"), ":material/play_arrow:", "exact-go-on"
            if st.button(label, icon=icon, key=key, on_click=_stop, args=(contest, not is_stopped)):
                st.rerun()
    if step is None:
        st.progress(0.0, text=words["beams first"])
    else:
        share = number(PERCENT * step.settled, 1)
        read = ngettext("{n} prefix read", "{n} prefixes read", step.n_expanded)
        settled = _("{share} % of all probability settled")
        parts = [read.format(n=count(step.n_expanded)), settled.format(share=share)]
        if len(compared.beams) < len(compared.widths):
            searched = _("{n} of {all} beams searched")
            parts.append(searched.format(n=len(compared.beams), all=len(compared.widths)))
        st.progress(min(1.0, max(0.0, step.settled)), text=" · ".join(parts))
        _say_state(contest, words)
    with st.expander(_("The bound, and the code"), key="exact-code"):
        st.latex(paint(_(BOUND), theme()))
        st.caption(f"{_(SOURCE)}. {words['bound']}")
        if st.toggle(_("Show the code"), key="exact-code-shown"):
            st.caption("`explainer/decode/search/exact.py`")
            st.code(inspect.getsource(exact_search), language="python")


def _say_state(contest: Contest, words: Words) -> None:
    """What is proved; or what may still be found, and how long that takes at most."""
    compared, budget = contest.compared, contest.budget
    state, step, proof = compared.state(budget), compared.exact, compared.proof
    if step is None or proof is None:
        return
    if state == "proved":
        said = layout.filled(
            words["proved"],
            n=count(step.n_expanded),
            needed=count(step.n_needed or 0),
            passes=count(proof.n_passes),
        )
    else:
        which = "stopped" if contest.is_stopped and state == "searching" else state
        said = layout.filled(
            words[which],
            budget=count(budget),
            left=duration(compared.seconds_left(budget)),
            waiting=count(step.n_waiting),
            best=number(step.best.score, 3) if step.best is not None else "–",
            possible=number(step.best_possible, 3),
        )
    st.markdown(said)


def _say_verdict(contest: Contest, words: Words) -> None:
    """Which searches missed a better hypothesis, as far as that is known."""
    compared, question, budget = contest.compared, contest.question, contest.budget
    best = compared.best
    if best is None:
        return
    text = for_markdown(contest.view.spelled(best.words))
    if not best.finished:
        said = layout.filled(words["best is cut"], best=text, limit=question.limit)
        st.info(said, icon=":material/content_cut:")
        return
    found = {width: one.hypothesis for width, one in compared.beams.items()}
    missed = [width for width, one in found.items() if compared.verdict(one, budget) == "search error"]
    worst = min((found[width].score for width in missed), default=best.score)
    step = compared.exact
    told = {
        "best": text,
        "score": number(best.score, 3),
        "what": _("more probable") if question.penalty == "none" else _("of a better score"),
        "n": count(step.n_expanded if step is not None else 0),
        "possible": number(step.best_possible, 3) if step is not None else "",
        "widths": _listed(missed),
        "behind": change(worst, best.score, 3)[2],
    }
    if missed:
        which = {"proved": "search error", "budget": "search error, unproved"}.get(
            compared.state(budget), "search error so far"
        )
    else:
        verdict = compared.verdict(best, budget)
        which = "no search error" if verdict == "found" else verdict
    icon = {"search error": ":material/search_off:", "no search error": ":material/verified:"}
    shown = st.success if which == "no search error" else st.warning if missed else st.info
    shown(layout.filled(words[which], **told), icon=icon.get(which.split(",")[0].removesuffix(" so far")))


def _say_model(contest: Contest, words: Words) -> None:
    """Whether the model is wrong: its most probable sentence, beside the empty one."""
    best, empty = contest.compared.best, contest.compared.empty
    if best is None or empty is None or not best.finished:
        return
    told = {
        "best": for_markdown(contest.view.spelled(best.words)),
        "log_prob": number(best.log_prob, 3),
        "empty": number(empty.log_prob, 3),
        "behind": change(empty.score, best.score, 3)[2],
    }
    proved = contest.compared.state(contest.budget) == "proved"
    if best.tokens == empty.tokens:
        st.error(
            layout.filled(words["model error" if proved else "empty so far"], **told), icon=":material/error:"
        )
    else:
        st.markdown(layout.filled(words["model" if proved else "model unproved"], **told))


def _listed(widths: list[int]) -> str:
    """`greedy search and beams 2, 4`."""
    beams = [str(width) for width in widths if width > 1]
    if not beams:
        return _("greedy search") if widths else ""
    told = ngettext("beam {widths}", "beams {widths}", len(beams))
    if 1 in widths:
        told = ngettext("greedy search and beam {widths}", "greedy search and beams {widths}", len(beams))
    return told.format(widths=", ".join(beams))


def _show_table(contest: Contest, found: dict[str, Found], selected: str) -> None:
    """A line for each strategy, that which is told of below in bold."""
    scored = contest.question.penalty != "none"
    heading = [_("strategy"), _("translation"), "log p", *([_("score")] if scored else []), _("behind")]
    heading += [_("tokens"), _("prefixes\u00a0read"), _("K\u00a0and\u00a0V"), _("time")]
    rows = [_cells(contest, name, one, bold=name == selected) for name, one in found.items()]
    with st.container(key="strategies-lines"):
        st.markdown(layout.as_table(heading, rows, left=2))


def _show_selected(contest: Contest, name: str, hypothesis: Hypothesis, words: Words) -> None:
    """The probabilities of one hypothesis's tokens, multiplied, and its score."""
    view, question = contest.view, contest.question
    log_ps = log_probs_of(question, hypothesis.tokens)
    left, right = st.columns(2, gap="large")
    with left, st.container(key="selected-sum"):
        title, text = for_markdown(_title(name)), for_markdown(view.spelled(hypothesis.words))
        st.markdown(f"**{title}**: {text}")
        names = view.tokenizer.pieces(hypothesis.tokens)
        st.latex(sum_latex(names, log_ps, products(log_ps), sums(log_ps), view.theme))
        if not hypothesis.finished:
            st.warning(words["cut"], icon=":material/content_cut:")
    with right, st.container(key="selected-score"):
        st.latex(paint(_(SCORE), view.theme))
        st.latex(DIVISORS[question.penalty])
        length = len(hypothesis)
        by = divisor(question.penalty, question.alpha, length)
        st.latex(score_latex(hypothesis.log_prob, length, question.penalty, question.alpha, by))
        deviation = off_by(hypothesis.log_prob, log_ps)
        source = _(SOURCES[question.penalty])
        said = layout.filled(words["checked"], source=source, deviation=small(deviation))
        st.caption(said) if deviation <= AGREES else st.error(said)


def _cells(contest: Contest, name: str, found: Found, *, bold: bool) -> list[str]:
    one = found.hypothesis
    best, behind = contest.compared.best, contest.compared.behind(one)
    unbroken = _title(name).replace(" ", "\u00a0")
    return [
        f"**{unbroken}**" if bold else unbroken,
        marked(for_markdown(contest.view.spelled(one.words)), one.finished),
        number(one.log_prob, 3),
        *([number(one.score, 3)] if contest.question.penalty != "none" else []),
        change(one.score, best.score, 3)[2] if behind > 0 and best is not None else "0",
        count(len(one)),
        count(found.n_read),
        memory(found.n_bytes),
        duration(found.seconds),
    ]
