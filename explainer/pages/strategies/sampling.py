"""Sampling: the sentences that were drawn, and the distribution that one token was drawn from."""

from typing import Any

import numpy as np
import streamlit as st

from explainer.decode.search.sampling import SampleStep
from explainer.equations.sampling import kept_share, sampling, seen_of
from explainer.figures.amounts import count
from explainer.figures.bars.tokens import Bars
from explainer.figures.escape import for_markdown
from explainer.figures.style import number, probability
from explainer.language import _
from explainer.measures.vocabulary import listed, shares
from explainer.pages.frame import layout
from explainer.pages.frame.cut import marked
from explainer.pages.frame.link import choose
from explainer.pages.frame.page import Words
from explainer.pages.frame.stepper import stepper
from explainer.pages.kit.tokens import show_token_bars
from explainer.pages.strategies.watch import Contest

LISTED = 8


def show_sampling(contest: Contest, words: Words) -> None:
    """What was drawn, with two probabilities; one token's distribution beside its equation."""
    st.markdown(words["sampling"])
    _show_samples(contest)
    st.caption(words["two probabilities"])
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        seeds = tuple(contest.samples)
        seed = choose("draw", _("Tokens of seed"), seeds, seeds[0], forgets=("token",))
        drawn = contest.samples[seed]
        step = drawn.steps[stepper("token", _titles(contest, drawn.steps), default=drawn.least_probable)]
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_distribution(step, contest)
    with right, st.container(key="drawn-story"):
        _show_equation(step, contest, words)


def _show_samples(contest: Contest) -> None:
    heading = [_("seed"), _("translation"), _("log p by the model"), _("log q as drawn")]
    rows = []
    for seed, one in contest.samples.items():
        said, last = one.found.hypothesis, one.steps[-1]
        text = marked(for_markdown(contest.view.spelled(said.words)), said.finished)
        rows.append([f"{seed}", text, number(last.log_prob, 3), number(last.drawn_log_prob, 3)])
    with st.container(key="samples-lines"):
        st.markdown(layout.as_table(heading, rows, left=2))


def _titles(contest: Contest, steps: tuple[SampleStep[Any], ...]) -> list[str]:
    title = _("token {n}: {token}")
    return [title.format(n=step.step + 1, token=contest.view.name_of(step.token)) for step in steps]


def _show_distribution(step: SampleStep[Any], contest: Contest) -> None:
    """The model's probabilities, and those that the token was drawn with."""
    model, drawn = _row(step), np.exp(step.drawn_from)
    ids = listed(model, LISTED, [step.token])
    groups = [
        Bars(_("p, by the model"), shares(np.exp(model), ids), "grey"),
        Bars(_("q, to be drawn"), shares(drawn, ids), "full"),
    ]
    show_token_bars(
        contest.view.tokenizer,
        ids,
        groups,
        key="drawn",
        alt=_("Probabilities by the model and of being drawn; {token} was drawn").format(
            token=contest.view.name_of(step.token)
        ),
        n_others=len(model) - len(ids),
        chosen=step.token,
        selected=step.token,
    )


def _show_equation(step: SampleStep[Any], contest: Contest, words: Words) -> None:
    rules, model = step.rules, _row(step)
    shown = sampling(rules.temperature, rules.top_k, rules.top_p)
    seen = seen_of(model, step.drawn_from)
    layout.equation(shown, seen, contest.view.theme)
    layout.story(shown.story(seen, (step.token,)), contest.view.theme)
    n_kept, share = kept_share(model, step.drawn_from)
    st.markdown(
        layout.filled(
            words["drawn"],
            n=count(n_kept),
            share=probability(share),
            u=number(step.uniform, 3),
            token=for_markdown(contest.view.name_of(step.token)),
        )
    )


def _row(step: SampleStep[Any]) -> np.ndarray:
    return step.frontier.log_probs[0, 0].numpy(force=True)
