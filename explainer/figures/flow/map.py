"""The flow map: the whole encoder-decoder for one sentence in one picture, drawn from its own tensors.

The encoder runs along the top from left to right; its memory goes on above the decoder, whose cross-attention
falls down from it; the decoder leaves at the right as probabilities of the next token.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from explainer.figures.escape import token_label
from explainer.figures.flow import ends, parts
from explainer.figures.flow.sketch import WIDTH, Sketch
from explainer.figures.style import Theme, faded, probability
from explainer.language import _, mark
from explainer.measures.flow import FlowNumbers

MIN_WIDTH = 1110  # a narrower page pans the picture instead of squeezing it
LOWER = 270  # least height of the lower half: the legend and the candidates need it
RIBBONS = 220  # the threshold rises until no more attention weights than these are drawn

BLOCKS = {  # of the slim map: the page about it, and its title
    "tokens": mark("Tokens and<br>embeddings"),
    "positions": mark("Positions"),
    "self_attention": mark("Self-attention"),
    "multi_head": mark("Several heads"),
    "blocks": mark("Blocks and<br>memory"),
    "masks": mark("Masked<br>self-attention"),
    "cross_attention": mark("Cross-attention"),
    "output_head": mark("Output head"),
}
_END_OF_ENCODER = "blocks"  # from here the memory goes to cross-attention, over the decoder's self-attention


def flow_map(
    flow: FlowNumbers,
    theme: Theme,
    *,
    selected: int,
    languages: tuple[str, str] = (mark("English"), mark("German")),
) -> dict[str, Any]:
    """One picture of the pass: tokens, embeddings, every layer's attention, the memory, the next token.

    Thickness of a band is ‖x‖, width of a ribbon an attention weight, width of the fan a probability; cross-attention
    and next token are those of the decoder row `selected`. The `languages` are named in English.
    The customdata of what was clicked is [part, row or token id …]; a part is a module path or a name such as
    `source_token`, `source_embedding`, `source_position`, `memory`, `head`, `candidate`.

    Raises:
        ValueError: there is no such row.
    """
    if not 0 <= selected < len(flow.target):
        raise ValueError(f"selected = {selected}: the decoder has rows 0 … {len(flow.target) - 1}")
    encoder, decoder = parts.lanes(flow, theme)
    sketch, bound = Sketch(theme), parts.strip_bound(flow)
    threshold = parts.threshold_for((flow.encoder_weights, flow.decoder_weights), RIBBONS)
    lower = decoder.top - parts.HEADER
    bottom = max(decoder.bottom + parts.FOOTER, lower + LOWER)
    source, target = map(_, languages)
    reads = _("reads {language}").format(language=source)
    writes = _("writes {language}").format(language=target)
    at_once, by_step = _("all tokens at the same time"), _("predictions become inputs")
    parts.draw_panel(sketch, encoder, parts.OUTPUT[1], encoder.bottom + parts.FOOTER - 2, reads, at_once)
    parts.draw_panel(sketch, decoder, parts.PREDICTED[1] + 6, bottom - 2, writes, by_step)
    parts.draw_embeddings(sketch, encoder, flow.source_embedding, flow.source_position, bound)
    parts.draw_embeddings(sketch, decoder, flow.target_embedding, flow.target_position, bound)
    parts.draw_streams(sketch, flow, encoder, decoder, selected)
    parts.draw_attention(sketch, encoder, flow.encoder_weights, threshold)
    parts.draw_attention(sketch, decoder, flow.decoder_weights, threshold, selected)
    parts.draw_cross_attention(sketch, flow, encoder, decoder, selected)
    parts.draw_headers(sketch, encoder)
    parts.draw_headers(sketch, decoder)
    ends.draw_memory(sketch, flow, encoder, selected, source)
    ends.draw_tokens(sketch, flow, encoder, decoder, selected)
    middle, row = np.median(flow.encoder_updates, axis=-1), flow.decoder_updates[..., selected]
    largest = float(max(middle.max(), row.max()))
    firing = np.median(flow.encoder_active, axis=-1)
    ends.draw_numbers(sketch, encoder, middle, firing, _("median token"), largest)
    ends.draw_numbers(sketch, decoder, row, flow.decoder_active[:, selected], _("selected row"), largest)
    ends.draw_distribution(sketch, flow, decoder, selected, bottom - 2)
    ends.draw_legend(sketch, flow, lower + 15, threshold)
    ends.add_targets(sketch, flow, encoder, decoder, selected)
    return sketch.figure(bottom, max(12, encoder.pitch), width=MIN_WIDTH, threshold=threshold)


def flow_alt(flow: FlowNumbers, *, selected: int) -> str:
    """The map in words, for who cannot see it. Not escaped."""
    source, target, predicted = (
        [token_label(token).strip("\u2009") for token in tokens]
        for tokens in (flow.source, flow.target, flow.predicted)
    )
    read = flow.cross_weights[:, selected].mean(axis=0)
    best = [int(i) for i in (-read).argsort(kind="stable")[:3]]
    told = _(
        "Flow map of a Transformer. Encoder: {n_source} tokens ({source}) pass {n_encoder} layers and become the "
        "memory. Decoder: {n_target} tokens pass {n_decoder} layers. Selected is row {row}, {token}: it reads {read} "
        "(cross-attention, mean of layers), and gives the next token {next} the probability {p}."
    )
    return told.format(
        n_source=len(source),
        source=" ".join(source),
        n_encoder=len(flow.encoder_weights),
        n_target=len(target),
        n_decoder=len(flow.decoder_weights),
        row=selected + 1,
        token=target[selected],
        read=", ".join(f"{source[i]} ({probability(float(read[i]))})" for i in best),
        next=predicted[selected],
        p=probability(float(flow.chosen[selected])),
    )


def slim_flow_map(current: str, theme: Theme) -> dict[str, Any]:
    """The map as one line, for the top of a page: the block `current`, if it is a key of BLOCKS, is lit."""
    sketch, gap, top, bottom = Sketch(theme), 22, 20, 62
    names, middle = list(BLOCKS), (top + bottom) / 2
    width = (WIDTH - 8 - gap * (len(names) - 1)) / len(names)
    lefts = {name: 4 + i * (width + gap) for i, name in enumerate(names)}
    joints = [
        f"M{lefts[a] + width:g},{middle:g}H{lefts[b]:g}" for a, b in pairwise(names) if a != _END_OF_ENCODER
    ]
    start, end = lefts[_END_OF_ENCODER] + width / 2, lefts["cross_attention"] + width / 2
    over = f"C{start:g},4 {start:g},6 {start + 30:g},6H{end - 30:g}C{end:g},6 {end:g},4 {end:g},{top}"
    joints.append(f"M{start:g},{top}{over}")
    sketch.stroke(joints, faded(theme.residual, 0.55), 3)
    for name in names:
        left, lit, title = lefts[name], name == current, _(BLOCKS[name])
        accent = theme.source if names.index(name) <= names.index(_END_OF_ENCODER) else theme.target
        sketch.chip(left, left + width, middle, bottom - top, accent if lit else faded(accent, 0.16), 10)
        colour = theme.background if lit else theme.text
        sketch.text(left + width / 2, middle, f"<b>{title}</b>" if lit else title, size=14, colour=colour)
        for share in (0.15, 0.5, 0.85):
            sketch.target(left + width * share, middle, name, hover=title.replace("<br>", " "))
    follow = (lefts.get(current, 0) + 1.5 * width) * MIN_WIDTH / WIDTH  # a phone pans to the lit block
    return sketch.figure(bottom + 8, 36, width=MIN_WIDTH, follow=follow)
