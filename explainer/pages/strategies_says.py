"""The verdict in words: a search error, a model error, or neither is known."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.amounts import count
from explainer.figures.escape import for_markdown
from explainer.figures.style import change, number
from explainer.pages.inside import Words
from explainer.pages.strategies_state import Question, spelled

if TYPE_CHECKING:
    from explainer.decode.comparison import Comparison


def say_verdict(compared: "Comparison", question: Question, budget: int, words: Words) -> None:
    """Which searches missed a better hypothesis, as far as that is known."""
    best = compared.best
    if best is None:
        return
    if not best.finished:
        said = words["best is cut"].format(best=for_markdown(spelled(best.words)), limit=question.limit)
        st.info(said, icon=":material/content_cut:")
        return
    found = {width: one.hypothesis for width, one in compared.beams.items()}
    missed = [width for width, one in found.items() if compared.verdict(one, budget) == "search error"]
    step = compared.exact
    told = {
        "best": for_markdown(spelled(best.words)),
        "score": number(best.score, 3),
        "what": "more probable" if question.penalty == "none" else "of a better score",
        "n": count(step.n_expanded if step is not None else 0),
        "possible": number(step.best_possible, 3) if step is not None else "",
        "widths": _listed(missed),
        "behind": _gap(best.score, min((found[width].score for width in missed), default=best.score)),
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
    shown(words[which].format(**told), icon=icon.get(which.split(",")[0].removesuffix(" so far")))


def say_model(compared: "Comparison", budget: int, words: Words) -> None:
    """Whether the model is wrong: its most probable sentence, beside the empty one."""
    best, empty = compared.best, compared.empty
    if best is None or empty is None or not best.finished:
        return
    told = {
        "best": for_markdown(spelled(best.words)),
        "log_prob": number(best.log_prob, 3),
        "empty": number(empty.log_prob, 3),
        "behind": _gap(best.score, empty.score),
    }
    proved = compared.state(budget) == "proved"
    if best.tokens == empty.tokens:
        st.error(words["model error" if proved else "empty so far"].format(**told), icon=":material/error:")
    else:
        st.markdown(words["model" if proved else "model unproved"].format(**told))


def _gap(best: float, other: float) -> str:
    """By how much another score is behind the best."""
    return change(other, best, 3)[2]


def _listed(widths: list[int]) -> str:
    """`greedy search and beams 2, 4`."""
    beams = ", ".join(str(width) for width in widths if width > 1)
    parts = ["greedy search"] if 1 in widths else []
    if beams:
        parts.append(f"beam{'s' if ',' in beams else ''} {beams}")
    return " and ".join(parts)
