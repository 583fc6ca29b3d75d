"""Figures of tokens, embeddings and positions: valid Plotly, with the numbers that went in."""

import base64

import numpy as np
import plotly.graph_objects as go
import pytest

from explainer.equations.stream import sinusoids
from explainer.figures.bars.rows import cosine_bars, lengths_by_token
from explainer.figures.heat.joined import cell_in_joined, joined
from explainer.figures.heat.waves import pair_waves, position_curve, position_heatmap
from explainer.figures.lines.scatter import Dots, embedding_map
from explainer.figures.style import DARK, LIGHT
from explainer.figures.tokens.boxes import place_in_boxes, token_boxes
from explainer.figures.tokens.ladder import merge_ladder
from explainer.text.spelling import replay
from explainer.text.tokenizer import Tokenizer
from tests.figures.reading import traces_of

TOKENS = [" <b>", "&", "ing", "<0xF0>", "</s>"]


@pytest.mark.parametrize("count", [1, 7, 60])
def test_every_box_is_found_where_it_is_drawn(count: int) -> None:
    pieces = [f" word{i}" for i in range(count)]
    drawing = token_boxes(pieces, range(count), LIGHT, role="source", selected=count - 1)
    targets = traces_of(drawing)[2]
    for i, (x, y) in enumerate(zip(targets.x, targets.y, strict=True)):
        assert place_in_boxes(pieces, float(x), float(y)) == i
    last = max(targets.y)
    columns = drawing["layout"]["meta"]["grid"]["columns"]
    empty = [x for x in range(columns) if x + last * columns >= count]
    assert all(place_in_boxes(pieces, x, float(last)) is None for x in empty)


def test_boxes_show_pieces_ids_and_what_was_replaced() -> None:
    drawing = token_boxes(TOKENS, [5, 6, 7, 8, 2], DARK, role="target", selected=0, replaced=[1])
    shown = ["\u2009&lt;b&gt;", "&amp;", "ing", "&lt;0xF0&gt;", "&lt;/s&gt;"]
    assert list(traces_of(drawing)[0].text) == shown
    assert list(traces_of(drawing)[1].text) == ["5", "6", "7", "8", "2"]
    assert drawing["data"][0]["textfont"]["color"][1] == DARK.gate
    assert [shape["line"]["dash"] for shape in drawing["layout"]["shapes"]][2:] == ["solid", "dot", "dash"]


@pytest.mark.parametrize("word", [" street", " the", " 😀", " <b>"])
def test_the_ladder_shows_the_pieces_after_each_merge(tokenizer: Tokenizer, word: str) -> None:
    steps = replay(tokenizer, word)
    start = steps[0].before if steps else ()
    for shown in range(len(steps) + 1):
        drawing = merge_ladder(start, steps, LIGHT, shown=shown)
        trace = traces_of(drawing)[0]
        lines = [line for _, line in trace.customdata]
        for line, step in enumerate(steps[:shown], 1):
            assert lines.count(line) == len(step.after)
        assert max(lines, default=0) == (shown if start else 0)
        assert drawing["layout"]["height"] == merge_ladder(start, steps, LIGHT, shown=0)["layout"]["height"]
        assert not [text for text in trace.text if "<" in text.replace("<b>", "").replace("</b>", "")]


def test_joined_matrices_keep_their_numbers_and_cells() -> None:
    draws = np.random.default_rng(2)
    parts = [draws.normal(size=(4, 3)).astype(np.float32) for _ in range(3)]
    drawing = joined(
        parts, ("a", "<b>", "c"), ("+", "="), TOKENS[:4], ["7", "8", "9"], LIGHT, bound=2.5, selected=(1, 2)
    )
    tiled = np.asarray(traces_of(drawing)[0].z)
    for y, x in np.ndindex(tiled.shape):
        found = cell_in_joined(x, y, 3)
        if found is None:
            assert np.isnan(tiled[y, x])
        else:
            part, row, column = found
            assert tiled[y, x] == parts[part][row, column]
    assert "&lt;b&gt;" in drawing["layout"]["annotations"][1]["text"]
    assert list(drawing["layout"]["xaxis"]["ticktext"]) == ["7", "8", "9"] * 3
    framed = [shape for shape in drawing["layout"]["shapes"] if shape["x1"] - shape["x0"] == 1]
    assert [(shape["x0"] + 0.5, shape["y0"] + 0.5) for shape in framed] == [(2, 1), (6, 1), (10, 1)]


def test_cosine_bars_show_cosines_and_carry_ids() -> None:
    drawing = cosine_bars([7, 9], [" <b>", "x"], np.array([0.5, -0.25]), LIGHT)
    bars = traces_of(drawing)[0]
    np.testing.assert_allclose(bars.x, [0.5, -0.25])
    assert drawing["layout"]["xaxis"]["range"] == [-1, 1]
    assert [list(one) for one in bars.customdata] == [["token", 7], ["token", 9]]
    assert "<" not in drawing["layout"]["yaxis"]["ticktext"][0]


def test_the_map_puts_every_dot_at_its_place() -> None:
    faint = Dots.of([4, 5, 6], ["a", "b", "c"], np.array([[0.0, 0.0], [1.0, 2.0], [-3.0, 1.0]]))
    marked = Dots.of([8, 9], [" <b>", " dog"], np.array([[0.5, 0.5], [0.5, 0.51]]))
    drawing = embedding_map(faint, marked, ["source", "target"], LIGHT, chosen=9, shares=[0.2, 0.1])
    behind, front = traces_of(drawing)
    np.testing.assert_allclose(np.stack([behind.x, behind.y], axis=1), faint.at)
    np.testing.assert_allclose(np.stack([front.x, front.y], axis=1), marked.at, rtol=1e-6)
    assert [list(one.customdata) for one in (behind, front)] == [[4, 5, 6], [8, 9]]
    assert list(front.text) == ["\u2009&lt;b&gt;", "<b>\u2009dog</b>"]
    assert front.textposition[0] != front.textposition[1]  # two names at one place: on different sides
    assert "20.0 %" in drawing["layout"]["xaxis"]["title"]["text"]


def test_the_picture_of_positions_holds_the_table_to_a_byte() -> None:
    table = sinusoids(3000, 24)[::10]
    drawing = position_heatmap(table, np.arange(0, 3000, 10), LIGHT, is_split=True)
    heat = drawing["data"][0]
    packed = np.frombuffer(base64.b64decode(heat["z"]["bdata"]), dtype=np.int8).reshape(300, 24)
    np.testing.assert_allclose(packed / 127, table, atol=0.5 / 127 + 1e-9)
    assert (heat["y0"], heat["dy"]) == (0, 10)
    go.Figure(drawing)
    one = position_heatmap(table[:1], np.arange(1), DARK)
    assert one["layout"]["yaxis"]["range"] == [0.5, -0.5]


def test_waves_stand_in_bands_with_dots_on_them() -> None:
    lines = [np.stack([np.sin(t), np.cos(t)]) for t in (np.arange(9) * 0.5, np.arange(9) * 0.1)]
    whole = [line[:, ::2] for line in lines]
    drawing = pair_waves(lines, 0.5, whole, ["one", "two"], LIGHT)
    traces = traces_of(drawing)
    np.testing.assert_allclose(traces[0].y, lines[0][0], atol=1e-6)
    np.testing.assert_allclose(np.asarray(traces[6].y) + 3, lines[1][1], atol=1e-6)
    assert traces[0].dx == 0.5
    np.testing.assert_allclose(traces[1].y, traces[0].y[::2])  # dots at whole positions: every second point


def test_the_curve_marks_both_positions() -> None:
    values = np.arange(20.0)
    drawing = position_curve(values, LIGHT, here=3, there=11, title="x", count=15)
    line, ends = traces_of(drawing)
    np.testing.assert_allclose(line.y, values[:15])
    np.testing.assert_allclose(np.stack([ends.x, ends.y]), [[3, 11], [3, 11]])


def test_lengths_are_marked_on_one_axis_from_zero() -> None:
    drawing = lengths_by_token(
        [np.array([1.0, 2.0]), np.array([16.0, 32.0])], ["E", "X"], ["<s>", "a"], LIGHT
    )
    marks = traces_of(drawing)
    np.testing.assert_allclose([marks[0].x, marks[1].x], [[1, 2], [16, 32]])
    low, high = drawing["layout"]["xaxis"]["range"]
    assert low < 0 < 32 < high
    assert drawing["layout"]["yaxis"]["ticktext"][0] == "&lt;s&gt;"
