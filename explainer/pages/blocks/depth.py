"""Parts of the page about blocks: mean and variance around the norm, the stream over depth, the logit lens."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

from explainer.equations import equation_of
from explainer.figures.escape import for_markdown
from explainer.figures.flow.block import TITLES
from explainer.figures.heat.lens import lens_map
from explainer.figures.lines.depth import Depth, norms_over_depth
from explainer.figures.style import number, probability
from explainer.figures.tokens.marks import moment_marks
from explainer.language import _
from explainer.measures.anatomy import SIDES, parts_of
from explainer.measures.flow import stream
from explainer.measures.lens import Reading, read_layers
from explainer.measures.sublayers import moments
from explainer.pages.blocks.arrays import Spot
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import link_choice
from explainer.pages.frame.page import Words
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import query_labels

TOP = 3


def show_moments(view: Translated, spot: Spot, words: Words) -> None:
    """Mean and variance of every token around the norm, and how those of the selected one come about."""
    hooks = spot.sublayer.hooks
    read = spot.sublayer.sources("normalised")[0]
    arrays = (read, "normalised", "output")
    measured = {TITLES[array]: moments(view.shown[hooks[array]]) for array in arrays}
    left, right = st.columns([3, 2], gap="large")
    moment_names = _("mean of {array}"), _("variance of {array}")
    with left:
        st.markdown(words["layer norm"])
        layout.figure(
            moment_marks(measured, spot.rows, view.theme, selected=spot.row),
            key="moments",
            alt=_(
                "Mean and variance of each token's vector before the layer norm, normalised, and after gain and bias"
            ),
            table=lambda: (
                [_("token"), *(of.format(array=array) for array in measured for of in moment_names)],
                [
                    [row, *(number(float(v[part, i]), 4) for v in measured.values() for part in (0, 1))]
                    for i, row in enumerate(spot.rows)
                ],
            ),
            says=spot.link_of,
            part="token",
        )
    with right, st.container(key="norm-story"):
        for symbol in ("hook_mean", "hook_scale"):
            found = equation_of(f"{spot.sublayer.residual}.norm.{symbol}", view.shown.info.modules)
            if found is not None:
                seen = found.seen(view.seen())
                layout.equation(found.equation, seen, view.theme)
                layout.story(found.equation.story(seen, (spot.row, 0)), view.theme)


def show_depth(view: Translated, spot: Spot, words: Words) -> None:
    """‖x‖ of every token through both stacks, before and after the changes in force."""
    st.markdown(words["depth"])
    stacks = []
    for side in SIDES:
        names = tuple(parts_of(view.shown).sublayers[side][0])
        before = stream(view.before, side) if view.specs else None
        stack = Depth(side=side, lengths=stream(view.shown, side), sublayers=names, before=before)
        if side == spot.sublayer.side:
            here = spot.sublayer.layer * len(names) + names.index(spot.sublayer.name)
            stack = replace(stack, selected=spot.row, here=here)
        stacks.append(stack)
    layout.figure(
        norms_over_depth(stacks, view.theme),
        key="depth",
        alt=_(
            "The length of the residual stream of each token from the input to the end of encoder and decoder"
        ),
        table=lambda: _depth_table(view, stacks),
        says=_of_station,
        part="station",
    )
    st.caption(words["saw tooth"])


def show_lens(view: Translated, spot: Spot, words: Words) -> None:
    """What the output head says after each decoder layer; the selected row in full."""
    st.markdown(words["lens"])
    reading = _reading(view, is_before=view.compare == "before")
    rows = query_labels(view, "decoder")
    least_sure = int(reading.probabilities[-1, :, 0].argmin())
    default = spot.row if spot.sublayer.side == "decoder" else least_sure
    row = link_choice("row", range(1, len(rows) + 1), default + 1) - 1
    left, right = st.columns([3, 2], gap="large")
    with left:
        layout.figure(
            lens_map(
                [*map(view.tokenizer.pieces, reading.ids[:, :, 0].T.tolist())],
                reading.probabilities[:, :, 0].T,
                rows,
                view.theme,
                selected=row,
            ),
            key="lens",
            alt=_("The most probable next token of each decoder row, read off after each decoder layer"),
            table=lambda: _lens_table(view, reading, rows),
            says=lambda row, __: {"row": str(row + 1)},
        )
    with right:
        told = _("**Row {row}** {name}: the {n} most probable tokens after each layer")
        st.markdown(told.format(row=row + 1, name=for_markdown(rows[row]), n=TOP))
        st.markdown(_top_table(view, reading, row))
        if view.specs:
            st.markdown(_("The same without the changes:"))
            st.markdown(_top_table(view, _reading(view, is_before=True), row))
        st.caption(words["never trained"])


@kept(mebibytes=32)
def _reading(view: Translated, *, is_before: bool) -> Reading:
    """The lens of all rows, kept: it multiplies every layer with the whole vocabulary."""
    trace = view.before if is_before else view.trace
    return read_layers(trace.beside(view.model.parameters), TOP)


def _read(
    view: Translated, reading: Reading, row: int, written: Callable[[str], str] = str
) -> list[list[str]]:
    """Of a row: for each layer the tokens of the lens, as they are written, with their probabilities."""
    layers = zip(reading.ids[:, row].tolist(), reading.probabilities[:, row].tolist(), strict=True)
    return [
        [f"{written(view.name_of(token))} {probability(p)}" for token, p in zip(*layer, strict=True)]
        for layer in layers
    ]


def _top_table(view: Translated, reading: Reading, row: int) -> str:
    told = enumerate(_read(view, reading, row, for_markdown), 1)
    rows = ([_("layer {layer}").format(layer=layer), *best] for layer, best in told)
    return layout.as_table([""] * (TOP + 1), rows)


def _lens_table(view: Translated, reading: Reading, rows: list[str]) -> layout.Table:
    place = _("layer {layer}, rank {rank}")
    layers = range(1, len(reading.ids) + 1)
    places = (place.format(layer=layer, rank=k + 1) for layer in layers for k in range(TOP))
    return [_("row"), *places], [
        [label, *itertools.chain(*_read(view, reading, i))] for i, label in enumerate(rows)
    ]


def _depth_table(view: Translated, stacks: list[Depth]) -> layout.Table:
    body = []
    for stack in stacks:
        rows = query_labels(view, "encoder" if stack.side == "encoder" else "decoder")
        for when, values in (("", stack.lengths), (_("before the changes"), stack.before)):
            if values is not None:
                body += [
                    [_(stack.side), when, row, ", ".join(f"{length:.3f}" for length in lengths)]
                    for row, lengths in zip(rows, np.asarray(values).T.tolist(), strict=True)
                ]
    lengths = _("‖x‖ at the input, after each addition and each norm, at the end")
    return [_("side"), "", _("token"), lengths], body


def _of_station(side: str, layer: int, sublayer: str, array: str) -> layout.Said:
    moved = None if side != st.query_params.get("side", "encoder") else st.query_params.get("cell")
    return {"side": side, "layer": str(layer), "sublayer": sublayer, "stage": array, "cell": moved}
