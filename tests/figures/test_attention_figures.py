"""Figures of attention: valid Plotly, and the numbers read back from them are those that went in."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from explainer.figures.bars.rows import effect_bars, top_k_bars
from explainer.figures.heat.matrix import decoder_labels, labels, matrix
from explainer.figures.heat.multiples import heads_beside, tile_of
from explainer.figures.heat.thumbnails import thumbnails
from explainer.figures.style import DARK, LIGHT, Role, Theme, blend, brief, number, probability, small, span
from explainer.figures.tokens.lines import attention_lines
from tests.figures.reading import THEMES, contrast, texts, traces_of

TOKENS = ["<s>", " <b>", "&", " dog", "</s>"]


def heat_map(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme = LIGHT,
    **more: Any,
) -> dict[str, Any]:
    """Weights, unless another kind is named."""
    given: dict[str, Any] = {"kind": "weights", "row_title": "", "column_title": "", **more}
    return matrix(values, rows, columns, theme, **given)


def rows_of(n_rows: int, n_columns: int) -> np.ndarray:
    drawn = np.random.default_rng(1).random((n_rows, n_columns)).astype(np.float32)
    return drawn / drawn.sum(axis=1, keepdims=True)


def written_in(drawing: dict[str, Any]) -> list[list[str]]:
    """What stands in the cells of a heat map, row by row; "" where nothing does."""
    heat, over = drawing["data"][0], traces_of(drawing)[-1]
    cells = np.full(np.shape(heat["z"]), "", dtype=object)
    cells[np.asarray(over.y), np.asarray(over.x)] = over.text
    return cells.tolist()


@THEMES
def test_matrix_holds_its_numbers_and_hatches_masked_cells(theme: Theme) -> None:
    weights, allowed = rows_of(5, 5), np.tril(np.ones((5, 5), dtype=bool))
    drawing = heat_map(weights, TOKENS, TOKENS, theme, row_title="query", column_title="key", allowed=allowed)
    heat = traces_of(drawing)[0]
    shown = np.asarray(heat.z)
    np.testing.assert_array_equal(shown[allowed], weights[allowed])
    assert np.isnan(shown[~allowed]).all()
    assert (heat.zmin, heat.zmax) == (0.0, 1.0)
    written, zeros = written_in(drawing), traces_of(drawing)[1]
    assert sorted(zip(zeros.y, zeros.x, strict=True)) == list(map(tuple, np.argwhere(~allowed).tolist()))
    assert zeros.text == "0"
    assert written[3][1] == f"{weights[3, 1]:.3f}"


def test_signed_matrix_is_symmetric_about_zero_and_reads_minus_infinity() -> None:
    scores = np.array([[1.5, -np.inf], [-3.25, 0.0]], dtype=np.float32)
    drawing = heat_map(scores, ["a", "b"], ["c", "d"], kind="signed")
    heat = traces_of(drawing)[0]
    assert (heat.zmin, heat.zmax) == (-3.25, 3.25)
    assert written_in(drawing) == [["1.50", ""], ["−3.25", "0.00"]]
    assert drawing["data"][1]["text"] == "−∞"


def test_what_would_be_written_as_zero_is_a_dot_that_is_explained() -> None:
    weights = np.array([[0.9, 0.0004, 0.0996], [0.0, 0.5, 0.5]], dtype=np.float32)
    names = ["a", "b", "c"]
    drawing = heat_map(weights, names[:2], names, column_title="key")
    assert written_in(drawing) == [["0.900", "·", "0.100"], ["0.000", "0.500", "0.500"]]
    assert drawing["layout"]["xaxis"]["title"]["text"] == "key (· stands for less than 0.0005)"
    drawing = heat_map(weights + 0.01, names[:2], names, column_title="key")
    assert drawing["layout"]["xaxis"]["title"]["text"] == "key"


def test_small_differences_are_not_rounded_away() -> None:
    change = np.array([[0.009, -0.0011, 0.0]], dtype=np.float32)
    drawing = heat_map(change, "a", "bcd", kind="signed", is_difference=True)
    heat = traces_of(drawing)[0]
    assert written_in(drawing) == [["0.009", "−0.001", "0.000"]]
    assert list(heat.colorbar.ticktext) == ["−0.009", "0.000", "0.009"]


@THEMES
@pytest.mark.parametrize("role", ["attention", "value", "target"])
def test_numbers_can_be_read_on_every_cell(theme: Theme, role: Role) -> None:
    values = np.linspace(0.0, 1.0, 12)[None]
    drawing = heat_map(values, "a", "bcdefghijklm", theme, role=role)
    for value, ink in zip(values[0], drawing["data"][-1]["textfont"]["color"], strict=True):
        assert contrast(ink, blend(theme.zero, getattr(theme, role), float(value))) >= 4.5


def test_numbers_in_narrow_cells_do_not_run_into_each_other() -> None:
    scores = np.full((14, 14), -12.345)
    drawing = heat_map(scores, "r" * 14, "c" * 14, kind="signed", compact=True)
    assert written_in(drawing)[0][0] == "−12.3"
    dots = heat_map(10 * scores, "r" * 14, "c" * 14, kind="signed")
    assert written_in(dots)[0][0] == "−123"
    few = heat_map(scores[:5, :5], "r" * 5, "c" * 5, kind="signed")
    assert written_in(few)[0][0] == "−12.35"


def test_a_mask_is_written_with_whole_numbers_and_has_no_colour_bar() -> None:
    mask = np.array([[0.0, -np.inf], [0.0, 0.0]])
    drawing = heat_map(mask, "ab", "cd", kind="signed")
    heat = traces_of(drawing)[0]
    assert written_in(drawing) == [["0", ""], ["0", "0"]]
    assert heat.showscale is False
    assert drawing["data"][1]["text"] == "−∞"


@pytest.mark.parametrize(("size", "compact", "pixels"), [(14, True, 528), (14, False, 650), (42, False, 650)])
def test_a_matrix_of_usual_size_fits_its_column(size: int, compact: bool, pixels: int) -> None:
    """Half, or three fifths, of a page of 1280 pixels."""
    rows, columns = ["überquerte → die"] * size, ["because"] * size
    drawing = heat_map(
        rows_of(size, size), rows, columns, row_title="query", column_title="key", compact=compact
    )
    assert drawing["layout"]["meta"]["width"] <= pixels


TITLE = "query: input → predicts"


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(1, 4), (1, 24), (2, 6), (3, 23), (4, 4)])
def test_a_low_matrix_has_room_for_its_title_and_its_colour_bar(
    n_rows: int, n_columns: int, compact: bool
) -> None:
    """The title is turned and stands at the middle of the rows; letters of 12 pixels are 5 wide at the least."""
    rows, columns = ["<s> → </s>"] * n_rows, ["because"] * n_columns
    drawing = heat_map(
        rows_of(n_rows, n_columns), rows, columns, row_title=TITLE, column_title="key",
        compact=compact)  # fmt: skip
    margin, height = drawing["layout"]["margin"], drawing["layout"]["height"]
    plot = height - margin["t"] - margin["b"]
    assert plot / 2 + min(margin["t"], margin["b"]) >= 5 * len(TITLE) / 2
    bar = drawing["data"][0]["colorbar"]
    lines = len(bar["tickvals"]) - 1
    apart = (plot - 2 * bar.get("ypad", 10)) / lines  # 10 is Plotly's
    assert apart >= 1.3 * bar["tickfont"]["size"]  # no label on another


def test_a_high_matrix_is_not_made_higher() -> None:
    """Fourteen rows of 32 pixels between the margins."""
    names = [str(i) for i in range(14)]
    drawing = heat_map(rows_of(14, 14), names, names, row_title=TITLE, column_title="key")
    margin, height = drawing["layout"]["margin"], drawing["layout"]["height"]
    assert height - margin["t"] - margin["b"] == 14 * 32
    assert margin["b"] == 10


def test_a_difference_tells_cells_that_were_opened_and_closed() -> None:
    after = np.array([[1.5, -np.inf, -np.inf], [2.0, 0.5, -np.inf]])
    before = np.array([[1.0, 3.0, -np.inf], [-np.inf, 0.75, -np.inf]])
    with np.errstate(invalid="ignore"):
        change = np.where(after == before, 0.0, after - before)
    drawing = heat_map(
        change,
        ["a", "b"],
        ["c", "d", "e"],
        kind="signed",
        allowed=np.isfinite(after) | np.isfinite(before),
        is_difference=True,
    )
    heat, masked, flipped = (traces_of(drawing)[i] for i in range(3))
    assert not np.isinf(np.asarray(heat.z)).any()
    assert written_in(drawing) == [["0.50", "", ""], ["", "−0.25", ""]]
    assert (list(masked.x), list(masked.y), masked.text) == ([2, 2], [0, 1], "0")
    cells = zip(flipped.y, flipped.x, flipped.text, flipped.hovertext, strict=True)
    assert list(cells) == [(0, 1, "−∞", "closed"), (1, 0, "∞", "opened")]


@pytest.mark.parametrize("size", [1, 12, 61])
def test_every_size_is_drawn(size: int) -> None:
    names = [f"t{i}" for i in range(size)]
    drawing = heat_map(rows_of(size, size), names, names, selected=(0, 0))
    figure = go.Figure(drawing)
    assert figure.layout.height < 1300
    assert list(figure.layout.xaxis.ticktext) == names


def test_no_figure_lets_a_token_become_markup() -> None:
    square = rows_of(5, 5)
    drawings = [
        heat_map(square, TOKENS, TOKENS, row_title="q", column_title="k"),
        attention_lines(square, TOKENS, TOKENS, LIGHT, selected=1),
        top_k_bars(range(5), TOKENS, square[0], 0.0, LIGHT, chosen=1, n_others=3),
    ]
    for drawing in drawings:
        go.Figure(drawing)
        plain = [
            text.replace("<b>", "").replace("</b>", "").replace("<extra></extra>", "")
            for text in texts(drawing)
        ]
        assert not [text for text in plain if "<" in text]
        assert any("&lt;b&gt;" in text for text in plain)


def test_lines_are_as_wide_as_their_weights() -> None:
    weights = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]], dtype=np.float32)
    drawing = attention_lines(weights, ["x", "y"], ["a", "b", "c"], LIGHT, selected=1)
    go.Figure(drawing)
    widths = [trace["line"]["width"] for trace in drawing["data"] if trace["mode"] == "lines"][1:]
    assert np.diff(widths) / np.diff(weights[1]) == pytest.approx([9.0, 9.0])


def test_thumbnails_tile_every_head_once() -> None:
    weights = np.stack(
        [np.stack([rows_of(3, 4) * (1 + head + 2 * layer) / 9 for head in range(2)]) for layer in range(3)]
    )
    allowed = np.array([[True, True, True, True], [True, True, True, False], [True, True, False, False]])
    drawing = thumbnails(weights, allowed, DARK, selected=(2, 1), starred=(0, 0))
    tiled = traces_of(drawing)[0].z
    for layer, head in np.ndindex(3, 2):
        np.testing.assert_array_equal(
            np.asarray(tiled)[layer * 4 : layer * 4 + 3, head * 5 : head * 5 + 4],
            np.where(allowed, weights[layer, head], -1.0),
        )
    targets = drawing["data"][1]
    assert targets["customdata"][-1] == ["head", 2, 1]


def test_bars_show_probabilities_and_the_rest() -> None:
    drawing = top_k_bars([7, 9], ["a", "b"], np.array([0.6, 0.3]), 0.1, LIGHT, chosen=0, n_others=98)
    bars = traces_of(drawing)[0]
    np.testing.assert_allclose(bars.x, [0.6, 0.3, 0.1], rtol=1e-6)
    assert drawing["layout"]["yaxis"]["ticktext"][-1] == "98 others"


def test_numbers_are_written_as_the_app_writes_them() -> None:
    written = ["−1.24", "0.00", "0.00", "−∞", "∞"]
    assert [number(x) for x in (-1.239, 0.0, -0.001, -np.inf, np.inf)] == written
    assert [probability(x) for x in (0.25, 0.0001, 0.0)] == ["0.250", "< 0.001", "0.000"]
    assert [small(x) for x in (0.0, 1.2e-7)] == ["0", "1.2e−07"]
    assert [brief(x) for x in (8.0, 5.6569, 0.5)] == ["8", "5.66", "0.5"]
    assert span(np.array([-np.inf, -2.0, 1.0])) == 2.0
    assert labels([" ", " a", "b"]) == ["␣", "\u2009a", "b"]
    assert decoder_labels(["<s>", " "], [" Ich", "</s>"]) == ["<s> → \u2009Ich", "␣ → </s>"]


@THEMES
def test_colours_can_be_read(theme: Theme) -> None:
    assert contrast(theme.text, theme.background) >= 7
    assert contrast(theme.muted, theme.background) >= 4.5
    for role in ("query", "key", "value", "attention", "residual", "gate", "target", "source"):
        assert contrast(getattr(theme, role), theme.background) >= 4.5, role  # symbols in equations are text
    assert blend("#000000", "#FFFFFF", 0.5) == "#808080"


ROWS, COLUMNS = ["a", "<b>"], ["c", "d", "<s>"]


def drawn(values: np.ndarray, allowed: np.ndarray, bound: float | None = None) -> Any:
    names = [f"head {h}" for h in range(len(values))]
    drawing = heads_beside(
        values, allowed, ROWS, COLUMNS, names, LIGHT, selected=(1, 0, 2), row_title="query", bound=bound
    )
    return go.Figure(drawing)


def test_every_cell_of_every_head_is_where_tile_of_says() -> None:
    values = np.random.default_rng(1).random((4, 2, 3)).astype(np.float32)
    allowed = np.array([[True, True, False], [True, True, True]])
    shown = drawn(values, allowed)
    tiled = np.asarray(shown.data[0].z)
    seen = np.zeros(values.shape, dtype=int)
    for x in range(tiled.shape[1]):
        head, key = tile_of(x, 3, 4)
        assert 0 <= head < 4
        assert 0 <= key < 3
        for y in range(2):
            if not np.isnan(tiled[y, x]):
                assert tiled[y, x] == values[head, y, key]
                seen[head, y, key] += 1
    np.testing.assert_array_equal(seen, np.broadcast_to(allowed, seen.shape))
    assert (shown.data[0].zmin, shown.data[0].zmax) == (0.0, 1.0)
    assert list(shown.layout.xaxis.ticktext) == ["c", "d", "&lt;s&gt;"] * 4


def test_differences_have_a_range_about_zero() -> None:
    shown = drawn(np.full((2, 2, 3), -0.25, dtype=np.float32), np.ones((2, 3), dtype=bool), bound=0.25)
    assert (shown.data[0].zmin, shown.data[0].zmax) == (-0.25, 0.25)


def test_bars_keep_their_order_and_reach_on_both_sides() -> None:
    effects = np.array([-2.0, 0.5, 0.0])
    keys = [("effect", 0, 1), ("effect", 2, 3), ("effect", 1, 1)]
    shown: Any = go.Figure(effect_bars(effects, ["x", "y", "z"], keys, LIGHT, selected=1, title="nats"))
    bars = shown.data[0]
    np.testing.assert_array_equal(bars.x, effects.astype(np.float32))
    assert list(bars.text) == ["−2.000", "0.500", "0.000"]
    assert [tuple(key) for key in bars.customdata] == keys
    low, high = shown.layout.xaxis.range
    assert low < -2 < 0.5 < high
    assert shown.layout.yaxis.range[0] > shown.layout.yaxis.range[1]  # the first on top
