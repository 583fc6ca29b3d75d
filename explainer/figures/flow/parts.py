"""The two stacks of the flow map: where tokens and sublayers stand, the streams and the attention."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from explainer.figures.flow.sketch import Sketch, bands, box, num, waterfall
from explainer.figures.style import Theme, blend, diverging, faded, number, span
from explainer.language import _, mark
from explainer.measures.anatomy import Side
from explainer.measures.flow import FlowNumbers

HEIGHT = 640  # of the picture, as long as the rows keep their least height
HEADER, FOOTER, GAP = 54, 42, 10  # the titles above the rows, the numbers below them, between the stacks
MEMORY_END, PREDICTED, OUTPUT = 966, (973, 1047), (1068, 1198)
LEAST, LOUD = 0.05, 0.1  # from here on the selected row's weights are drawn, those of cross-attention written

SUBLAYERS = {  # hook name, title, share of the layer's width
    "encoder": (
        ("self_attention", mark("self-<br>attention"), 0.57),
        ("feed_forward", mark("feed-<br>forward"), 0.43),
    ),
    "decoder": (
        ("self_attention", mark("masked self-"), 0.41),
        ("cross_attention", mark("cross-"), 0.34),
        ("feed_forward", mark("feed-<br>forward"), 0.25),
    ),
}
STACKS = {"encoder": mark("ENCODER"), "decoder": mark("DECODER")}


@dataclass(frozen=True)
class Lane:
    """Where one stack stands: its columns in x, its token rows in y, `pitch` from one to the next.

    Chips, strips (the token's, the position's) and zones (`[layer][sublayer]`) are left and right edges. The name is
    the first part of the stack's hooks' names.
    """

    name: Side
    accent: str
    chips: tuple[int, int]
    strips: tuple[tuple[int, int], tuple[int, int]]
    zones: list[list[tuple[float, float]]]
    rows: list[int]
    pitch: int

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


def lanes(flow: FlowNumbers, theme: Theme) -> tuple[Lane, Lane]:
    """Encoder and decoder. Every token has a row: long sentences make the picture taller."""
    n_source, n_target = len(flow.source), len(flow.target)
    pitch = int(np.clip((HEIGHT - 2 * (HEADER + FOOTER) - GAP) / (n_source + n_target), 13, 30))
    target_top = HEADER + n_source * pitch + FOOTER + GAP + HEADER

    def rows(top: int, count: int) -> list[int]:
        return [top + pitch // 2 + pitch * i for i in range(count)]

    def zones(left: float, right: float, n_layers: int, side: str) -> list[list[tuple[float, float]]]:
        shares = np.cumsum([0, *(share for *__, share in SUBLAYERS[side])])
        width = (right - left) / n_layers
        edges = [(left + width * (layer + shares)).round().tolist() for layer in range(n_layers)]
        return [list(pairwise(each)) for each in edges]

    source_zones = zones(174, 550, len(flow.encoder_weights), "encoder")
    target_zones = zones(522, MEMORY_END, len(flow.decoder_weights), "decoder")
    source_strips, target_strips = ((92, 126), (134, 168)), ((437, 471), (479, 513))
    above, below = rows(HEADER, n_source), rows(target_top, n_target)
    return (
        Lane("encoder", theme.source, (8, 86), source_strips, source_zones, above, pitch),
        Lane("decoder", theme.target, (348, 430), target_strips, target_zones, below, pitch),
    )


def draw_panel(sketch: Sketch, lane: Lane, right: float, bottom: float, does: str, note: str) -> None:
    """A stack's soft background, its title, and a card per layer."""
    theme, left, top = sketch.theme, lane.chips[0] - 6, lane.top - HEADER + 2
    sketch.fill([box(left, top, right, bottom, 10)], faded(lane.accent, 0.07))
    title = f'<b>{_(STACKS[lane.name])}</b> <span style="color:{theme.muted};font-size:12px">{does}</span>'
    sketch.text(left + 4, top + 12, title, colour=readable(lane.accent, theme), size=14, at="middle right")
    sketch.text(left + 4, top + 26, note, colour=theme.muted, at="middle right")
    (token, __), (__, position) = lane.strips
    sketch.text(token - 3, lane.top - 10, _("token"), colour=theme.muted, size=11, at="middle right")
    sketch.text(position + 3, lane.top - 10, _("+ position"), colour=theme.muted, size=11, at="middle left")
    cards = [box(zones[0][0] + 1, lane.top - 3, zones[-1][1] - 2, lane.bottom + 3, 6) for zones in lane.zones]
    sketch.fill(cards, faded(theme.background, 0.7))
    plates = [box(a + 4, lane.top - 1, b - 9, lane.bottom + 1, 6) for *__, (a, b) in lane.zones]
    sketch.fill(plates, faded(theme.residual, 0.1))


def readable(accent: str, theme: Theme) -> str:
    """The accent as a colour of text: nearer to the text's, for its contrast."""
    return blend(accent, theme.text, 0.3)


def draw_headers(sketch: Sketch, lane: Lane) -> None:
    """Above the columns: the layer, and what each sublayer does; on a plate where ribbons pass behind."""
    theme, y, plates = sketch.theme, lane.top - 25, []
    for layer, zones in enumerate(lane.zones):
        name = _("<b>layer {layer}</b>").format(layer=layer + 1)
        sketch.text(zones[0][0] - 1, y - 15, name, colour=theme.muted, size=11, at="middle right")
        for (__, title, __), (a, b) in zip(SUBLAYERS[lane.name], zones, strict=True):
            first, __, second = _(title).partition("<br>")
            sketch.text((a + b) / 2 - 1, y, first, colour=theme.muted, size=11)
            sketch.text((a + b) / 2 - 1, y + 14, second, colour=theme.muted, size=11)
        if len(zones) == 3:  # masked self- and cross-attention share the second word
            x = (sum(zones[0]) + sum(zones[1])) / 4 - 1
            sketch.text(x, y + 14, _("attention"), colour=theme.muted, size=11)
            plates.append(box(zones[1][0] - 2, y - 7, zones[1][1] - 4, y + 20, 5))
    sketch.fill(plates, faded(blend(theme.background, lane.accent, 0.07), 0.92))


def draw_embeddings(
    sketch: Sketch, lane: Lane, token: np.ndarray, position: np.ndarray, bound: float
) -> None:
    """Token and position vectors as strips of signed cells."""
    gap = np.full((len(token), 1), np.nan)
    edges = [np.linspace(*strip, token.shape[1] + 1) for strip in lane.strips]
    sketch.strips.append(
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


def strip_bound(flow: FlowNumbers) -> float:
    """The value of the strongest colour of all embedding strips."""
    parts = (flow.source_embedding, flow.source_position, flow.target_embedding, flow.target_position)
    return span(np.concatenate([part.ravel() for part in parts]))


def draw_streams(sketch: Sketch, flow: FlowNumbers, encoder: Lane, decoder: Lane, selected: int) -> None:
    """One band per token: the residual stream, as thick as its vector is long; the memory's bands run on."""
    theme, y = sketch.theme, decoder.rows[selected]
    halo = box(decoder.chips[0] - 3, y - decoder.pitch / 2, PREDICTED[1] + 3, y + decoder.pitch / 2, 6)
    sketch.fill([halo], faded(decoder.accent, 0.2))
    usual = float(np.median(np.concatenate([flow.source_stream.ravel(), flow.target_stream.ravel()])))
    unit = decoder.pitch * min(0.9 / longest(flow), 0.36 / usual)
    for lane, stream in ((encoder, flow.source_stream), (decoder, flow.target_stream)):
        ends = [b for zones in lane.zones for __, b in zones]
        last = MEMORY_END if lane is encoder else lane.end + 2
        stations = [lane.strips[1][1] + 4, *(x for b in ends for x in (b - 4, b - 4)), last]
        paths = bands(stations, lane.rows, unit * stream)
        if lane is encoder:
            sketch.fill(paths, faded(blend(theme.residual, lane.accent, 0.3), 0.36))
        else:
            sketch.fill(paths[:selected], faded(theme.residual, 0.36))
            sketch.fill([paths[selected]], faded(blend(theme.residual, lane.accent, 0.5), 0.75))
            sketch.fill(paths[selected + 1 :], faded(theme.residual, 0.18))


def longest(flow: FlowNumbers) -> float:
    """The largest ‖x‖ of the map: the thickest place of all bands."""
    return float(max(flow.source_stream.max(), flow.target_stream.max()))


# A ribbon is as wide as the step that is nearest to its weight: ribbons of one width share a shape.
STEPS = np.array([0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])


def threshold_for(weights: Iterable[Float[np.ndarray, "..."]], budget: int) -> float:
    """The least of a few round thresholds at which at most `budget` weights are drawn."""
    flat = np.concatenate([each.ravel() for each in weights])
    for threshold in (LEAST, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4):
        if np.count_nonzero(flat >= threshold) <= budget:
            return threshold
    return 0.5


def attention_ribbons(
    weights: Float[np.ndarray, "query key"],
    rows: Sequence[float],
    x: tuple[float, float],
    unit: float,
    threshold: float,
    queries: Sequence[int],
) -> list[tuple[int, str]]:
    """Centre lines of the ribbons from each key's row to some queries' rows, each with its step of width.

    Those that arrive at one query are stacked in the order of the keys: weight 1 in all, `unit` high.
    """
    if not queries:
        return []
    chosen = list(queries)
    middle, some = np.asarray(rows), weights[chosen]
    ends = middle[chosen, None] + unit * (
        np.cumsum(some, axis=1) - some / 2 - some.sum(axis=1, keepdims=True) / 2
    )
    query, key = np.nonzero(some >= threshold)
    steps = np.searchsorted((STEPS[1:] + STEPS[:-1]) / 2, some[query, key]).tolist()
    left, centre, right = num(x[0]), round(sum(x) / 2), num(x[1])
    form = f"M{left},%gC{centre},%g {centre},%g {right},%g"
    lines = zip(steps, middle[key].tolist(), ends[query, key].round(1).tolist(), strict=True)
    return [(step, form % (a, a, b, b)) for step, a, b in lines]


def draw_attention(
    sketch: Sketch, lane: Lane, weights: np.ndarray, threshold: float, selected: int | None = None
) -> None:
    """Self-attention of every layer. A selected row stands out, the rows after it are faint."""
    unit, count = 0.8 * lane.pitch, len(lane.rows)
    groups: list[tuple[Sequence[int], float, float]] = [(range(count), 0.12, 0.6)]  # rows, opacity of 0 and 1
    if selected is not None:
        before, after = range(selected), range(selected + 1, count)
        groups = [(after, 0.06, 0.2), (before, 0.1, 0.45), ([selected], 0.35, 0.9)]
    for queries, faint, full in groups:
        found: dict[int, list[str]] = {}
        cut = LEAST if list(queries) == [selected] else threshold
        for zones, of_layer in zip(lane.zones, weights, strict=True):
            x = (zones[0][0] + 4, zones[0][1] - 7)
            for step, path in attention_ribbons(of_layer, lane.rows, x, unit, cut, queries):
                found.setdefault(step, []).append(path)
        for step, paths in sorted(found.items()):
            opacity = faint + (full - faint) * STEPS[step]
            sketch.stroke(paths, faded(sketch.theme.attention, opacity), unit * STEPS[step])


def draw_cross_attention(
    sketch: Sketch, flow: FlowNumbers, encoder: Lane, decoder: Lane, selected: int
) -> None:
    """What the selected row reads from the memory: ribbons that run along it and fall side by side."""
    theme, y, unit, plates = sketch.theme, decoder.rows[selected], 0.8 * decoder.pitch, []
    for zones, of_layer in zip(decoder.zones, flow.cross_weights, strict=True):
        (a, b), weights = zones[1], of_layer[selected]
        drawn = np.flatnonzero(weights >= LEAST)
        full, total = min(b - a - 20, 28.0), float(weights[drawn].sum())  # weight 1 falls `full` wide
        left, lower = (a + b) / 2 - 3 - full * total / 2, y + unit * total / 2
        label = left + full * total + 4
        for key in reversed(drawn):  # the lowest row falls leftmost: nothing crosses
            weight, rail = float(weights[key]), encoder.rows[key]
            right, upper = left + full * weight, lower - unit * weight
            path = waterfall((a - 34, rail), (left, right), y - 24, (b - 5, upper, lower))
            sketch.fill([path], faded(theme.attention, 0.3 + 0.6 * weight))
            left, lower = right, upper
            if weight >= LOUD:
                sketch.text(label, rail, number(weight), colour=theme.attention, size=11, at="middle right")
                plates.append(box(label, rail - 6, label + 23, rail + 6))
    sketch.fill(plates, blend(theme.background, encoder.accent, 0.07))
