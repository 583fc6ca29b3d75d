"""What stands around the stacks of the flow map: tokens, numbers, output, legend, places to click."""

from collections.abc import Sequence

import numpy as np

from explainer.figures.amounts import others
from explainer.figures.flow.parts import (
    HEADER,
    LEAST,
    LOUD,
    MEMORY_END,
    OUTPUT,
    PREDICTED,
    SUBLAYERS,
    Lane,
    longest,
    readable,
    strip_bound,
)
from explainer.figures.flow.sketch import Sketch, bands, box, name_of, ribbon
from explainer.figures.style import blend, faded, number, probability
from explainer.language import _
from explainer.measures.anatomy import attention_path, layer_path
from explainer.measures.flow import FlowNumbers

READ, BARS = (1060, 1146), (1077, 1191)  # what the selected row reads; the candidates


def draw_tokens(sketch: Sketch, flow: FlowNumbers, encoder: Lane, decoder: Lane, selected: int) -> None:
    """Chips: source tokens, decoder input, what each row predicts; and the names of the memory's rows."""
    theme, pitch = sketch.theme, encoder.pitch
    size = 13 if pitch >= 17 else 12 if pitch >= 15 else 11
    columns = (
        (encoder, encoder.chips, flow.source),
        (decoder, decoder.chips, flow.target),
        (decoder, PREDICTED, flow.predicted),
    )
    for lane, (a, b), tokens in columns:
        limit = int((b - a) / (0.53 * size))  # characters
        for i, (y, token) in enumerate(zip(lane.rows, tokens, strict=True)):
            lit, label = lane is decoder and i == selected, name_of(token, limit)
            sketch.chip(a, b, y, pitch - 3, lane.accent if lit else faded(lane.accent, 0.16))
            colour = theme.background if lit else theme.text
            sketch.text((a + b) / 2, y, f"<b>{label}</b>" if lit else label, size=size, colour=colour)
    read = flow.cross_weights[:, selected].mean(axis=0) >= LOUD
    for y, token, much in zip(encoder.rows, flow.source, read.tolist(), strict=True):
        label, colour = name_of(token, 12), theme.text if much else theme.muted
        label = f"<b>{label}</b>" if much else label
        sketch.text(MEMORY_END + 6, y, label, size=size, colour=colour, at="middle right")
    sketch.text(sum(decoder.chips) / 2, decoder.top - 10, _("input"), size=12, colour=theme.muted)
    sketch.text(sum(PREDICTED) / 2, decoder.top - 10, _("→ predicts"), size=12, colour=theme.muted)


def draw_memory(sketch: Sketch, flow: FlowNumbers, encoder: Lane, selected: int, language: str) -> None:
    """The memory's title; at its end how much the selected row reads of each token, over all layers."""
    theme, (a, b), y = sketch.theme, READ, encoder.top - HEADER + 15
    x = (encoder.end + MEMORY_END) / 2
    sketch.text(x, y, _("<b>MEMORY</b>"), colour=readable(encoder.accent, theme), size=14)
    note = _("one vector per {language} token, read by every decoder layer").format(language=language)
    sketch.text(x, y + 15, note, colour=theme.muted)
    weights, height = flow.cross_weights[:, selected].mean(axis=0), min(10, encoder.pitch - 6)
    x = (a + OUTPUT[1]) / 2 - 2
    reads = _("<b>{token}</b> reads").format(token=name_of(flow.target[selected], 11))
    sketch.text(x, y, reads, size=14, colour=theme.attention)
    sketch.text(x, y + 15, _("mean of {n} layers").format(n=len(flow.cross_weights)), colour=theme.muted)
    for y, weight in zip(encoder.rows, weights.tolist(), strict=True):
        sketch.chip(a, b, y, height, faded(theme.background, 0.7), 2)
        sketch.chip(a, a + max(1.0, (b - a) * weight), y, height, faded(theme.attention, 0.75), 2)
        colour = theme.text if weight >= LOUD else theme.muted
        sketch.text(b + 4, y, probability(weight), size=12, colour=colour, at="middle right")


def draw_numbers(
    sketch: Sketch, lane: Lane, updates: np.ndarray, active: np.ndarray, whose: str, largest: float
) -> None:
    """Under each sublayer how much it changes the stream, and how many feed-forward neurons fire.

    The update is ‖f(x)‖ / ‖x‖ `[layer, sublayer]` of the rows `whose`, and `largest` fills its chip; `active` is the
    share of neurons above zero, per layer.
    """
    theme, y, x = sketch.theme, lane.bottom + 13, lane.zones[0][0][0] - 4
    sketch.text(
        x, y, _("update ÷ stream, {whose}").format(whose=whose), size=12, colour=theme.muted, at="middle left"
    )
    sketch.text(x, y + 17, _("active neurons"), size=12, colour=theme.muted, at="middle left")
    for zones, changes, firing in zip(lane.zones, updates.tolist(), active.tolist(), strict=True):
        for (a, b), change in zip(zones, changes, strict=True):
            left, right = (a + b) / 2 - 18, (a + b) / 2 + 14
            sketch.chip(left, right, y, 16, faded(theme.residual, 0.12), 4)
            sketch.chip(left, left + 32 * change / largest, y, 16, faded(theme.residual, 0.28), 4)
            sketch.text((left + right) / 2, y, number(change), size=12)
        sketch.text(sum(zones[-1]) / 2 - 2, y + 17, f"{100 * firing:.0f} %", size=12)


def draw_distribution(sketch: Sketch, flow: FlowNumbers, decoder: Lane, selected: int, bottom: float) -> None:
    """The end: the selected row's stream fans out into the most probable next tokens and all the others."""
    theme, step, unit, y = sketch.theme, 22, decoder.pitch - 3, decoder.rows[selected]
    values = flow.probabilities[selected].tolist()
    values.append(max(0.0, 1 - sum(values)))
    labels = [name_of(token, 11) for token in flow.candidates[selected]]
    labels.append(others(flow.vocab_size - len(labels)))
    head, (a, b), start, fans = decoder.top - HEADER + 2, BARS, y - unit / 2, []
    sketch.fill([box(OUTPUT[0], head, OUTPUT[1], bottom, 10)], faded(decoder.accent, 0.07))
    strong = readable(decoder.accent, theme)
    sketch.text(a - 2, head + 13, _("<b>OUTPUT</b>"), colour=strong, size=14, at="middle right")
    sketch.text(a - 2, head + 28, _("which token is next?"), colour=theme.muted, at="middle right")
    top = float(np.clip(y - step * len(values) / 2, head + 44, bottom - 8 - step * len(values)))
    for i, (label, value) in enumerate(zip(labels, values, strict=True)):
        middle, rest = top + step * (i + 0.5), i == len(values) - 1
        fans.append(ribbon(PREDICTED[1] - 1, start + unit * value / 2, a, middle, max(unit * value, 0.5)))
        start += unit * value
        sketch.chip(a, b, middle, 18, faded(theme.background, 0.7), 3)
        tint = faded(theme.residual, 0.25) if rest else faded(decoder.accent, 0.4)
        sketch.chip(a, a + max(1.0, (b - a) * value), middle, 18, tint, 3)
        token_id = -1 if rest else int(flow.candidate_ids[selected, i])
        label = f"<b>{label}</b>" if token_id == flow.predicted_ids[selected] else label
        colour = theme.muted if rest else theme.text
        sketch.text(a + 3, middle, label, colour=colour, at="middle right")
        sketch.text(b - 3, middle, probability(value), colour=colour, at="middle left")
        part = ("head", selected) if rest else ("candidate", token_id)
        hover = _("{token}: probability {p}").format(token=label, p=probability(value))
        for x in (a + 20, b - 20):
            sketch.target(x, middle, *part, hover=hover)
    sketch.fill(fans[:-1], faded(decoder.accent, 0.4))
    sketch.fill(fans[-1:], faded(theme.residual, 0.25))


def draw_legend(sketch: Sketch, flow: FlowNumbers, top: float, threshold: float) -> None:
    """How to read the map, in the empty corner below the encoder."""
    theme, bound = sketch.theme, number(strip_bound(flow), 1)
    heads = _("mean of {n} heads") if flow.head is None else _("head {head} of {n}")
    heads = heads.format(n=flow.n_heads, head=None if flow.head is None else flow.head + 1)
    if threshold > LEAST:
        drawn = _("drawn from {threshold} up,<br>in the selected row from {least} up")
    else:
        drawn = _("drawn from {threshold} up")
    drawn = drawn.format(threshold=number(threshold), least=number(LEAST))
    entries = (
        _("<b>band</b>: a token's vector; thickness =<br>its length ‖x‖, at most {longest}").format(
            longest=number(longest(flow), 1)
        ),
        _("<b>ribbon</b>: attention, {heads};<br>width = weight, {drawn}").format(heads=heads, drawn=drawn),
        _("<b>strip</b>: {n} of a vector's {d_model} numbers,<br>blue −{bound} … vermillion +{bound}").format(
            n=len(flow.dimensions), d_model=flow.d_model, bound=bound
        ),
        _("<b>update</b>: length of what a sublayer adds<br>÷ length of the vector it is added to"),
        _("<b>fan</b>: probability of the next token, in all 1"),
    )
    sketch.text(6, top, _("<b>HOW TO READ IT</b>"), colour=theme.muted, size=14, at="middle right")
    steps = [0, 38, 38, 38, 31] if threshold <= LEAST else [0, 44, 46, 38, 31]
    ys = [top + 32 + step for step in np.cumsum(steps).tolist()]
    for y, entry in zip(ys, entries, strict=True):
        sketch.text(48, y, entry, at="middle right")
    sketch.fill(bands([8, 29, 29, 40], ys[:1], np.array([[5.0], [11], [5], [5]])), faded(theme.residual, 0.5))
    sketch.fill([ribbon(8, ys[1] - 5, 40, ys[1] + 5, 6)], faded(theme.attention, 0.6))
    for i, share in enumerate((-1, -0.3, 0.2, 0.9)):
        colour = blend(theme.zero, theme.positive if share > 0 else theme.negative, abs(share))
        sketch.fill([box(8 + 8 * i, ys[2] - 5, 16 + 8 * i, ys[2] + 5)], colour)
    sketch.chip(8, 40, ys[3], 16, faded(theme.residual, 0.12), 4)
    sketch.chip(8, 28, ys[3], 16, faded(theme.residual, 0.28), 4)
    fan = [ribbon(8, ys[4] - 2, 40, ys[4] - 5, 6), ribbon(8, ys[4] + 3, 40, ys[4] + 6, 3)]
    sketch.fill(fan, faded(theme.target, 0.5))


def add_targets(sketch: Sketch, flow: FlowNumbers, encoder: Lane, decoder: Lane, selected: int) -> None:
    """What can be pointed at and clicked: tokens, strips, sublayers by row, the memory, the predictions."""
    source, target, predicted = (
        [name_of(token) for token in tokens] for tokens in (flow.source, flow.target, flow.predicted)
    )
    for lane, side, tokens in ((encoder, "source", source), (decoder, "target", target)):
        for i, (y, token) in enumerate(zip(lane.rows, tokens, strict=True)):
            sketch.target(sum(lane.chips) / 2, y, f"{side}_token", i, hover=token)
            if i % (1 if len(tokens) < 6 else 3) == 0:
                for strip, kind in zip(lane.strips, ("embedding", "position"), strict=True):
                    sketch.target(sum(strip) / 2, y, f"{side}_{kind}", i, hover=token)
    around, back = (flow.encoder_weights, source, source), (flow.decoder_weights, target, target)
    across = (flow.cross_weights, target, source)
    add_sublayers(sketch, encoder, flow.encoder_updates, flow.encoder_active, [around])
    add_sublayers(sketch, decoder, flow.decoder_updates, flow.decoder_active, [back, across])
    lengths, read = flow.source_stream[-1].tolist(), flow.cross_weights[:, selected].T.tolist()
    for i, (y, token) in enumerate(zip(encoder.rows, source, strict=True)):
        sketch.target(MEMORY_END + 40, y, "memory", i, hover=f"{token}: ‖x‖ = {number(lengths[i], 1)}")
        for layer, (zones, weight) in enumerate(zip(decoder.zones, read[i], strict=True)):
            if weight >= LEAST:
                part, hover = attention_path("cross", layer), f"{target[selected]} → {token} {number(weight)}"
                sketch.target(sum(zones[1]) / 2 + 30, y, part, selected, i, hover=hover)
    for i, (y, value) in enumerate(zip(decoder.rows, flow.chosen.tolist(), strict=True)):
        hover = f"{target[i]} → {predicted[i]}: {probability(value)}"
        sketch.target(sum(PREDICTED) / 2, y, "head", i, hover=hover)


def add_sublayers(
    sketch: Sketch,
    lane: Lane,
    updates: np.ndarray,
    active: np.ndarray,
    attention: Sequence[tuple[np.ndarray, Sequence[str], Sequence[str]]],
) -> None:
    """A target per sublayer and row that says what the row does there; some rows are left out to save bytes.

    Updates are `[layer, sublayer, row]`, active neurons `[layer, row]`; for each attention sublayer in order there are
    its weights, its queries' and its keys' names.
    """
    names, stride = attention[0][1], 1 if lane.pitch >= 14 else 3
    told = _("{name}: {share} % active<br>update {change}")
    for layer, zones in enumerate(lane.zones):
        for kind, ((sublayer, *__), (a, b)) in enumerate(zip(SUBLAYERS[lane.name], zones, strict=True)):
            part, x, every = f"{layer_path(lane.name, layer)}.{sublayer}", (a + b) / 2, 3
            changes, firing = updates[layer, kind].tolist(), active[layer].tolist()
            says = [
                told.format(name=name, share=f"{100 * share:.0f}", change=number(change))
                for name, share, change in zip(names, firing, changes, strict=True)
            ]
            if kind < len(attention):
                (weights, __, keys), every = attention[kind], stride
                best, most = weights[layer].argmax(axis=-1).tolist(), weights[layer].max(axis=-1).tolist()
                says = [
                    f"{name} → {keys[k]} {number(w)}" for name, k, w in zip(names, best, most, strict=True)
                ]
            for i in range(0, len(names), every):
                sketch.target(x, lane.rows[i], part, i, hover=says[i])
