"""The flow map: valid Plotly, small, legible, and its marks have the size of the model's numbers."""

import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from explainer.figures.flow.map import BLOCKS, RIBBONS, flow_alt, flow_map, slim_flow_map
from explainer.figures.flow.parts import LEAST, STEPS
from explainer.figures.flow.sketch import WIDTH
from explainer.figures.style import DARK, LIGHT, Theme, blend, probability
from explainer.measures.flow import FlowNumbers
from explainer.pages.frame.panel import encoded
from tests.figures.reading import THEMES, contrast

AWKWARD = ("<s>", " <b>", "&amp;", " ", "<0xF0>", ' "quotes"', " Donaudampfschifffahrtsgesellschaft", "</s>")
K, VOCAB = 8, 8192


def flow_of(n_source: int = 9, n_target: int = 7, *, layers: tuple[int, int] = (4, 3)) -> FlowNumbers:
    random = np.random.default_rng(n_source * 100 + n_target)

    def rows(*shape: int) -> np.ndarray:
        return random.dirichlet(np.full(shape[-1], 0.15), size=shape[:-1]).astype(np.float32)

    def stream(n_stations: int, n_tokens: int) -> np.ndarray:
        return random.uniform(14, 30, (n_stations, n_tokens)).astype(np.float32)

    source, target = ([AWKWARD[i % len(AWKWARD)] for i in range(n)] for n in (n_source, n_target))
    back = np.tril(rows(layers[1], n_target, n_target)) + 1e-9
    probs = -np.sort(-rows(n_target, 60))[:, :K]
    ids = np.stack([random.permutation(VOCAB)[:K] for _ in target])
    return FlowNumbers(
        source=tuple(source),
        target=tuple(target),
        predicted=(*target[1:], "</s>"),
        predicted_ids=tuple(int(row[0]) for row in ids),
        source_embedding=random.normal(size=(n_source, 12)).astype(np.float32),
        source_position=random.uniform(-1, 1, (n_source, 12)).astype(np.float32),
        target_embedding=random.normal(size=(n_target, 12)).astype(np.float32),
        target_position=random.uniform(-1, 1, (n_target, 12)).astype(np.float32),
        source_stream=stream(2 + 4 * layers[0], n_source),
        target_stream=stream(2 + 6 * layers[1], n_target),
        encoder_weights=rows(layers[0], n_source, n_source),
        decoder_weights=back / back.sum(axis=-1, keepdims=True),
        cross_weights=rows(layers[1], n_target, n_source),
        encoder_updates=random.uniform(0.3, 2, (layers[0], 2, n_source)),
        decoder_updates=random.uniform(0.3, 2, (layers[1], 3, n_target)),
        encoder_active=random.uniform(0, 1, (layers[0], n_source)),
        decoder_active=random.uniform(0, 1, (layers[1], n_target)),
        candidates=tuple(tuple(AWKWARD) for _ in target),
        candidate_ids=ids,
        probabilities=probs,
        chosen=probs[:, 0],
        head=None,
        n_heads=4,
        dimensions=tuple(range(0, 256, 22)),
        d_model=256,
        vocab_size=VOCAB,
    )


def size_of(drawing: dict[str, Any]) -> int:
    """Bytes of the JSON that is sent."""
    return len(json.dumps(encoded(drawing), ensure_ascii=False, separators=(",", ":")).encode())


def texts_of(drawing: dict[str, Any]) -> list[str]:
    return [text for trace in drawing["data"] if trace.get("mode") == "text" for text in trace["text"]]


def targets_of(drawing: dict[str, Any]) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = {}
    for part, *detail in drawing["data"][-1]["customdata"]:
        found.setdefault(part, []).append(detail)
    return found


def strokes_of(drawing: dict[str, Any]) -> list[tuple[float, str]]:
    lines = [(s["line"]["width"], s["path"]) for s in drawing["layout"]["shapes"] if s["line"]["width"]]
    return [(width, "M" + path) for width, joined in lines for path in joined.split("M")[1:]]


def outline(path: str) -> list[tuple[float, float]]:
    """The corners of a path of M, L, V."""
    corners: list[tuple[float, float]] = []
    for command, numbers in re.findall(r"([MLV])([-0-9.e,]+)", path):
        values = [float(number) for number in numbers.split(",")]
        corners.append((corners[-1][0], values[0]) if command == "V" else (values[0], values[1]))
    return corners


@THEMES
@pytest.mark.parametrize(("n_source", "n_target"), [(1, 1), (2, 9), (13, 13), (60, 3), (61, 61)])
def test_any_length_is_valid_and_stands_on_the_paper(theme: Theme, n_source: int, n_target: int) -> None:
    flow = flow_of(n_source, n_target)
    assert isinstance(flow, FlowNumbers)
    drawing = flow_map(flow, theme, selected=n_target - 1)
    go.Figure(drawing)
    height = drawing["layout"]["height"]
    assert isinstance(height, int)
    for trace in drawing["data"]:
        x, y = np.asarray(trace["x"], float), np.asarray(trace["y"], float)
        assert 0 <= x.min() <= x.max() <= WIDTH
        assert 0 <= y.min() <= y.max() <= height
        assert trace.get("mode") != "text" or trace["textfont"]["size"] >= 11
    corners = [float(n) for s in drawing["layout"]["shapes"] for n in re.findall(r"-?\d+\.?\d*", s["path"])]
    assert min(corners) >= 0
    assert max(corners) <= max(WIDTH, height)


def test_a_usual_sentence_fits_a_projector_and_a_long_one_grows() -> None:
    assert flow_map(flow_of(13, 13), LIGHT, selected=0)["layout"]["height"] <= 640
    for trace in flow_map(flow_of(60, 60), LIGHT, selected=0)["data"]:
        assert trace["type"] != "heatmap" or (np.diff(trace["y"]) >= 13).all()


@pytest.mark.parametrize(("n", "limit"), [(12, 64_000), (40, 110_000)])
def test_the_payload_is_small(n: int, limit: int) -> None:
    assert size_of(flow_map(flow_of(n, n), LIGHT, selected=n // 2)) <= limit
    assert size_of(slim_flow_map("head", LIGHT)) <= 5_000


@pytest.mark.parametrize("drawing", [flow_map(flow_of(9, 9), LIGHT, selected=2), slim_flow_map("head", DARK)])
def test_tokens_are_escaped_and_none_is_invisible(drawing: dict[str, Any]) -> None:
    shown = [*texts_of(drawing), *drawing["data"][-1]["text"]]
    for text in shown:
        assert "<" not in re.sub(r'</?b>|<br>|</span>|<span style="[^"<>]*">|^< 0.001$', "", text), text
        assert text.strip(), "an empty chip"


def test_the_numbers_of_the_encoder_are_not_made_by_one_token() -> None:
    usual, flow = flow_of(9, 7), flow_of(9, 7)
    flow.encoder_updates[..., -1] = 1000 + usual.encoder_updates.max()  # `</s>`
    texts = texts_of(flow_map(flow, LIGHT, selected=2))
    assert "update ÷ stream, median token" in texts
    for values in flow.encoder_updates.reshape(-1, 9):
        assert f"{sorted(values)[4]:.2f}" in texts


@pytest.mark.parametrize("lit", BLOCKS)
def test_a_phone_pans_the_slim_map_to_the_lit_block(lit: str) -> None:
    drawing = slim_flow_map(lit, LIGHT)
    meta, targets = drawing["layout"]["meta"], drawing["data"][-1]
    found = zip(targets["x"], targets["customdata"], strict=True)
    pixels = [x / WIDTH * meta["width"] for x, key in found if key == [lit]]
    right = min(max(meta["follow"], 366), meta["width"])  # of what 366 pixels show
    assert right - 366 < min(pixels) < max(pixels) < right


def test_specials_and_awkward_tokens_are_literal() -> None:
    texts = texts_of(flow_map(flow_of(9, 9), LIGHT, selected=0))
    for token in ("&lt;/s&gt;", "\u2009&lt;b&gt;", "&amp;amp;", "␣", "&lt;0xF0&gt;"):
        assert texts.count(token) >= 2, token
    assert "<b>&lt;s&gt;</b>" in texts  # the selected row


def test_bands_are_as_thick_as_vectors_are_long() -> None:
    flow = flow_of(6, 5)
    shapes = flow_map(flow, LIGHT, selected=0)["layout"]["shapes"]
    paths = ["M" + p for s in shapes for p in s["path"].split("M")[1:] if len(outline("M" + p)) > 20]
    assert len(paths) == 6 + 5
    drawn = [np.array([y for _, y in outline(path)]) for path in paths]
    thickness = [(y[::-1] - y)[: len(y) // 2] for y in drawn]
    streams = [*flow.source_stream.T, *flow.target_stream.T]
    units = [np.polyfit(stream, thick, 1)[0] for stream, thick in zip(streams, thickness, strict=True)]
    for stream, thick in zip(streams, thickness, strict=True):
        np.testing.assert_allclose(thick, np.mean(units) * stream, atol=0.15)


def test_ribbons_are_the_weights_above_the_threshold() -> None:
    flow, selected = flow_of(8, 6), 3
    drawing = flow_map(flow, LIGHT, selected=selected)
    threshold = drawing["layout"]["meta"]["threshold"]
    strokes = strokes_of(drawing)
    weights = [*flow.encoder_weights[flow.encoder_weights >= threshold]]
    for row in range(6):
        each = flow.decoder_weights[:, row]
        weights += [*each[each >= (LEAST if row == selected else threshold)]]
    assert len(strokes) == len(weights)
    unit = max(width for width, _ in strokes) / STEPS[np.abs(STEPS - max(weights)).argmin()]
    steps = sorted(float(STEPS[np.abs(STEPS - weight).argmin()]) for weight in weights)
    np.testing.assert_allclose(sorted(width / unit for width, _ in strokes), steps, atol=0.01)


def test_a_ribbon_leads_from_its_key_to_its_query() -> None:
    flow = flow_of(3, 2, layers=(1, 1))
    flow.encoder_weights[:] = 0
    flow.encoder_weights[0, 0, 2] = flow.encoder_weights[0, 1, 1] = flow.encoder_weights[0, 2, 0] = 1
    flow.decoder_weights[:] = np.eye(2)
    drawing = flow_map(flow, LIGHT, selected=0)
    targets = drawing["data"][-1]
    at = zip(targets["y"], targets["customdata"], strict=True)
    rows = sorted({y for y, (part, *_) in at if part == "source_token"})
    ends = {tuple(map(float, re.findall(r",([\d.]+)", path)))[::3] for _, path in strokes_of(drawing)}
    assert {(rows[2], rows[0]), (rows[1], rows[1]), (rows[0], rows[2])} <= ends


def test_the_threshold_rises_until_the_ribbons_are_few() -> None:
    for n in (5, 20, 60):
        drawing = flow_map(flow_of(n, n), LIGHT, selected=0)
        threshold, strokes = drawing["layout"]["meta"]["threshold"], strokes_of(drawing)
        assert len(strokes) <= RIBBONS + 3 * n
        said = [text for text in texts_of(drawing) if f"drawn from {threshold:.2f} up" in text]
        assert said, "the figure says which weights it draws"


@pytest.mark.parametrize("selected", [0, 4])
def test_the_candidates_are_those_of_the_selected_row(selected: int) -> None:
    flow = flow_of(5, 6)
    drawing = flow_map(flow, LIGHT, selected=selected)
    texts = texts_of(drawing)
    values = [*flow.probabilities[selected].tolist(), 1 - float(flow.probabilities[selected].sum())]
    for value in values:
        assert probability(value) in texts
    assert "8\u2009184 others" in texts
    candidates = targets_of(drawing)["candidate"]
    assert [token_id for (token_id,) in candidates[::2]] == flow.candidate_ids[selected].tolist()
    chips = [trace for trace in drawing["data"] if trace["type"] == "bar" and trace["width"] == 18]
    bars = [(y, float(x)) for trace in chips for y, x in zip(trace["y"], trace["x"], strict=True)]
    full = max(length for _, length in bars)
    drawn = [min(length for y, length in bars if y == place) for place in sorted({y for y, _ in bars})]
    np.testing.assert_allclose(drawn, [max(1.0, full * value) for value in values], rtol=1e-3)


def test_cross_attention_falls_from_the_memory_to_the_selected_row() -> None:
    flow, selected = flow_of(9, 6), 2
    drawing = flow_map(flow, LIGHT, selected=selected)
    falls = [
        s for s in drawing["layout"]["shapes"] if s["path"].count("Q") == 2 and s["path"].count("C") == 4
    ]
    weights = flow.cross_weights[:, selected]
    assert len(falls) == np.count_nonzero(weights >= LEAST)
    for layer, token in np.argwhere(weights >= LEAST):
        part = f"decoder.layers.{layer}.cross_attention"
        assert [selected, token] in targets_of(drawing)[part]
    for layer, token in np.argwhere(weights >= 0.1):
        assert f"{weights[layer, token]:.2f}" in texts_of(drawing)


def test_every_part_can_be_clicked() -> None:
    found = targets_of(flow_map(flow_of(9, 7), LIGHT, selected=1))
    for part in ("source_token", "source_embedding", "source_position", "memory", "target_token", "head"):
        assert [0] in found[part], part
    assert [i for (i,) in found["source_token"]] == list(range(9))
    assert [i for (i,) in found["target_token"]] == list(range(7))
    for layer in range(4):
        assert [i for (i,) in found[f"encoder.layers.{layer}.self_attention"]] == list(range(9))
        assert f"encoder.layers.{layer}.feed_forward" in found
    for layer in range(3):
        for sublayer in ("self_attention", "cross_attention", "feed_forward"):
            assert f"decoder.layers.{layer}.{sublayer}" in found


@THEMES
def test_text_has_contrast(theme: Theme) -> None:
    panels = [blend(theme.background, accent, 0.07) for accent in (theme.source, theme.target)]
    for drawing in (flow_map(flow_of(), theme, selected=1), slim_flow_map("head", theme)):
        colours = {t["textfont"]["color"] for t in drawing["data"] if t.get("mode") == "text"}
        for colour in colours - {theme.background}:
            for panel in panels:
                assert contrast(colour, panel) >= 4.5, (colour, panel)


def test_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"selected = 7: the decoder has rows 0 … 6"):
        flow_map(flow_of(9, 7), LIGHT, selected=7)


def test_the_map_in_words() -> None:
    flow = flow_of(9, 7)
    words = flow_alt(flow, selected=2)
    best = float(flow.cross_weights[:, 2].mean(axis=0).max())
    assert "4 layers" in words
    assert "row 3" in words
    assert probability(best) in words
    assert probability(float(flow.chosen[2])) in words


@pytest.mark.parametrize("current", [*BLOCKS, "nothing"])
def test_the_slim_map_lights_one_block(current: str) -> None:
    drawing = slim_flow_map(current, LIGHT)
    go.Figure(drawing)
    chips = [trace for trace in drawing["data"] if trace["type"] == "bar"]
    lit = [len(chip["y"]) for chip in chips if chip["marker"]["color"] in (LIGHT.source, LIGHT.target)]
    assert sum(lit) == (current in BLOCKS)
    assert sum(text.startswith("<b>") for text in texts_of(drawing)) == (current in BLOCKS)
    assert list(targets_of(drawing)) == list(BLOCKS)
    assert drawing["layout"]["height"] == 70
