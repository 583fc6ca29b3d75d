"""Page: which strategy is best? Greedy, beams, sampling and exact search on one sentence, side by side."""

from dataclasses import replace

import streamlit as st

from explainer.decode.search.sampling import SamplingRules
from explainer.equations.decoding import DIVISORS
from explainer.figures.amounts import count
from explainer.language import _, ngettext
from explainer.pages.frame.link import choose, slide
from explainer.pages.frame.page import TRANSLATION, Words, page
from explainer.pages.frame.view import Translated
from explainer.pages.kit.search_rules import PENALTY_NAMES, limit_field, whole_number
from explainer.pages.strategies.sampling import show_sampling
from explainer.pages.strategies.searches import Question, comparison_of, sample_of
from explainer.pages.strategies.watch import Contest, watch
from explainer.pages.strategies.widths import show_widths

LINKS = ("penalty", "alpha", "limit", "budget", "T", "k", "p", "seed", "samples", "strategy", "draw", "token")
COUNTS, BUDGETS = (1, 3, 5), (1_000, 10_000, 100_000)
MOST_K, MOST_SEED = 1_000, 999_999


def show(view: Translated, words: Words) -> None:
    """The settings of all strategies, what each came to, how tokens are drawn, what a wider beam brings."""
    specs = () if view.compare == "before" else view.specs
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="searched-by"):
        penalty = choose("penalty", _("Score by"), tuple(DIVISORS), "none", format_func=_score_name)
        alpha = slide("alpha", "α", 0.6, -1.0, 4.0, 0.1, width=150) if penalty != "none" else 0.6
        limit = limit_field(view.model, view.sentence)
        budget = choose("budget", _("Exact search may read"), BUDGETS, BUDGETS[1], format_func=_prefixes)
    question = Question(view.model, view.sentence, specs, penalty, alpha, limit)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="drawn-by"):
        rules, n_samples = _choose_sampling(limit)
    seeds = range(rules.seed, rules.seed + n_samples)
    samples = {seed: sample_of(question, replace(rules, seed=seed)) for seed in seeds}
    contest = Contest(view, question, comparison_of(question), samples, budget)
    watch(contest, words)
    show_sampling(contest, words)
    show_widths(contest, words)


def _choose_sampling(limit: int) -> tuple[SamplingRules, int]:
    temperature = slide("T", _("Sampling: temperature T"), 1.0, 0.1, 3.0, 0.1, width=170)
    top_k = whole_number("k", _("top-k (0: all)"), 0, 0, MOST_K)
    top_p = slide("p", _("top-p"), 0.9, 0.05, 1.0, 0.05, width=150)
    seed = whole_number("seed", _("Seed"), 1, 0, MOST_SEED)
    n_samples = choose("samples", _("Samples"), COUNTS, 3)
    rules = SamplingRules(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed, max_new_tokens=limit)
    return rules, n_samples


def _score_name(penalty: str) -> str:
    return "log p" if penalty == "none" else _(PENALTY_NAMES[penalty])


def _prefixes(budget: int) -> str:
    return ngettext("{n} prefix", "{n} prefixes", budget).format(n=count(budget))


page("strategies", show, needs=TRANSLATION, links=LINKS)
