"""Figures of blocks and of the output head: valid Plotly, the numbers that went in, and text shown literally."""

from typing import Any

import numpy as np
import pytest

from explainer.figures.bars.tokens import Bars, grouped_bars, term_bars
from explainer.figures.flow.block import block_flow
from explainer.figures.heat.lens import lens_map
from explainer.figures.heat.strips import chosen_strip, dot_product, hidden_units, strips
from explainer.figures.lines.depth import Depth, norms_over_depth
from explainer.figures.style import LIGHT, Theme
from explainer.figures.tokens.marks import moment_marks, share_bars
from explainer.measures.anatomy import Sublayer
from tests.figures.reading import THEMES, texts, traces_of

TOKENS = ["<s>", " <b>", "&", " dog"]
RANDOM = np.random.default_rng(0)


def targets(drawing: dict[str, Any]) -> list[list[Any]]:
    """What clicks on the parts of the figure carry."""
    return [list(point) for trace in drawing["data"] for point in trace.get("customdata", [])]


@THEMES
@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("name", ["cross_attention", "feed_forward"])
def test_every_stage_of_the_flow_can_be_clicked_and_tells_its_length(
    theme: Theme, pre_norm: bool, name: str
) -> None:
    stages = list(Sublayer("decoder", 1, name, "f", "f_residual", pre_norm).hooks)
    lengths = {stage: 1.25 + i for i, stage in enumerate(stages)}
    branch = stages[1 : stages.index("sum")]
    drawing = block_flow(lengths, "f", theme, array="sum", branch=branch, role="target", added=not pre_norm)
    traces_of(drawing)
    assert {point[1] for point in targets(drawing)} == set(stages)
    shown = texts(drawing)
    assert all(any(text.endswith(f"length {length:.2f}") for text in shown) for length in lengths.values())


def test_a_thicker_line_is_a_longer_vector() -> None:
    def widths(update: float) -> list[float]:
        lengths = {"before": 4.0, "update": update, "sum": 5.0, "normalised": 4.0, "output": 4.0}
        drawing = block_flow(lengths, "f", LIGHT, array="sum", branch=["update"], role="source")
        return [shape["line"]["width"] for shape in drawing["layout"]["shapes"]]

    shorter, longer = widths(1.0), widths(2.0)
    changed = [(a, b) for a, b in zip(shorter, longer, strict=True) if a != b]
    assert len(changed) == 1
    assert changed[0][1] == pytest.approx(2 * changed[0][0])


def test_strips_frame_what_a_number_is_made_of() -> None:
    values = RANDOM.normal(size=(3, 20))
    columns = [str(i + 1) for i in range(20)]
    drawing = strips(values, list("abc"), columns, LIGHT, selected=(2, 7), lit=[(0, 7), (1, None)])
    frames = [(s["x0"], s["x1"], s["y0"]) for s in drawing["layout"]["shapes"]]
    assert frames == [(-0.5, 19.5, 0.5), (6.5, 7.5, -0.5), (6.5, 7.5, 1.5)]
    np.testing.assert_allclose(drawing["data"][0]["z"], values, rtol=1e-6)


def test_hidden_units_go_by_their_numbers() -> None:
    drawing = hidden_units(RANDOM.normal(size=(2, 3)), ["u", "max"], [40, 2, 7], LIGHT, selected=(1, 2))
    assert drawing["layout"]["xaxis"]["ticktext"] == ["41", "3", "8"]


def test_each_line_of_a_dot_product_has_the_range_that_it_tells() -> None:
    x, w = RANDOM.normal(size=20) * 7, RANDOM.normal(size=20)
    drawing = dot_product(x, w, ("x", "w"), LIGHT)
    scaled = np.asarray(drawing["data"][0]["z"])
    np.testing.assert_allclose(np.abs(scaled).max(axis=1), 1.0, rtol=1e-6)
    ranges = [float(text.split("±")[1].rstrip(")")) for text in drawing["layout"]["yaxis"]["ticktext"]]
    for line, bound, values in zip(scaled, ranges, (x, w, x * w), strict=True):
        np.testing.assert_allclose(line * bound, values, rtol=0.05, atol=1e-6)


@pytest.mark.parametrize("signed", [False, True])
def test_the_strip_of_chosen_tokens_has_a_fixed_range(signed: bool) -> None:
    values = np.array([[0.2, 0.9, 0.4, 0.1]]) * (-1 if signed else 1)
    drawing = chosen_strip(values, ["p"], TOKENS, LIGHT, selected=1, signed=signed)
    heat = traces_of(drawing)[0]
    assert (heat.zmin, heat.zmax) == (-1.0 if signed else 0.0, 1.0)
    assert "&lt;s&gt;" in drawing["layout"]["xaxis"]["ticktext"]


@THEMES
def test_bars_and_marks_of_tokens_hold_their_numbers(theme: Theme) -> None:
    shares = np.array([0.25, 0.5, 1.0, 0.0])
    bars = share_bars(shares, TOKENS, theme, selected=1, title="zeros")
    np.testing.assert_array_equal(traces_of(bars)[0].x, shares)
    assert bars["layout"]["yaxis"]["ticktext"][:2] == ["&lt;s&gt;", "<b> &lt;b&gt;</b>"]
    numbers = {name: RANDOM.normal(size=(2, 4)) for name in ("one", "two", "three")}
    marks = traces_of(moment_marks(numbers, TOKENS, theme, selected=0))
    for i, values in enumerate(numbers.values()):
        np.testing.assert_allclose(marks[i].x, values[0], rtol=1e-6)
        np.testing.assert_allclose(marks[i + 3].x, values[1], rtol=1e-6)


@THEMES
def test_the_line_over_depth_is_the_selected_tokens_and_each_station_leads_to_its_place(theme: Theme) -> None:
    encoder, decoder = RANDOM.random((10, 4)), RANDOM.random((14, 3))
    before = RANDOM.random((14, 3))
    stacks = [
        Depth(side="encoder", lengths=encoder, sublayers=("self_attention", "feed_forward")),
        Depth(
            side="decoder",
            lengths=decoder,
            sublayers=("self_attention", "cross_attention", "feed_forward"),
            before=before,
            selected=2,
            here=4,
        ),
    ]
    drawing = norms_over_depth(stacks, theme)
    lines = {(line.name, line.xaxis): line for line in traces_of(drawing)}
    np.testing.assert_allclose(lines["selected token", "x2"].y, decoder[:, 2])
    np.testing.assert_allclose(lines["before the changes", "x2"].y, before[:, 2])
    assert ("selected token", "x") not in lines
    stations = [tuple(point) for point in lines["stations", "x2"].customdata]
    assert stations[9] == ("station", "decoder", 2, "cross_attention", "sum")
    assert len(stations) == 14


def test_the_lens_shows_tokens_literally() -> None:
    drawing = lens_map([["</s>", " <i>"], [" a", "&"]], RANDOM.random((2, 2)), ["r", "s"], LIGHT, selected=0)
    written = traces_of(drawing)[0].text
    assert written[0][0].startswith("&lt;/s&gt;")
    assert "&lt;i&gt;" in written[0][1]


def test_grouped_bars_hold_each_distribution() -> None:
    groups = [
        Bars("before", np.array([0.5, 0.2, 0.3]), "grey"),
        Bars("after", np.array([0.1, 0.7, 0.2]), "full"),
    ]
    drawing = grouped_bars([7, 9], [" <b>", "</s>"], groups, LIGHT, chosen=0, selected=1, n_others=40)
    before, after = traces_of(drawing)
    np.testing.assert_allclose(before.x, groups[0].values, rtol=1e-6)
    np.testing.assert_allclose(after.x, groups[1].values, rtol=1e-6)
    assert [point for _, point in after.customdata] == [7, 9, None]
    names = drawing["layout"]["yaxis"]["ticktext"]
    assert names[0] == "\u2009&lt;b&gt; ✓"
    assert names[1] == "<b>&lt;/s&gt;</b>"


def test_terms_point_to_the_token_that_they_speak_for() -> None:
    drawing = term_bars(np.array([2.0, -3.0]), ["dimension 4", "the other 9"], LIGHT, one=" es", other=" sie")
    bars = traces_of(drawing)[0]
    assert list(bars.x) == [2.0, -3.0]
    assert bars.marker.color[0] != bars.marker.color[1]
    left, right = sorted(drawing["layout"]["annotations"], key=lambda note: note["x"])
    assert "sie" in left["text"]
    assert "es" in right["text"]
