"""What each strategy came to as a table, and the arithmetic of the one that is selected."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.equations.exact import off_by
from explainer.equations.search import DIVISORS, SCORE, SOURCES, divisor, products, sums
from explainer.figures.amounts import count, duration, memory
from explainer.figures.escape import for_markdown
from explainer.figures.paint import paint
from explainer.figures.style import change, number, small
from explainer.figures.tree_sum import score_latex, sum_latex
from explainer.pages.inside import Words
from explainer.pages.state import translator
from explainer.pages.strategies_state import Question, log_probs_of, spelled
from explainer.pages.view import View

if TYPE_CHECKING:
    from explainer.decode.comparison import Comparison, Found

AGREES = 1e-3  # sums of float32, one pass for each token against one for all


def show_table(compared: "Comparison", found: "dict[str, Found]", selected: str, question: Question) -> None:
    """A line for each strategy.

    Args:
        compared: The searches.
        found: What each strategy came to.
        selected: The strategy that is told of below.
        question: What was searched.
    """
    scored = question.penalty != "none"
    heading = ["strategy", "translation", "log p", *(["score"] if scored else []), "behind", "tokens"]
    heading += ["prefixes\u00a0read", "K\u00a0and\u00a0V", "time"]
    lines = [_line(compared, name, one, scored=scored, bold=name == selected) for name, one in found.items()]
    rule = "|---|---|" + "---:|" * (len(heading) - 2)
    with st.container(key="strategies-lines"):
        st.markdown("\n".join(["| " + " | ".join(heading) + " |", rule, *lines]))


def show_selected(view: View, question: Question, name: str, found: "Found", words: Words) -> None:
    """The probabilities of one hypothesis's tokens, multiplied, and its score."""
    hypothesis = found.hypothesis
    log_ps = log_probs_of(question, hypothesis.tokens)
    left, right = st.columns(2, gap="large")
    piece = translator().checkpoint.tokenizer.piece
    with left, st.container(key="selected-sum"):
        st.markdown(f"**{for_markdown(name)}**: {for_markdown(spelled(hypothesis.words))}")
        names = [piece(token) for token in hypothesis.tokens]
        st.latex(sum_latex(names, log_ps, products(log_ps), sums(log_ps), view.theme))
        if not hypothesis.finished:
            st.warning(words["cut"], icon=":material/content_cut:")
    with right, st.container(key="selected-score"):
        st.latex(paint(SCORE, view.theme))
        st.latex(DIVISORS[question.penalty])
        length = len(hypothesis)
        by = divisor(question.penalty, question.alpha, length)
        st.latex(score_latex(hypothesis.log_prob, length, question.penalty, question.alpha, by))
        deviation = off_by(hypothesis.log_prob, log_ps)
        said = words["checked"].format(source=SOURCES[question.penalty], deviation=small(deviation))
        st.caption(said) if deviation <= AGREES else st.error(said)


def _line(compared: "Comparison", name: str, found: "Found", *, scored: bool, bold: bool) -> str:
    one = found.hypothesis
    best = compared.best
    behind = compared.behind(one)
    unbroken = name.replace(" ", "\u00a0")
    cells = [
        f"**{unbroken}**" if bold else unbroken,
        for_markdown(spelled(one.words)) + ("" if one.finished else " … (cut)"),
        number(one.log_prob, 3),
        *([number(one.score, 3)] if scored else []),
        change(one.score, best.score, 3)[2] if behind > 0 and best is not None else "0",
        count(len(one)),
        count(found.n_read),
        memory(found.n_bytes),
        duration(found.seconds),
    ]
    return "| " + " | ".join(cells) + " |"
