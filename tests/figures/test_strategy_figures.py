"""Figures about strategies read back: positions, names, what a click carries; Plotly accepts them."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from explainer.figures.amounts import count, duration, memory
from explainer.figures.bars.strategies import Reached, side_by_side
from explainer.figures.bars.widths import Small, WidthCurve, by_width
from explainer.figures.style import LIGHT
from tests.figures.reading import THEMES

ROWS = [
    Reached("greedy", "greedy", -3.0, 9, "search", "<b>Ja"),
    Reached("sample, seed 1", "sample, seed 1", -90.0, 12, "sample", "Nein"),
    Reached("exact search", "exact search", -2.5, 1400, "exact", "Doch"),
]


@THEMES
def test_side_by_side(theme: object) -> None:
    drawn = side_by_side(ROWS, theme, selected=1, best=-2.5, possible=-1.0, title="log p")  # type: ignore[arg-type]
    figure: Any = go.Figure(drawn)
    scores, work = figure.data
    assert list(scores.text) == ["−3.00", "−90.00", "−2.50"]
    np.testing.assert_allclose([scores.x[0], scores.x[2]], [-3.0, -2.5])
    assert -90 < scores.x[1] < -3  # beyond the scale: an arrow at its end, with the true number
    assert scores.marker.symbol[1] == "triangle-left"
    assert list(work.x) == [9, 12, 1400]
    assert work.customdata[2] == ["strategy", "exact search"]
    assert figure.layout.yaxis.ticktext == ("greedy", "<b>sample, seed 1</b>", "exact search")
    assert "&lt;b&gt;Ja" in scores.hovertemplate[0]
    line, room = figure.layout.shapes
    assert (line.x0, room.x0, room.x1) == (-2.5, -2.5, -1.0)
    assert figure.layout.xaxis.range[0] < scores.x[1] < room.x1 <= figure.layout.xaxis.range[1]


def test_when_nothing_better_is_possible_nothing_is_shaded() -> None:
    drawn = side_by_side(ROWS, LIGHT, selected=0, best=-2.5, possible=-2.5, title="log p")
    assert len(drawn["layout"]["shapes"]) == 1


def test_by_width() -> None:
    two = WidthCurve("two", [40.0, 41.0, 41.5], "residual", "dot")
    graphs = [
        Small("BLEU", [WidthCurve("one", [40.0, 42.0, 41.0]), two], 40.5, 1),
        Small("tokens", [WidthCurve("one", [9.0, 9.0, 9.0])]),
    ]
    figure: Any = go.Figure(by_width((1, 2, 32), graphs, LIGHT))
    assert [trace.name for trace in figure.data if trace.showlegend] == ["one", "two", "exact search"]
    assert list(figure.data[0].x) == [1, 2, 32]
    assert list(figure.data[0].y) == [40.0, 42.0, 41.0]
    assert list(figure.data[2].y) == [40.5, 40.5]
    low, high = figure.layout.yaxis.range
    assert low < 40 < 42 < high
    low, high = figure.layout.yaxis2.range  # a level curve: no difference is made up
    assert high - low > 0.1


def test_amounts() -> None:
    assert [count(n) for n in (0, 999, 12_345)] == ["0", "999", "12\u202f345"]
    sizes = ["–", "209\u202fkB", "999\u202fkB", "1.7\u202fMB"]
    assert [memory(n) for n in (None, 208_896, 999_499, 1_652_000)] == sizes
    times = ["–", "12\u202fms", "1.3\u202fs", "250\u202fs"]
    assert [duration(s) for s in (None, 0.0123, 1.26, 250.0)] == times
