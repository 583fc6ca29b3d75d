"""Figures of greedy decoding: what is not there yet is not shown, and every cell says what became of it."""

import json

import numpy as np
import plotly.graph_objects as go

from explainer.figures.heat.computed import KEPT, NEW, NONE, SIGNS, Block, computed, states
from explainer.figures.lines.decoding_work import Growth, growth
from explainer.figures.style import LIGHT
from explainer.figures.tokens.timeline import timeline
from explainer.pages.frame.panel import encoded

PIECES = ("<s>", " Das", " <b>Tier", ".", "</s>")


def test_the_timeline_hides_what_is_still_to_come() -> None:
    for step in range(4):
        drawn = timeline(PIECES, [0.9, 0.8, 0.7, 0.6], LIGHT, step=step)
        names, probabilities = (trace["text"] for trace in drawn["data"][:2])
        assert [name == "·" for name in names] == [i > step + 1 for i in range(5)]
        assert "✓" in names[step + 1]
        assert probabilities[: step + 2] == ["start", "0.900", "0.800", "0.700", "0.600"][: step + 2]
        assert not any(probabilities[step + 2 :])
        assert "<b>Tier" not in json.dumps(names[:3]) or step == 1  # escaped; bold is our own
        go.Figure(drawn)


def test_the_timeline_keeps_its_size_while_one_steps() -> None:
    one, other = (timeline(PIECES, [0.5] * 4, LIGHT, step=step)["layout"] for step in (0, 3))
    assert (one["height"], one["meta"]) == (other["height"], other["meta"])


def test_a_click_leads_to_the_step_that_says_the_token() -> None:
    drawn = timeline(PIECES, [0.5] * 4, LIGHT, step=0)
    assert [step for _, step in drawn["data"][2]["customdata"]] == [0, 0, 1, 2, 3]


def test_states_of_a_row() -> None:
    assert states(5, 3, 1, keeps=True).tolist() == [KEPT, KEPT, NEW, NONE, NONE]
    assert states(5, 3, 1, keeps=False).tolist() == [NONE, NONE, NEW, NONE, NONE]
    assert states(5, 3, 3, keeps=True).tolist() == [NEW, NEW, NEW, NONE, NONE]
    assert states(3, 3, 0, keeps=True).tolist() == [KEPT] * 3


def test_every_cell_has_a_sign_beside_its_colour() -> None:
    cells = np.stack([states(4, 3, 1, keeps=True), states(4, 3, 1, keeps=False)])
    block = Block("German", ("K", "Q"), ["<s>", " <i>", ".", None], cells, is_source=False)
    drawn = computed([block, block], LIGHT)
    for trace in drawn["data"]:
        assert trace["text"] == [[SIGNS[state] for state in row] for row in cells.tolist()]
    assert drawn["layout"]["xaxis"]["ticktext"] == ["&lt;s&gt;", "\u2009&lt;i&gt;", ".", "·"]
    go.Figure(encoded(drawn))


def test_growth_draws_both_ways_with_their_own_look() -> None:
    rows, ms = np.array([3, 9, 18]), np.array([1.0, 2.0, 3.0])
    drawn = growth([Growth("re-feed", rows, ms, False), Growth("cache", rows // 2, ms, True)], LIGHT, step=1)
    assert [trace["y"].tolist() for trace in drawn["data"][:2]] == [rows.tolist(), ms.tolist()]
    looks = {(trace["line"]["dash"], trace["marker"]["symbol"]) for trace in drawn["data"]}
    assert looks == {("dot", "circle"), ("solid", "square")}
    go.Figure(encoded(drawn))
