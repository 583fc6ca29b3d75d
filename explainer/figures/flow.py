"""The flow map: the whole encoder-decoder for one sentence in one picture, drawn from its own tensors.

The encoder runs along the top from left to right; its memory goes on above the decoder, whose cross-attention falls
down from it; the decoder leaves at the right as probabilities of the next token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.flow_parts import (
    LEVELS,
    WIDTH,
    Sketch,
    attention_ribbons,
    bands,
    box,
    ribbon,
    short,
    threshold_for,
    waterfall,
)
from explainer.figures.style import Theme, blend, diverging, faded, number, probability, span

MIN_WIDTH = 1040  # a narrower page pans the picture instead of squeezing it
BUDGET = 330  # attention ribbons: the threshold rises until they fit
LOUD = 0.1  # cross-attention weights from here on are written out


@runtime_checkable
class Flow(Protocol):
    """The numbers to draw: `explainer.equations.flow.FlowNumbers` has them and says what each is."""

    @property
    def source(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def target(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def predicted(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def predicted_ids(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def source_embedding(self) -> np.ndarray: ...  # noqa: D102
    @property
    def source_position(self) -> np.ndarray: ...  # noqa: D102
    @property
    def target_embedding(self) -> np.ndarray: ...  # noqa: D102
    @property
    def target_position(self) -> np.ndarray: ...  # noqa: D102
    @property
    def source_stream(self) -> np.ndarray: ...  # noqa: D102
    @property
    def target_stream(self) -> np.ndarray: ...  # noqa: D102
    @property
    def encoder_weights(self) -> np.ndarray: ...  # noqa: D102
    @property
    def decoder_weights(self) -> np.ndarray: ...  # noqa: D102
    @property
    def cross_weights(self) -> np.ndarray: ...  # noqa: D102
    @property
    def encoder_updates(self) -> np.ndarray: ...  # noqa: D102
    @property
    def decoder_updates(self) -> np.ndarray: ...  # noqa: D102
    @property
    def encoder_active(self) -> np.ndarray: ...  # noqa: D102
    @property
    def decoder_active(self) -> np.ndarray: ...  # noqa: D102
    @property
    def candidates(self) -> tuple[tuple[str, ...], ...]: ...  # noqa: D102
    @property
    def candidate_ids(self) -> np.ndarray: ...  # noqa: D102
    @property
    def probabilities(self) -> np.ndarray: ...  # noqa: D102
    @property
    def chosen(self) -> np.ndarray: ...  # noqa: D102
    @property
    def head(self) -> int | None: ...  # noqa: D102
    @property
    def n_heads(self) -> int: ...  # noqa: D102
    @property
    def dimensions(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def d_model(self) -> int: ...  # noqa: D102
    @property
    def vocab_size(self) -> int: ...  # noqa: D102


@dataclass(frozen=True)
class Lane:
    """Where one stack stands: its columns in x, its token rows in y.

    Attributes:
        name: "encoder" or "decoder", the first part of its hooks' names.
        accent: Its colour.
        chips: Left and right edge of the token chips.
        strips: Left and right edge of the token's and the position's strip.
        zones: Left and right edge of each sublayer, `[layer][sublayer]`.
        rows: The middle of each token's row.
        pitch: From one row to the next.
    """

    name: str
    accent: str
    chips: tuple[float, float]
    strips: tuple[tuple[float, float], tuple[float, float]]
    zones: list[list[tuple[float, float]]]
    rows: list[float]
    pitch: float

    @property
    def top(self) -> float:
        """Upper edge of the first row."""
        return self.rows[0] - self.pitch / 2

    @property
    def bottom(self) -> float:
        """Lower edge of the last row."""
        return self.rows[-1] + self.pitch / 2

    @property
    def end(self) -> float:
        """Where the last layer ends."""
        return self.zones[-1][-1][1]


HEIGHT, HEADER, FOOTER, GAP, LOWEST = 620, 54, 42, 10, 270  # header: the titles above the rows; footer: the numbers below them
RIGHT, PREDICTED, OUTPUT, BARS, READ = 962, (970, 1046), (1072, 1198), (1082, 1190), (1062, 1150)
SUBLAYERS = {
    "encoder": (("self_attention", "self-<br>attention", 0.57), ("feed_forward", "feed-<br>forward", 0.43)),
    "decoder": (
        ("self_attention", "masked self-<br>attention", 0.41),
        ("cross_attention", "cross-<br>attention", 0.34),
        ("feed_forward", "feed-<br>forward", 0.25),
    ),
}


def flow_map(
    flow: Flow, theme: Theme, *, selected: int, languages: tuple[str, str] = ("English", "German")
) -> dict[str, Any]:
    """One picture of the pass: tokens, embeddings, every layer's attention, the memory, the next token.

    Thickness of a band is ‖x‖, width of a ribbon is an attention weight, width of the fan at the end a probability.
    A click hands over the customdata of what was clicked: [part, row or token id …].

    Args:
        flow: The numbers.
        theme: The colours.
        selected: The decoder row whose cross-attention and next-token probabilities are drawn.
        languages: Names of source and target.

    Raises:
        ValueError: there is no such row.
    """
    if not 0 <= selected < len(flow.target):
        raise ValueError(f"selected = {selected}: the decoder has rows 0 … {len(flow.target) - 1}")
    encoder, decoder = lanes(flow, theme)
    sketch = Sketch(theme)
    threshold = threshold_for((flow.encoder_weights, flow.decoder_weights), BUDGET)
    bottom = max(decoder.bottom + FOOTER, decoder.top - HEADER + LOWEST)
    draw_panels(sketch, encoder, decoder, bottom, languages)
    draw_embeddings(sketch, flow, encoder, decoder)
    draw_streams(sketch, flow, encoder, decoder, selected)
    draw_attention(sketch, encoder, flow.encoder_weights, threshold, None)
    draw_attention(sketch, decoder, flow.decoder_weights, threshold, selected)
    draw_cross_attention(sketch, flow, encoder, decoder, selected, threshold)
    draw_headers(sketch, encoder)
    draw_headers(sketch, decoder)
    draw_tokens(sketch, flow, encoder, decoder, selected)
    draw_reading(sketch, flow, encoder, selected)
    draw_numbers(sketch, flow, encoder, decoder, selected)
    draw_distribution(sketch, flow, decoder, selected, bottom)
    draw_legend(sketch, flow, decoder, threshold)
    add_targets(sketch, flow, encoder, decoder, selected)
    return sketch.figure(bottom, size=max(12.0, encoder.pitch), meta={"threshold": threshold})


def lanes(flow: Flow, theme: Theme) -> tuple[Lane, Lane]:
    """Give every token a row and every sublayer a column; long sentences make the picture taller."""
    n_source, n_target = len(flow.source), len(flow.target)
    pitch = int(np.clip((HEIGHT - 2 * HEADER - 2 * FOOTER - GAP) / (n_source + n_target), 14, 30))
    target_top = HEADER + n_source * pitch + FOOTER + GAP + HEADER

    def rows(top: float, count: int) -> list[float]:
        return [top + pitch // 2 + pitch * i for i in range(count)]

    def zones(left: float, right: float, n_layers: int, side: str) -> list[list[tuple[float, float]]]:
        shares = np.cumsum([0, *(share for *_, share in SUBLAYERS[side])])
        edges = [(left + (right - left) / n_layers * (layer + shares)).round().tolist() for layer in range(n_layers)]
        return [list(zip(each[:-1], each[1:], strict=True)) for each in edges]

    source_zones = zones(198, 530, len(flow.encoder_weights), "encoder")
    target_zones = zones(512, RIGHT, len(flow.decoder_weights), "decoder")
    return (
        Lane("encoder", theme.source, (8, 98), ((106, 142), (152, 188)), source_zones, rows(HEADER, n_source), pitch),
        Lane("decoder", theme.target, (326, 412), ((420, 456), (466, 502)), target_zones, rows(target_top, n_target), pitch),
    )


def draw_panels(
    sketch: Sketch, encoder: Lane, decoder: Lane, bottom: float, languages: tuple[str, str]
) -> None:
    """The soft backgrounds, with their titles, and a lighter card per layer."""
    muted = sketch.theme.muted
    titles = (f"reads {languages[0]}", f"writes {languages[1]}")
    for lane, right, low, what in (
        (encoder, OUTPUT[1], encoder.bottom + FOOTER - 2, titles[0]),
        (decoder, PREDICTED[1] + 6, bottom - 2, titles[1]),
    ):
        left, top = lane.chips[0] - 6, lane.top - HEADER + 2
        sketch.fill([box(left, top, right, low, 10)], faded(lane.accent, 0.07))
        sketch.text(left + 4, top + 13, f"<b>{lane.name.upper()}</b>", colour=lane.accent, size=13, at="middle right")
        sketch.text(left + 4, top + 28, what, colour=muted, at="middle right")
        for (a, b), name in zip(lane.strips, ("token", "position"), strict=True):
            sketch.text((a + b) / 2, lane.top - 10, name, colour=muted, size=11)
        sketch.text(lane.strips[0][1] + 5, lane.top - 10, "+", colour=muted)
        cards = [box(zs[0][0] + 1, lane.top - 3, zs[-1][1] - 2, lane.bottom + 3, 6) for zs in lane.zones]
        sketch.fill(cards, faded(sketch.theme.background, 0.7))
        plates = [box(zs[-1][0] + 4, lane.top - 1, zs[-1][1] - 9, lane.bottom + 1, 6) for zs in lane.zones]
        sketch.fill(plates, faded(sketch.theme.residual, 0.1))
    x, y = (encoder.end + RIGHT) / 2, encoder.top - HEADER + 15
    sketch.text(x, y, "<b>MEMORY</b>", colour=encoder.accent, size=13)
    words = f"one vector per {languages[0]} token, read by every decoder layer"
    sketch.text(x, y + 15, words, colour=muted)
    sketch.text(sum(decoder.chips) / 2, decoder.top - 10, "input", size=11, colour=muted)
    sketch.text(sum(PREDICTED) / 2, decoder.top - 10, "→ predicts", size=11, colour=muted)


def draw_headers(sketch: Sketch, lane: Lane) -> None:
    """Above the columns: the layer, and what each sublayer does; on plates, because ribbons may pass behind."""
    muted, theme = sketch.theme.muted, sketch.theme
    plates = []
    for layer, zones in enumerate(lane.zones):
        name = f"<b>layer {layer + 1}</b>"
        sketch.text(zones[0][0] - 1, lane.top - 40, name, colour=muted, size=11, at="middle right")
        for (kind, label, _), (a, b) in zip(SUBLAYERS[lane.name], zones, strict=True):
            middle = (a + b) / 2 - 1
            sketch.text(middle, lane.top - 17, label, colour=muted, size=11)
            if kind == "cross_attention":
                plates.append(box(middle - 25, lane.top - 31, middle + 25, lane.top - 4, 5))
    sketch.fill(plates, faded(blend(theme.background, lane.accent, 0.07), 0.92))


def draw_embeddings(sketch: Sketch, flow: Flow, encoder: Lane, decoder: Lane) -> None:
    """Token and position vectors as strips of signed cells, on one scale for all four."""
    strips = (
        (encoder, flow.source_embedding, flow.source_position),
        (decoder, flow.target_embedding, flow.target_position),
    )
    bound = strip_bound(flow)
    for lane, token, position in strips:
        gap = np.full((len(token), 1), np.nan)
        edges = [np.linspace(*strip, token.shape[1] + 1) for strip in lane.strips]
        sketch.traces.append(
            {
                "type": "heatmap",
                "z": np.hstack([token, gap, position]).astype(np.float32),
                "x": np.concatenate(edges).astype(np.float32),
                "y": np.array([*(y - lane.pitch / 2 for y in lane.rows), lane.bottom], dtype=np.float32),
                "zmin": -bound,
                "zmax": bound,
                "colorscale": diverging(sketch.theme),
                "showscale": False,
                "ygap": 4,
                "hoverinfo": "skip",
            }
        )


def strip_bound(flow: Flow) -> float:
    """The value of the strongest colour of the embedding strips."""
    parts = (flow.source_embedding, flow.source_position, flow.target_embedding, flow.target_position)
    return span(np.concatenate([part.ravel() for part in parts]))


def draw_streams(sketch: Sketch, flow: Flow, encoder: Lane, decoder: Lane, selected: int) -> None:
    """One band per token: the residual stream, as thick as its vector is long; the memory's bands run on."""
    theme, y = sketch.theme, decoder.rows[selected]
    thickest = max(flow.source_stream.max(), flow.target_stream.max())
    halo = box(decoder.chips[0] - 3, y - decoder.pitch / 2, PREDICTED[1] + 3, y + decoder.pitch / 2, 6)
    sketch.fill([halo], faded(decoder.accent, 0.2))
    for lane, stream in ((encoder, flow.source_stream), (decoder, flow.target_stream)):
        ends = [b for zones in lane.zones for _, b in zones]
        xs = [lane.strips[1][1] + 4, *(x for b in ends for x in (b - 7, b)), RIGHT if lane is encoder else ends[-1] + 2]
        paths = bands(xs, lane.rows, 0.62 * lane.pitch / thickest * stream)
        if lane is encoder:
            sketch.fill(paths, faded(blend(theme.residual, lane.accent, 0.3), 0.36))
        else:
            sketch.fill(paths[:selected], faded(theme.residual, 0.36))
            sketch.fill([paths[selected]], faded(blend(theme.residual, lane.accent, 0.5), 0.75))
            sketch.fill(paths[selected + 1 :], faded(theme.residual, 0.18))


def draw_attention(sketch: Sketch, lane: Lane, weights: np.ndarray, threshold: float, selected: int | None) -> None:
    """Self-attention of every layer; in the decoder the selected row stands out, what comes after it is faint."""
    unit, count = 0.8 * lane.pitch, len(lane.rows)
    if selected is None:
        groups: tuple[tuple[Sequence[int], float, float], ...] = ((range(count), 0.12, 0.6),)
    else:
        groups = ((range(selected + 1, count), 0.06, 0.2), (range(selected), 0.1, 0.45), ((selected,), 0.35, 0.9))
    for queries, faint, full in groups:
        found: dict[int, list[str]] = {}
        for layer, zones in enumerate(lane.zones):
            x = (zones[0][0] + 4, zones[0][1] - 7)
            for step, path in attention_ribbons(weights[layer], lane.rows, x, unit, threshold, queries):
                found.setdefault(step, []).append(path)
        for step, paths in sorted(found.items()):
            opacity = faint + (full - faint) * LEVELS[step]
            sketch.strokes(paths, faded(sketch.theme.attention, opacity), unit * LEVELS[step])


def draw_cross_attention(
    sketch: Sketch, flow: Flow, encoder: Lane, decoder: Lane, selected: int, threshold: float
) -> None:
    """What the selected row reads from the memory: ribbons that run along the memory and fall side by side."""
    theme, y, unit = sketch.theme, decoder.rows[selected], 0.8 * decoder.pitch
    plates = []
    for zones, layer_weights in zip(decoder.zones, flow.cross_weights, strict=True):
        (a, b), weights = zones[1], layer_weights[selected]
        drawn = np.flatnonzero(weights >= threshold)
        full, total = min(b - a - 20, 28.0), float(weights[drawn].sum())  # `full` is how wide weight 1 falls
        left, lower = (a + b) / 2 - 3 - full * total / 2, y + unit * total / 2
        end = left + full * total
        for key in reversed(drawn):  # the lowest row falls leftmost: nothing crosses
            weight, rail = float(weights[key]), encoder.rows[key]
            start, fall = (a - 38, rail), (left, left + full * weight)
            path = waterfall(start, fall, y - 24, (b - 5, lower - unit * weight, lower))
            sketch.fill([path], faded(theme.attention, 0.3 + 0.6 * weight))
            left, lower = left + full * weight, lower - unit * weight
            if weight >= LOUD:
                sketch.text(end + 4, rail, number(weight), colour=theme.attention, size=11, at="middle right")
                plates.append(box(end + 3, rail - 6, end + 29, rail + 6, 3))
    sketch.fill(plates, blend(theme.background, encoder.accent, 0.07))


def draw_tokens(sketch: Sketch, flow: Flow, encoder: Lane, decoder: Lane, selected: int) -> None:
    """Chips: source tokens, decoder input, what each decoder row predicts, and the names of the memory's rows."""
    theme, size = sketch.theme, 13 if encoder.pitch >= 17 else 12 if encoder.pitch >= 15 else 11
    height = encoder.pitch - 3
    columns = (
        (encoder, encoder.chips, flow.source, 14),
        (decoder, decoder.chips, flow.target, 13),
        (decoder, PREDICTED, flow.predicted, 11),
    )
    for lane, (a, b), tokens, limit in columns:
        for i, (y, token) in enumerate(zip(lane.rows, tokens, strict=True)):
            lit, label = lane is decoder and i == selected, short(token, limit)
            sketch.chip(a, b, y, height, lane.accent if lit else faded(lane.accent, 0.16))
            sketch.text(
                (a + b) / 2,
                y,
                f"<b>{label}</b>" if lit else label,
                size=size,
                colour=theme.background if lit else theme.text,
            )
    read = flow.cross_weights[:, selected].mean(0) >= LOUD
    for y, token, strong in zip(encoder.rows, flow.source, read, strict=True):
        label = short(token, 12)
        colour = theme.text if strong else theme.muted
        sketch.text(RIGHT + 6, y, f"<b>{label}</b>" if strong else label, size=size, colour=colour, at="middle right")


def draw_reading(sketch: Sketch, flow: Flow, encoder: Lane, selected: int) -> None:
    """At the memory's end: how much the selected row reads of each source token, over all layers."""
    theme, (a, b) = sketch.theme, READ
    weights, height = flow.cross_weights[:, selected].mean(0), min(10, encoder.pitch - 6)
    x, y = (a + OUTPUT[1]) / 2 - 2, encoder.top - HEADER + 15
    sketch.text(x, y, f"<b>{short(flow.target[selected], 11)}</b> reads", size=13, colour=theme.attention)
    sketch.text(x, y + 15, f"mean of {len(flow.cross_weights)} layers", colour=theme.muted)
    for y, weight in zip(encoder.rows, weights.tolist(), strict=True):
        sketch.chip(a, b, y, height, faded(theme.background, 0.7), 2)
        sketch.chip(a, a + max(1.0, (b - a) * weight), y, height, faded(theme.attention, 0.75), 2)
        colour = theme.text if weight >= LOUD else theme.muted
        sketch.text(b + 4, y, probability(weight), size=11, colour=colour, at="middle right")


def draw_numbers(sketch: Sketch, flow: Flow, encoder: Lane, decoder: Lane, selected: int) -> None:
    """Under each sublayer: how much it changes the stream, and how many neurons of the feed-forward layer fire."""
    theme = sketch.theme
    largest = float(max(flow.encoder_updates.mean(-1).max(), flow.decoder_updates[..., selected].max()))
    parts = (
        (encoder, flow.encoder_updates.mean(-1), flow.encoder_active.mean(-1), "mean of tokens"),
        (decoder, flow.decoder_updates[..., selected], flow.decoder_active[..., selected], "selected row"),
    )
    for lane, updates, active, whose in parts:
        y, x = lane.bottom + 13, lane.zones[0][0][0] - 4
        sketch.text(x, y, f"update ÷ stream, {whose}", size=11, colour=theme.muted, at="middle left")
        sketch.text(x, y + 17, "active neurons", size=11, colour=theme.muted, at="middle left")
        for zones, changes, firing in zip(lane.zones, updates.tolist(), active.tolist(), strict=True):
            for (a, b), change in zip(zones, changes, strict=True):
                middle = (a + b) / 2 - 2
                sketch.chip(middle - 16, middle + 16, y, 16, faded(theme.residual, 0.12), 4)
                sketch.chip(middle - 16, middle - 16 + 32 * change / largest, y, 16, faded(theme.residual, 0.28), 4)
                sketch.text(middle, y, number(change), size=11)
            sketch.text(sum(zones[-1]) / 2 - 2, y + 17, f"{100 * firing:.0f} %", size=11)


def draw_distribution(sketch: Sketch, flow: Flow, decoder: Lane, selected: int, bottom: float) -> None:
    """The end: the selected row's stream fans out into the most probable next tokens and all the others."""
    theme, step, unit, y = sketch.theme, 22, decoder.pitch - 3, decoder.rows[selected]
    values = flow.probabilities[selected].tolist()
    values.append(max(0.0, 1 - sum(values)))
    labels = [*(short(token, 11) for token in flow.candidates[selected]), others(flow)]
    head, (a, b) = decoder.top - HEADER + 2, BARS
    sketch.fill([box(OUTPUT[0], head, OUTPUT[1], bottom - 2, 10)], faded(decoder.accent, 0.07))
    sketch.text(a - 2, head + 13, "<b>OUTPUT</b>", colour=decoder.accent, size=13, at="middle right")
    sketch.text(a - 2, head + 28, "which token is next?", colour=theme.muted, at="middle right")
    top = float(np.clip(y - step * len(values) / 2, head + 44, bottom - 10 - step * len(values)))
    fans = []
    start = y - unit / 2
    for i, (label, value) in enumerate(zip(labels, values, strict=True)):
        middle, is_rest = top + step * (i + 0.5), i == len(values) - 1
        fans.append(ribbon(PREDICTED[1] - 1, start + unit * value / 2, a, middle, max(unit * value, 0.5)))
        start += unit * value
        tint = faded(theme.residual, 0.25) if is_rest else faded(decoder.accent, 0.45)
        sketch.chip(a, b, middle, 18, faded(theme.background, 0.7), 3)
        sketch.chip(a, a + max(1.0, (b - a) * value), middle, 18, tint, 3)
        picked = not is_rest and int(flow.candidate_ids[selected, i]) == flow.predicted_ids[selected]
        colour = theme.muted if is_rest else theme.text
        sketch.text(a + 2, middle, f"<b>{label}</b>" if picked else label, colour=colour, at="middle right")
        sketch.text(b - 2, middle, probability(value), colour=colour, at="middle left")
        part = ("head", selected) if is_rest else ("candidate", int(flow.candidate_ids[selected, i]))
        for x in (a + 20, b - 20):
            sketch.target(x, middle, *part, hover=f"{label}: probability {probability(value)}")
    sketch.fill(fans[:-1], faded(decoder.accent, 0.45))
    sketch.fill(fans[-1:], faded(theme.residual, 0.25))


def others(flow: Flow) -> str:
    """What the last bar stands for."""
    return f"{flow.vocab_size - flow.probabilities.shape[1]:,} others".replace(",", "\u2009")


def draw_legend(sketch: Sketch, flow: Flow, decoder: Lane, threshold: float) -> None:
    """How to read the map, in the empty corner below the encoder."""
    theme, y = sketch.theme, decoder.top - HEADER + 15
    heads = f"mean of {flow.n_heads} heads" if flow.head is None else f"head {flow.head + 1} of {flow.n_heads}"
    bound = number(strip_bound(flow), 1)
    sketch.text(6, y, "<b>HOW TO READ IT</b>", colour=theme.muted, size=13, at="middle right")

    def entry(y: float, text: str) -> None:
        sketch.text(48, y, text, at="middle right")

    y += 27
    sketch.fill(bands([8, 27, 30, 40], [y], np.array([[6], [10], [6], [6]])), faded(theme.residual, 0.5))
    entry(y, "<b>band</b>: a token's vector; thickness = its length ‖x‖")
    y += 31
    sketch.fill([ribbon(8, y - 5, 40, y + 5, 6)], faded(theme.attention, 0.6))
    entry(y, f"<b>ribbon</b>: attention, {heads};<br>width = weight, weights ≥ {number(threshold)} are drawn")
    y += 39
    for i, share in enumerate((-1, -0.3, 0.2, 0.9)):
        colour = blend(theme.zero, theme.positive if share > 0 else theme.negative, abs(share))
        sketch.fill([box(8 + 8 * i, y - 5, 16 + 8 * i, y + 5, 0)], colour)
    entry(y, f"<b>strip</b>: {len(flow.dimensions)} of a vector's {flow.d_model} numbers,<br>blue −{bound} … vermillion +{bound}")
    y += 39
    sketch.fill([box(8, y - 8, 40, y + 8, 4)], faded(theme.residual, 0.12))
    sketch.fill([box(8, y - 8, 28, y + 8, 4)], faded(theme.residual, 0.28))
    entry(y, "<b>update</b>: length of what a sublayer adds<br>÷ length of the vector it is added to")
    y += 31
    sketch.fill([ribbon(8, y, 40, y - 5, 6), ribbon(8, y, 40, y + 5, 3)], faded(theme.target, 0.5))
    entry(y, "<b>fan</b>: probability of the next token, in all 1")


def add_targets(sketch: Sketch, flow: Flow, encoder: Lane, decoder: Lane, selected: int) -> None:
    """What can be pointed at and clicked: tokens, strips, every sublayer's rows, the memory, the predictions."""
    source, target, predicted = (
        [for_plotly(token_label(token)) for token in tokens] for tokens in (flow.source, flow.target, flow.predicted)
    )
    stride = 1 if encoder.pitch > 15 else 2  # long sentences: every other row of a sublayer
    for lane, side, tokens in ((encoder, "source", source), (decoder, "target", target)):
        for i, (y, token) in enumerate(zip(lane.rows, tokens, strict=True)):
            sketch.target(sum(lane.chips) / 2, y, f"{side}_token", i, hover=token)
        for i in range(0, len(tokens), 3 if len(tokens) > 5 else 1):
            for (a, b), kind in zip(lane.strips, ("embedding", "position"), strict=True):
                sketch.target((a + b) / 2, lane.rows[i], f"{side}_{kind}", i, hover=tokens[i])
    add_sublayers(sketch, encoder, stride, flow.encoder_updates, flow.encoder_active, [(flow.encoder_weights, source, source)])
    across = (flow.cross_weights, target, source)
    add_sublayers(
        sketch, decoder, stride, flow.decoder_updates, flow.decoder_active, [(flow.decoder_weights, target, target), across]
    )
    for y, token, length, read in zip(
        encoder.rows, source, flow.source_stream[-1].tolist(), flow.cross_weights[:, selected].T.tolist(), strict=True
    ):
        i = encoder.rows.index(y)
        sketch.target(RIGHT + 40, y, "memory", i, hover=f"{token}: ‖x‖ = {number(length, 1)}")
        for layer, (zones, weight) in enumerate(zip(decoder.zones, read, strict=True)):
            name, words = f"decoder.layers.{layer}.cross_attention", f"{target[selected]} → {token} {number(weight, 3)}"
            if weight >= 0.05:
                sketch.target(sum(zones[1]) / 2 + 30, y, name, selected, i, hover=words)
    for i, (y, token, then, value) in enumerate(zip(decoder.rows, target, predicted, flow.chosen.tolist(), strict=True)):
        sketch.target(sum(PREDICTED) / 2, y, "head", i, hover=f"{token} → {then}: {probability(value)}")


def add_sublayers(
    sketch: Sketch,
    lane: Lane,
    stride: int,
    updates: np.ndarray,
    active: np.ndarray,
    attention: Sequence[tuple[np.ndarray, Sequence[str], Sequence[str]]],
) -> None:
    """A target per sublayer and row, with what this row does there.

    Args:
        sketch: The paper.
        lane: Encoder or decoder.
        stride: Only every so many rows.
        updates: ‖f(x)‖ / ‖x‖, `[layer, sublayer, row]`.
        active: Share of active neurons, `[layer, row]`.
        attention: For each attention sublayer in order its weights, its queries' and its keys' names.
    """
    for layer, zones in enumerate(lane.zones):
        for kind, ((sublayer, *_), (a, b)) in enumerate(zip(SUBLAYERS[lane.name], zones, strict=True)):
            part, change = f"{lane.name}.layers.{layer}.{sublayer}", updates[layer, kind].tolist()
            queries = attention[0][1]
            if kind < len(attention):
                weights, _, keys = attention[kind]
                best, most = weights[layer].argmax(-1).tolist(), weights[layer].max(-1).tolist()
                says = [f"{q} → {keys[k]} {number(w)}" for q, k, w in zip(queries, best, most, strict=True)]
            else:
                says = [f"{q}: {100 * share:.0f} % active" for q, share in zip(queries, active[layer].tolist(), strict=True)]
                says = [f"{each}<br>update {number(more)}" for each, more in zip(says, change, strict=True)]
            for i in range(0, len(lane.rows), stride if kind < len(attention) else 3):
                sketch.target(round((a + b) / 2), lane.rows[i], part, i, hover=says[i])


ALL_BLOCKS = {
    "tokens": ("Tokens and<br>embeddings", "source_embedding"),
    "positions": ("Positions", "source_position"),
    "self_attention": ("Self-attention", "encoder.layers.0.self_attention"),
    "blocks": ("Feed-forward,<br>blocks", "encoder.layers.0.feed_forward"),
    "memory": ("Memory", "memory"),
    "masks": ("Masked<br>self-attention", "decoder.layers.0.self_attention"),
    "cross_attention": ("Cross-attention", "decoder.layers.0.cross_attention"),
    "head": ("Output head", "head"),
}


def slim_flow_map(current: str, theme: Theme) -> dict[str, Any]:
    """The map as one line, for the top of a lesson: the block called `current` is lit, each block can be clicked.

    Args:
        current: A key of ALL_BLOCKS; anything else lights none.
        theme: The colours.
    """
    sketch = Sketch(theme)
    height, gap, count = 70, 22, len(ALL_BLOCKS)
    width = (WIDTH - 8 - gap * (count - 1)) / count
    sketch.fill([box(4, 33, WIDTH - 4, 37, 2)], faded(theme.residual, 0.4))
    for i, (name, (label, part)) in enumerate(ALL_BLOCKS.items()):
        x, accent = 4 + i * (width + gap), theme.source if i < 5 else theme.target
        lit = name == current
        sketch.fill([box(x, 14, x + width, 56, 10)], theme.background)
        sketch.fill([box(x, 14, x + width, 56, 10)], accent if lit else faded(accent, 0.14))
        colour = theme.background if lit else theme.text
        sketch.text(x + width / 2, 35, f"<b>{label}</b>" if lit else label, size=13, colour=colour)
        for share in (0.2, 0.5, 0.8):
            sketch.target(x + width * share, 35, part, hover=label.replace("<br>", " "))
    return sketch.figure(height, size=30)
