"""The tree on the page: which step, which part of it is in view, and what the step did, in words."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from explainer.figures.style import Theme
from explainer.figures.tree import search_tree
from explainer.figures.tree_nodes import GHOST, Shown
from explainer.figures.tree_overview import overview
from explainer.pages import lesson
from explainer.pages.beam_search_forced import link_path
from explainer.pages.beam_search_ground import Ground
from explainer.pages.beam_search_told import Tokens, Told, spelled
from explainer.pages.inside import Words
from explainer.pages.link import choose, link_number, set_link, spelled_number
from explainer.pages.stepper import stepper

_ALL = "all"
_VIEWS = ("3", "4", "6", "10", _ALL)


@dataclass(frozen=True, eq=False)
class Scene:
    """What is on the screen.

    Attributes:
        ground: What is searched.
        told: The search.
        step: The step that it has come to, from 0.
        tokens: The hypothesis that is looked at.
        is_chosen: Whether the visitor chose it.
        is_first: Whether this is what the page shows first: the whole search, its closest choice in view.
        theme: Colours.
    """

    ground: Ground
    told: Told
    step: int
    tokens: Tokens
    is_chosen: bool
    is_first: bool
    theme: Theme

    @property
    def place(self) -> int:
        """Where the hypothesis is in the tree."""
        place = self.told.place(self.tokens)
        assert place is not None, "it was chosen from the tree"
        return place

    def draw(self, name: str, what: Any, *, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """A figure of this search; drawn before, perhaps."""
        recording = self.told.recording
        key = name, recording.rules, recording.forced, repr(what), self.theme.name
        return self.ground.drawing(*key, make=make)


def scene_of(ground: Ground, told: Told, theme: Theme) -> Scene:
    """Step and hypothesis from the link; the best hypothesis of the step while the link names none."""
    at = spelled_number(st.query_params.get("at", ""))
    if at is not None and at > told.n_steps:
        set_link(at=None)  # of a longer search
    is_first = not {"at", "node", "end"} & set(st.query_params)
    step = stepper("at", told.titles, default=told.n_steps - 1)
    tokens = link_path("node", ground.n_vocab)
    if tokens is not None and told.place(tokens) is None:
        set_link(node=None)
        tokens = None
    is_chosen = tokens is not None and 0 < len(tokens) <= step + 1
    if not is_chosen:
        tokens = told.best(step)[: told.closest + 1] if is_first else told.best(step)
    return Scene(ground, told, step, tokens or told.best(step), is_chosen, is_first, theme)


def show_tree(scene: Scene, words: Words) -> None:
    """The tree, what is in view of it, and the strip with the whole of it."""
    count = choose_view(scene.told)
    shown = _shown(scene, count)
    tree = scene.told.tree
    lesson.figure(
        scene.draw("tree", shown, make=lambda: search_tree(tree, shown, scene.theme)),
        key="tree",
        alt=f"The search tree after step {scene.step + 1}, steps {max(shown.first, 1)} to {shown.last} in view: "
        + scene.told.titles[scene.step],
        table=lambda: _table(scene, shown),
        on_pick=lambda: pick_node("tree", scene.told),
    )
    st.caption(words["legend"])
    strip = {"first": shown.first, "last": shown.last, "now": scene.step + 1}
    if shown.first > 1 or shown.last < scene.told.n_steps:
        lesson.figure(
            scene.draw("overview", strip, make=lambda: overview(tree, scene.theme, **strip)),
            key="overview",
            alt=f"The whole tree in a strip; steps {max(shown.first, 1)} to {shown.last} are in view above",
            on_pick=lambda: _pick_level(count, scene.step + 1),
        )
        if "end" in st.query_params:
            st.button("Follow the search again", on_click=set_link, kwargs={"end": None}, type="tertiary")


def choose_view(told: Told) -> int:
    """How many steps are in view, and what of them is drawn; what is drawn stands in the link."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="view"):
        count = choose("view", "Steps in view", _VIEWS, "4")
        _switch("dead", "Hide dead branches", default=told.recording.rules.beam_size > 6)
        _switch("ghost", "Greedy's path", default=True)
    return told.n_steps if count == _ALL else min(int(count), told.n_steps)


def pick_node(key: str, told: Told) -> None:
    """A node was clicked: look at its hypothesis."""
    picked = st.session_state[key].pick
    if picked and picked["customdata"] and picked["customdata"][0] == "node":
        tokens = told.tokens(int(picked["customdata"][1]))
        set_link(node=spelled(tokens) if tokens else None)


def _shown(scene: Scene, count: int) -> Shown:
    now = scene.step + 1
    wanted = scene.told.closest + 2 if scene.is_first else now
    last = link_number("end", max(min(wanted, now), count), count, max(scene.told.n_steps, count))
    return Shown(
        first=0 if last == count else last - count + 1,
        last=last,
        now=now,
        selected=scene.place,
        without_dead=st.session_state["switch-dead"],
        ghost=st.session_state["switch-ghost"],
    )


def _switch(name: str, label: str, *, default: bool) -> None:
    key = f"switch-{name}"
    raw = st.query_params.get(name)
    st.session_state[key] = raw == "on" if raw in ("on", "off") else default
    st.toggle(label, key=key, on_change=_switched, args=(name, key, default))


def _switched(name: str, key: str, default: bool) -> None:
    on = st.session_state[key]
    set_link(**{name: None if on == default else ("on" if on else "off")})


def _pick_level(count: int, now: int) -> None:
    picked = st.session_state["overview"].pick
    if picked and picked["customdata"] and picked["customdata"][0] == "level":
        last = max(count, int(picked["customdata"][1]) + count // 2)
        set_link(end=None if last == now else str(last))


def _table(scene: Scene, shown: Shown) -> lesson.Table:
    """All candidates of the steps in view."""
    tree, told = scene.told.tree, scene.told
    places = np.flatnonzero(
        (tree.levels >= max(shown.first, 1)) & (tree.levels <= min(shown.last, shown.now))
    )
    heading = ["step", "rank", "hypothesis", "p", "log p", "Σ log p", "score", "what became of it"]
    rows: list[list[Any]] = []
    for place in places[np.lexsort((tree.ranks[places], tree.levels[places]))]:
        numbers = np.exp(tree.log_ps[place]), tree.log_ps[place], tree.log_probs[place], tree.scores[place]
        is_ranked = tree.fates[place] not in (GHOST, "forced")
        rows.append(
            [
                tree.levels[place],
                tree.ranks[place] + 1 if is_ranked else "–",
                scene.ground.sentence(told.tokens(int(place))),
                *(f"{value:.6g}" for value in numbers),
                tree.fates[place],
            ]
        )
    return heading, rows
