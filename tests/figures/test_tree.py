"""The search tree as a picture: nothing overlaps, nothing crosses, nothing moves while it grows."""

import itertools
import json
import math

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.decode.search.rules import BeamRules
from explainer.decode.search.table import ProbabilityTable
from explainer.decode.sources.wrappers import Remembered
from explainer.decode.watched.recording import greedy_path, recorded
from explainer.figures.bars.rows import pool_bars
from explainer.figures.style import LIGHT, Theme
from explainer.figures.tree.marks import Marks, curve
from explainer.figures.tree.nodes import Tree, Viewport, lay_out, on_the_way, spread, visible_nodes
from explainer.figures.tree.overview import overview
from explainer.figures.tree.sum import score_latex, sum_latex
from explainer.figures.tree.tree import search_tree
from explainer.pages.beam_search.recorded import Told
from explainer.pages.frame.panel import encoded
from tests.figures.reading import THEMES

WORDS = ("a", "b", "c", "d", "ee", "ff", "ggggggggggggg", "<s>", "i & j", "k", "l", "</s>")


def grown(beam: int, limit: int, seed: int = 0, end: float = 0.02) -> Tree:
    """The tree of a search through a random table."""

    def row(prefix: tuple[str, ...]) -> list[float]:
        chance = np.random.default_rng([seed, *map(WORDS.index, prefix)])
        weights = chance.dirichlet(np.full(len(WORDS) - 1, 0.5)) * (1 - end)
        rounded = [float(weight) for weight in weights]
        return [*rounded, 1 - math.fsum(rounded)]

    table = ProbabilityTable(WORDS, row)
    rules = BeamRules(beam_size=beam, max_new_tokens=limit, end_id=table.end_id)
    recording = recorded(Remembered(table), rules)
    return Told(recording, WORDS.__getitem__, greedy_path(recording)).tree


LARGE = grown(10, 30, end=0.004)


@st.composite
def random_trees(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parents, levels, and who runs on: on each level some nodes, hung from those that run on before."""
    parents, levels, runs_on = [-1], [0], [True]
    heirs = [0]
    for level in range(1, draw(st.integers(1, 7)) + 1):
        first = len(parents)
        for _ in range(draw(st.integers(1, 9))):
            parents.append(draw(st.sampled_from(heirs)))
            levels.append(level)
            runs_on.append(draw(st.booleans()))
        runs_on[first] = True
        heirs = [node for node in range(first, len(parents)) if runs_on[node]]
    return np.array(parents), np.array(levels), np.array(runs_on)


@given(random_trees())
def test_cards_of_a_step_do_not_overlap(drawn: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    parents, levels, runs_on = drawn
    heights = lay_out(parents, levels, runs_on)
    last = int(np.bincount(levels).max()) - 1
    assert heights.min() >= -1e-9
    assert heights.max() <= last + 1e-9
    for level in range(levels.max() + 1):
        here = np.sort(heights[levels == level])
        assert (np.diff(here) >= 1 - 1e-9).all()
    assert 2 * Marks.of(n_rows=last + 1, n_columns=5).half_height < 1


@given(random_trees())
def test_branches_never_cross(drawn: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    parents, levels, runs_on = drawn
    heights = lay_out(parents, levels, runs_on)
    for level in range(1, levels.max() + 1):
        nodes = np.flatnonzero(levels == level)
        lines = [curve(float(heights[parents[node]]), float(heights[node]), 10) for node in nodes]
        for one, other in itertools.combinations(lines, 2):
            gap = one - other
            assert (gap >= -1e-9).all() or (gap <= 1e-9).all()


@given(random_trees())
def test_what_comes_later_moves_nothing(drawn: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    parents, levels, runs_on = drawn
    whole = lay_out(parents, levels, runs_on)
    fullest = int(np.bincount(levels).argmax())
    for level in range(fullest, levels.max() + 1):
        before = levels <= level
        np.testing.assert_allclose(lay_out(parents[before], levels[before], runs_on[before]), whole[before])


@given(
    st.lists(st.tuples(st.floats(-5, 12), st.floats(0.5, 12)), min_size=1, max_size=6),
    st.integers(0, 4),
)
def test_heights_are_as_near_as_possible_to_what_is_wanted(
    nodes: list[tuple[float, float]], more: int
) -> None:
    """Isotonic regression by its max-min formula (Robertson, Wright and Dykstra 1988, theorem 1.4.4), then clipped."""
    wanted, weights = np.array(nodes).T
    count = len(nodes)
    flat = wanted - np.arange(count)

    def mean(first: int, last: int) -> float:
        return float(np.average(flat[first : last + 1], weights=weights[first : last + 1]))

    best = [max(min(mean(a, b) for b in range(i, count)) for a in range(i + 1)) for i in range(count)]
    expected = np.clip(best, 0, more) + np.arange(count)
    np.testing.assert_allclose(spread(wanted, weights, count - 1.0 + more), expected, atol=1e-9)


def test_too_many_nodes_for_the_rows() -> None:
    with pytest.raises(ValueError, match="3 nodes do not fit into 2 rows"):
        spread([0.0, 1.0, 2.0], [1.0, 1.0, 1.0], 1.0)


@given(random_trees())
def test_on_the_way_are_the_ancestors(drawn: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    parents, levels, _ = drawn
    goals = (levels == levels.max()) & (np.arange(len(levels)) % 2 == 0)
    expected = set()
    for goal in np.flatnonzero(goals):
        node = int(goal)
        while node >= 0:
            expected.add(node)
            node = int(parents[node])
    assert set(np.flatnonzero(on_the_way(parents, goals))) == expected


@THEMES
@pytest.mark.parametrize("beam", [1, 2, 4, 10])
def test_figures_are_valid_and_show_every_candidate(beam: int, theme: Theme) -> None:
    tree = grown(beam, 8)
    shown = Viewport(first=2, last=6, now=6, selected=3)
    drawn = search_tree(tree, shown, theme)
    figure = go.Figure(encoded(drawn))
    (nodes,) = (trace for trace in drawn["data"] if trace.get("name") == "nodes")
    places = [place for _, place in nodes["customdata"]]
    expected = np.flatnonzero((tree.levels >= 2) & (tree.levels <= 6))
    assert set(expected) <= set(places)
    np.testing.assert_allclose(nodes["x"], tree.levels[places])
    np.testing.assert_allclose(nodes["y"], tree.heights[places], rtol=1e-6)
    assert "<s>" not in json.dumps(
        [trace["text"] for trace in figure.to_dict()["data"] if trace.get("mode") == "text"]
    )
    go.Figure(encoded(overview(tree, theme, first=2, last=6, now=6)))


def test_hiding_the_dead_leaves_what_leads_on() -> None:
    tree = grown(6, 9)
    shown = Viewport(first=0, last=7, now=7, without_dead=True, ghost=False)
    visible, alive = visible_nodes(tree, shown), tree.alive(7)
    assert visible[(tree.levels == 7)].all(), "the newest pool is shown whole"
    assert visible[alive & (tree.levels <= 7)].all()
    hidden = ~visible & (tree.levels <= 7)
    assert hidden.any()
    assert all(visible[tree.parents[node]] for node in np.flatnonzero(visible)[1:]), (
        "nothing hangs in the air"
    )
    (pills,) = (trace for trace in search_tree(tree, shown, LIGHT)["data"] if trace.get("name") == "hidden")
    counted = sum(int(text.strip(" +")) for text in pills["text"])
    assert counted == sum(visible[tree.parents[node]] for node in np.flatnonzero(hidden))


@pytest.mark.parametrize("view", [4, 10, 30])
@pytest.mark.parametrize("without_dead", [False, True])
def test_a_large_tree_is_small_on_the_wire(view: int, without_dead: bool) -> None:
    tree = LARGE
    assert tree.n_levels == 30
    assert len(tree.names) > 500
    for now in (view, 17, 30):
        last = max(view, now)
        shown = Viewport(
            first=max(0, last - view + 1), last=last, now=now, selected=9, without_dead=without_dead
        )
        strip = overview(tree, LIGHT, first=shown.first, last=last, now=now)
        size = len(json.dumps([encoded(search_tree(tree, shown, LIGHT)), encoded(strip)]))
        assert size <= 150_000


def test_the_pool_is_drawn_best_first() -> None:
    drawn = pool_bars(["A <b>", "B"], np.array([-1.5, -2.0]), ["kept", "pruned"], [4, 7], LIGHT, selected=7)
    figure = go.Figure(encoded(drawn))
    assert list(figure.layout.yaxis.ticktext) == ["1. A &lt;b&gt;", "2. B"]
    assert drawn["data"][0]["customdata"] == [["node", 4], ["node", 7]]
    assert drawn["data"][0]["text"] == ["−1.50 kept", "−2.00 pruned"]


def test_the_sum_is_written_out() -> None:
    log_ps = np.log([0.5, 0.4])
    latex = sum_latex([" A", "</s>"], log_ps, np.array([0.5, 0.2]), np.cumsum(log_ps), LIGHT)
    assert r"\prod = 0.200" in latex
    assert r"\sum = -1.609" in latex
    assert score_latex(-2.0, 4, "none", 0.6, 1.0).endswith("= -2.000")
    assert score_latex(-2.0, 4, "huggingface", 1.0, 4.0).endswith(
        "= -0.500"
    )  # the worked check of CAREFUL.md
    assert r"\frac{5 + 4}{6}" in score_latex(-2.0, 4, "gnmt", 1.0, 1.5)
