"""Figures of the loss and the schedule: valid Plotly, with the numbers that went in."""

from typing import Any

import numpy as np

from explainer.figures.bars.forced import forced_losses, two_ways
from explainer.figures.bars.smoothing import FLOOR, gradient_bars, target_against_model
from explainer.figures.lines.graphs import Axis, Line, Mark, graph, graphs
from explainer.figures.style import DARK, LIGHT, digits, power
from tests.figures.reading import traces_of

INPUTS, LABELS = ["<s>", " Das", " <b>"], [" Das", " <b>", "</s>"]
MARKS: dict[str, Any] = {"ids": [7, 0], "chosen": 0, "selected": 0, "n_others": 1234}


def test_the_rows_of_a_target_are_shifted_and_their_losses_are_the_bars() -> None:
    losses = [("before", np.array([0.1, 2.0, 0.3])), ("after", np.array([0.2, 5.0, 0.1]))]
    drawing = forced_losses(INPUTS, LABELS, losses, LIGHT, selected=1)
    _, _, reads, says, before, after = traces_of(drawing)
    assert list(reads.text) == ["&lt;s&gt;", "<b>\u2009Das</b>", "\u2009&lt;b&gt;"]
    assert says.text[1] == "<b>\u2009&lt;b&gt;</b>"
    np.testing.assert_allclose(before.x, [0.1, 2.0, 0.3], rtol=1e-6)
    np.testing.assert_allclose(after.x, [0.2, 5.0, 0.1], rtol=1e-6)
    assert [tuple(one) for one in after.customdata] == [("position", i) for i in range(3)]
    assert drawing["layout"]["xaxis2"]["range"][0] == 0
    signed = forced_losses(INPUTS, LABELS, losses[:1], DARK, selected=0, signed=True)
    assert signed["layout"]["xaxis2"]["range"][0] < 0


def test_two_ways_show_what_was_said_and_nothing_after_an_end() -> None:
    said = [[" Das", " Das"], [" <i>", "</s>"], ["</s>", None]]
    p = np.array([[0.9, 0.9], [0.5, 0.25], [1.0, np.nan]])
    drawing = two_ways(
        said, p, ("forced", "free"), ["1: Das", "2: x", "3: </s>"], LIGHT, selected=0, parting=1
    )
    heat = traces_of(drawing)[0]
    np.testing.assert_allclose(heat.z, p, rtol=1e-6)
    assert heat.text[1][0] == "\u2009&lt;i&gt;  0.500"
    assert heat.text[2][1] == ""
    line = drawing["layout"]["shapes"][-1]
    assert (line["y0"], line["y1"]) == (1.5, 1.5)


def test_target_and_model_stand_on_one_logarithmic_axis_zero_at_its_end() -> None:
    q, p, before = np.array([0.9, 0.0, 0.1]), np.array([0.5, 1e-12, 0.5]), np.array([0.2, 0.3, 0.5])
    drawing = target_against_model([" <s>", "<pad>"], q, p, LIGHT, before=before, **MARKS)
    dots = {trace.name: trace for trace in traces_of(drawing) if trace.name}
    np.testing.assert_allclose(dots["q, target"].x, [0.9, FLOOR, 0.1])
    np.testing.assert_allclose(dots["p, model"].x, [0.5, FLOOR, 0.5])
    np.testing.assert_allclose(dots["p before"].x, before)
    assert dots["p, model"].text[1] == "1e-12"
    names = drawing["layout"]["yaxis"]["ticktext"]
    assert names == ["<b>\u2009&lt;s&gt; ✓</b>", "&lt;pad&gt;", "1\u2009234 others"]


def test_the_gradient_is_signed_and_its_colours_tell_the_sign() -> None:
    gradient = np.array([-0.4, 0.3, 0.1])
    (bars,) = traces_of(gradient_bars([" a", " b"], gradient, LIGHT, **MARKS))
    np.testing.assert_allclose(bars.x, gradient)
    assert list(bars.marker.color) == [LIGHT.negative, LIGHT.positive, LIGHT.positive]
    assert list(bars.text) == ["−0.400", "0.300", "0.100"]


def test_curves_keep_their_numbers_and_share_a_scale() -> None:
    x = np.array([1.0, 10.0, 100.0])
    panels = [("one", [Line("a", x, x / 100)]), ("other", [Line("a", x, x), Line("b", x, 2 * x, "points")])]
    drawing = graphs(panels, LIGHT, x=Axis("step"), y=Axis("loss"), at=10)
    traces = traces_of(drawing)
    np.testing.assert_allclose(traces[2].y, 2 * x)
    assert [trace.showlegend for trace in traces] == [True, False, True]
    assert drawing["layout"]["yaxis"]["range"] == drawing["layout"]["yaxis2"]["range"]
    assert drawing["layout"]["yaxis"]["range"][1] > 200
    assert len(drawing["layout"]["shapes"]) == 2


def test_a_logarithmic_graph_leaves_room_around_the_curves() -> None:
    x = np.array([1.0, 10.0, 100.0])
    axis = Axis("rate", is_log=True)
    drawing = graph([Line("a", x, x)], LIGHT, x=axis, y=axis, marks=[Mark("peak", 100.0, 100.0)])
    low, high = drawing["layout"]["yaxis"]["range"]
    assert low < 0
    assert high > 2
    assert traces_of(drawing)[1].text == ("peak",)


def test_a_curve_of_one_point_is_a_marker_and_one_of_none_is_left_out() -> None:
    x = np.array([1.0, 2.0, 3.0])
    alone, none = np.array([np.nan, 0.5, np.nan]), np.full(3, np.nan)
    for name, one in (("alone", Line("alone", x, alone)), ("short", Line("short", x[:1], x[:1], "dash"))):
        lines = [Line("whole", x, x), one, Line("none", x, none), Line("empty", x[:0], x[:0])]
        drawing = graph(lines, LIGHT, x=Axis("step"), y=Axis("loss"))
        modes = {trace.name: trace.mode for trace in traces_of(drawing)}
        assert modes.keys() == {"whole", name}
        assert modes["whole"] == "lines"
        assert "markers" in modes[name]


def test_powers_of_ten_and_significant_digits() -> None:
    powers = {6.9877e-4: "6.988 · 10⁻⁴", 0.0: "0", -2e5: "−2.000 · 10⁵", 1.0: "1.000 · 10⁰"}
    assert {value: power(value) for value in powers} == powers
    shown = {0.085: "0.085", -0.2: "−0.2", 0: "0", 9999.8: "1.000 · 10⁴", 5e-7: "5.000 · 10⁻⁷"}
    assert {value: digits(value) for value in shown} == shown
