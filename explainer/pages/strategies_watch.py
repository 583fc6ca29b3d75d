"""The searches as they go on: what each strategy came to, whether there was a search error, and the progress."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.strategies import Kind, Reached, side_by_side
from explainer.pages import lesson
from explainer.pages.inside import Words
from explainer.pages.link import set_link
from explainer.pages.picked import picked_part
from explainer.pages.strategies_exact import show_exact
from explainer.pages.strategies_says import say_model, say_verdict
from explainer.pages.strategies_state import Question, spelled
from explainer.pages.strategies_table import show_selected, show_table
from explainer.pages.view import View

if TYPE_CHECKING:
    from explainer.decode.comparison import Comparison, Found
    from explainer.decode.strategies import Sampled

TICK, SLICE = 0.25, 0.15  # seconds between looks, and of work at each
STOPPED = "stopped"  # the question whose searches this visitor has stopped
SHOWN = ("beam 2", "beam 4", "beam 8", "beam 16", "beam 32")  # of the beams that are searched
EXACT = "exact search"


@dataclass(frozen=True, eq=False)
class Scene:
    """What the page shows.

    Attributes:
        view: The sentence.
        question: What is searched.
        compared: The searches.
        samples: Sentences that were drawn, by seed.
        budget: How many prefixes exact search may read.
    """

    view: View
    question: Question
    compared: "Comparison"
    samples: "dict[int, Sampled]"
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
    def found(self) -> "dict[str, Found]":
        """What each strategy came to, by its name, as far as it has."""
        rows, hidden = self.compared.rows, {f"beam {width}" for width in self.compared.widths} - set(SHOWN)
        searched = {name: one for name, one in rows.items() if name not in (EXACT, *hidden)}
        drawn = {f"sample, seed {seed}": sample.found for seed, sample in self.samples.items()}
        return {**searched, **drawn, **({EXACT: rows[EXACT]} if EXACT in rows else {})}

    def selected(self, found: "dict[str, Found]") -> str:
        """The strategy that the link names; else the first that made a search error, else a beam."""
        asked = st.query_params.get("strategy")
        searched = [name for name in found if not name.startswith("sample")]
        missed = [name for name in searched if self.compared.missed_better(found[name].hypothesis)]
        wished = [asked, *missed, "beam 4", *found]
        return next(name for name in wished if name in found and name is not None)


def watch(scene: Scene, words: Words) -> None:
    """All that changes while the searches go on: looked at again and again until they end."""
    st.fragment(_watched, run_every=TICK if scene.is_going else None)(scene, words, scene.is_going)


def _watched(scene: Scene, words: Words, is_going: bool) -> None:
    """Do a slice of the work, then show what is known.

    Args:
        scene: What the page shows.
        words: Its prose.
        is_going: Whether this is looked at again by itself.
    """
    if scene.is_going:
        scene.compared.advance(SLICE, scene.budget)
    while not scene.compared.beams:  # there is something to see from the first moment on
        scene.compared.advance(SLICE, scene.budget)
    if is_going and not scene.is_going:
        st.rerun()  # nobody need look again
    found = scene.found
    selected = scene.selected(found)
    say_verdict(scene.compared, scene.question, scene.budget, words)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_figure(scene, found, selected)
    with right, st.container(border=True, key="exact"):
        show_exact(
            scene.compared, scene.budget, words, on_stop=partial(_stop, scene), stopped=scene.is_stopped
        )
    say_model(scene.compared, scene.budget, words)
    show_table(scene.compared, found, selected, scene.question)
    show_selected(scene.view, scene.question, selected, found[selected], words)


def _show_figure(scene: Scene, found: "dict[str, Found]", selected: str) -> None:
    compared, step = scene.compared, scene.compared.exact
    best = compared.best
    assert best is not None
    rows = [
        Reached(name, one.hypothesis.score, one.n_read, _kind(name), spelled(one.hypothesis.words))
        for name, one in found.items()
    ]
    unproved = step is not None and step.outcome != "proved"
    title = "log p, nats" if scene.question.penalty == "none" else "score"
    lesson.figure(
        side_by_side(
            rows,
            scene.view.theme,
            selected=list(found).index(selected),
            best=best.score,
            possible=step.best_possible if unproved and step is not None else best.score,
            title=title,
        ),
        key="strategies",
        alt=f"{title} of what each strategy found, and how many prefixes it read; the best is {spelled(best.words)}",
        table=lambda: (
            ["strategy", "translation", "log p", "score", "prefixes read"],
            [
                [name, spelled(one.hypothesis.words), f"{one.hypothesis.log_prob:.6g}",
                 f"{one.hypothesis.score:.6g}", one.n_read]
                for name, one in found.items()
            ],
        ),
        on_pick=_pick,
    )  # fmt: skip


def _kind(name: str) -> Kind:
    if name == EXACT:
        return "exact"
    return "sample" if name.startswith("sample") else "search"


def _pick() -> None:
    if (picked := picked_part("strategies", "strategy")) is not None:
        set_link(strategy=str(picked[0]))


def _stop(scene: Scene, stopped: bool) -> None:
    """Stop the work for this visitor, or go on."""
    st.session_state[STOPPED] = scene.question if stopped else None
