"""The two pools of a step: the candidates that were ranked, and the finished hypotheses, which decide when to stop."""

from typing import Any

import numpy as np
import streamlit as st

from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules
from explainer.decode.search.step import BeamStep
from explainer.decode.search.tree import Node
from explainer.equations.decoding import added, by_rank
from explainer.figures.bars.rows import pool_bars
from explainer.figures.escape import for_markdown
from explainer.figures.style import number, probability
from explainer.language import _, mark, ngettext
from explainer.pages.beam_search.recorded import Tokens, spelled
from explainer.pages.beam_search.tree import TreeScene
from explainer.pages.frame import layout
from explainer.pages.frame.link import set_link
from explainer.pages.frame.page import Words

_CUT = mark("✂ cut at the limit")
_MANY = 5  # a longer list of finished hypotheses stands below what is said of them


def show_finished(scene: TreeScene, words: Words) -> None:
    """The pool of finished hypotheses after this step, and why the search goes on or stops."""
    moment, rules = scene.told.moments[scene.step], scene.told.recording.rules
    told = _("**Finished**, {n} of {places} places")
    if not all(one.finished for one in moment.finished):
        told = _("**Finished or cut**, {n} of {places} places")
    st.markdown(told.format(n=len(moment.finished), places=rules.beam_size))
    if len(moment.finished) > _MANY:
        _say_stop(scene, words)
    if moment.finished:
        tokens = [one.tokens for one in moment.finished]
        st.session_state["finished-choice"] = tokens.index(scene.tokens) if scene.tokens in tokens else None
        st.radio(
            _("Finished hypotheses by score"),
            range(len(tokens)),
            key="finished-choice",
            format_func=lambda i: _finished_label(scene, moment.finished[i]),
            on_change=_pick_finished,
            args=(tokens,),
            label_visibility="collapsed",
        )
    if len(moment.finished) <= _MANY:
        _say_stop(scene, words)


def _finished_label(scene: TreeScene, one: Hypothesis) -> str:
    text = for_markdown(scene.ground.sentence(one.words)) or "∅"
    return f"**{number(one.score, 3)}** {text} {'✓' if one.finished else _(_CUT)}"


def _pick_finished(tokens: list[Tokens]) -> None:
    chosen = st.session_state["finished-choice"]
    set_link(node=None if chosen is None else spelled(tokens[chosen]))


def _say_stop(scene: TreeScene, words: Words) -> None:
    report = scene.told.moments[scene.step].report
    if report is None:
        st.markdown(_("A forced token: the pool is begun anew."))
        return
    goes_on = _("**The search stops.**") if report.is_last else _("**The search goes on.**")
    st.markdown(f"{goes_on} {_why(report, scene.told.recording.rules, words)}")


def _why(report: BeamStep[Any], rules: BeamRules, words: Words) -> str:
    """The stop rule with this step's numbers."""
    if report.length == rules.max_new_tokens:
        n = rules.max_new_tokens
        return ngettext(
            "The limit of {n} token is reached: what has not ended is cut.",
            "The limit of {n} tokens is reached: what has not ended is cut.",
            n,
        ).format(n=n)
    if report.best_possible == -np.inf:
        return _("Nothing is left that could run on.")
    n = rules.beam_size
    if len(report.finished) < n:
        told = _("The pool has room: {n} of {places} places are taken.")
        return told.format(n=len(report.finished), places=n)
    if rules.early_stopping is True:
        return ngettext(
            "{n} hypothesis has ended: this rule asks for no more.",
            "{n} hypotheses have ended: this rule asks for no more.",
            n,
        ).format(n=n)
    worst, best = report.finished[-1].score, report.best_possible
    running = float(report.choice.kept.log_prob[0, 0])
    far = rules.early_stopping == "never" and rules.penalty.favours_long
    length = rules.max_new_tokens if far else report.length
    return layout.filled(
        words["stop far" if far else "stop near"],
        running=number(running, 3), divisor=number(rules.penalty.divisor(length), 3), best=number(best, 3),
        sign=">" if best > worst else "≤", worst=number(worst, 3), length=length,
    )  # fmt: skip


def say_penalty(scene: TreeScene) -> None:
    """What the length penalty changed: scores only, or the search itself."""
    rules = scene.told.recording.rules
    if rules.penalty.name == "none":
        st.caption(_("No length penalty: the score is the sum of the log-probabilities."))
        return
    mine = scene.told.n_steps
    plain = scene.ground.steps_without_penalty(rules, scene.told.recording.forced)
    if plain is None:
        return
    against = _("Against no penalty the same hypotheses run on: they are ranked by Σ log p.")
    if mine == plain:
        told = ngettext(
            "It stops after the same {n} step; what has finished is ranked anew, **nothing is decoded again.**",
            "It stops after the same {n} steps; what has finished is ranked anew, **nothing is decoded again.**",
            mine,
        )
    elif mine < plain:
        told = ngettext(
            "It stops after {n} step instead of {plain}: the recorded steps tell; **nothing is decoded again.**",
            "It stops after {n} steps instead of {plain}: the recorded steps tell; **nothing is decoded again.**",
            mine,
        )
    else:
        told = ngettext(
            "The recorded {plain} steps were ranked anew. By this penalty the search may not stop there: "
            "**{more} more step had to be decoded.**",
            "The recorded {plain} steps were ranked anew. By this penalty the search may not stop there: "
            "**{more} more steps had to be decoded.**",
            mine - plain,
        )
    st.caption(f"{against} {told.format(n=mine, plain=plain, more=mine - plain)}")


def show_pool(scene: TreeScene, words: Words) -> None:
    """The candidates of this step as bars."""
    moment = scene.told.moments[scene.step]
    title = _("**The pool of step {step}.**").format(step=scene.step + 1)
    st.markdown(f"{title} {words['pool']}")
    told, nodes = scene.told, moment.nodes
    names = [scene.ground.sentence(told.recording.tree.tokens(node)) for node in nodes]
    log_probs = np.array([node.log_prob for node in nodes])
    fates = [_fate(scene, node) for node in nodes]
    alt = _("The {n} candidates that step {step} ranked; the best is {best}")
    layout.figure(
        pool_bars(
            names, log_probs, fates, [node.number for node in nodes], scene.theme, selected=scene.place
        ),
        key="pool",
        alt=alt.format(n=len(nodes), step=scene.step + 1, best=names[0]),
        table=lambda: (
            [_("rank"), _("hypothesis"), "Σ log p", _("what became of it")],
            [
                [rank, name, f"{value:.6g}", _(fate)]
                for rank, (name, value, fate) in enumerate(zip(names, log_probs, fates, strict=True), start=1)
            ],
        ),
        says=told.link_of,
        part="node",
    )


def _fate(scene: TreeScene, node: Node) -> str:
    """What became of a candidate; one that ended without a place among the finished ones has a word of its own."""
    return mark("ended too low") if node.fate == "pruned" and node.token == scene.ground.end_id else node.fate


def show_adding(scene: TreeScene, words: Words) -> None:
    """A button that shows the mistake: hypotheses ranked by the sum of their probabilities."""
    if not st.toggle(_("What if we added probabilities?"), key="adding"):
        return
    found = _compared(scene)
    log_ps = [scene.ground.plain(tokens).log_ps for tokens in found]
    right = by_rank([float(one.sum()) for one in log_ps])
    wrong = by_rank([added(one) for one in log_ps])
    heading = _("hypothesis"), "∏ p", _("rank"), "Σ p", _("“rank”")
    rows = []
    for tokens, one, good, bad in zip(found, log_ps, right, wrong, strict=True):
        text = for_markdown(scene.ground.sentence(tokens))
        product = float(np.exp(one.astype(np.float64).sum()))
        told = f"{bad}" if good == bad else f"**{bad}**"
        rows.append([text, probability(product), f"{good}", number(added(one), 3), told])
    st.markdown(layout.as_table(heading, rows))
    st.error(words["adding"], icon=":material/error:")


def _compared(scene: TreeScene) -> list[Tokens]:
    """What has finished by this step, and what runs on: of what has finished alone if that is two or more."""
    moment = scene.told.moments[scene.step]
    ended = [one.tokens for one in moment.finished]
    kept = [node for node in moment.nodes if node.fate in ("kept", "forced")]
    running = [scene.told.recording.tree.tokens(node) for node in kept]
    return ended if len(ended) > 1 else [*ended, *running]
