"""Parts of the page about positions: the table as a picture, pairs as waves, one position compared with all."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from explainer.equations import waves
from explainer.equations.stream import POSITION, sinusoids
from explainer.figures.heat.waves import pair_waves, position_curve, position_heatmap
from explainer.figures.latex import paint, story_latex
from explainer.figures.style import number, theme_named
from explainer.language import _, mark, ngettext
from explainer.measures.anatomy import EMBEDDINGS
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, link_number, slide
from explainer.pages.frame.panel import Drawn, drawn
from explainer.pages.frame.view import Translated
from explainer.pages.kit.choice import pick_several
from explainer.pages.kit.window import Side

COUNT = 300  # positions that the curve shows
STEPS = {"sentence": 1, "300": 1, "3000": 10}  # of the picture: only every tenth of 3000 positions is sent
RANGES = {"sentence": mark("this sentence"), "300": mark("first 300 positions"), "3000": mark("first 3000")}
LAYOUTS = {
    mark("interleaved"): mark("sin, cos, sin, cos … (ours)"),
    mark("concatenated"): mark("all sin | all cos"),
}
REACH, SPACING = 100, 0.25  # positions that waves are drawn over, and from point to point
_TABLE_ROWS, _TABLE_COLUMNS = 60, 64  # about as many numbers of a picture as a reader's table has


def show_encodings(view: Translated, side: Side, words: Mapping[str, str]) -> None:
    """PE as a picture: of the sentence, of the first 300 and of the first 3000 positions, in both layouts."""
    st.subheader(_("The whole table"), anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(words["table"])
        shown = choose("range", _("Positions"), tuple(RANGES), "300", format_func=lambda one: _(RANGES[one]))
        orders = tuple(LAYOUTS)
        order = choose("layout", _("Layout"), orders, "interleaved", format_func=lambda one: _(LAYOUTS[one]))
        st.markdown(words[order])
        if shown == "3000":
            st.caption(layout.filled(words["3000"], limit=view.model.checkpoint.model.config.max_positions))
        st.latex(paint(POSITION.latex, view.theme))
    n_tokens, d_model = view.trace[f"{side.path}.hook_position"].shape
    count, step = n_tokens if shown == "sentence" else int(shown), STEPS[shown]
    is_concatenated = order == "concatenated"
    with left:
        layout.figure(
            _picture(count, step, d_model, view.theme.name, is_concatenated=is_concatenated),
            key="table",
            alt=ngettext(
                "Position encodings of {positions}: {n} row, {d_model} dimensions, {layout}; "
                "fast waves in the first pairs, ever slower ones after them",
                "Position encodings of {positions}: {n} rows, {d_model} dimensions, {layout}; "
                "fast waves in the first pairs, ever slower ones after them",
                count // step,
            ).format(positions=_(RANGES[shown]), n=count // step, d_model=d_model, layout=_(order)),
            table=lambda: _thinned(*_table(count, step, d_model, is_concatenated=is_concatenated)),
            says=lambda x, y: _of_pair(round(x), round(y), d_model, is_concatenated=is_concatenated),
            part="point",
        )
        st.caption(words["picture"])


def show_waves(view: Translated, side: Side, words: Mapping[str, str]) -> list[int]:
    """Some pairs of dimensions as waves, with frequency and wavelength. Returns the pairs."""
    st.subheader(_("A pair of dimensions is a wave"), anchor=False)
    n_tokens, d_model = view.trace[f"{side.path}.hook_position"].shape
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(words["waves"])
        n_pairs = d_model // 2
        default = sorted({0, n_pairs // 8, n_pairs // 4, n_pairs // 2})
        pairs = pick_several(
            "pairs", _("Pairs i"), range(n_pairs), default, most=4, format_func=lambda i: f"i = {i}"
        )
        turns = {i: (waves.frequency(i, d_model), number(waves.wavelength(i, d_model), 1)) for i in pairs}
        rows = [
            [str(i), f"{2 * i}, {2 * i + 1}", number(frequency, 5), length]
            for i, (frequency, length) in turns.items()
        ]
        st.markdown(layout.as_table(["i", _("dimensions"), r"$\omega_i$", _("wavelength")], rows))
        st.latex(_(r"\text{wavelength} = 2\pi \cdot 10000^{2i/d_{\text{model}}}"))
    table, dims = _sinusoids(COUNT, d_model), [dim for i in pairs for dim in (2 * i, 2 * i + 1)]
    name = _("i = {pair}, wavelength {length} positions")
    at, whole = waves.close_together(REACH, SPACING), np.arange(min(n_tokens, REACH + 1))
    with left:
        layout.figure(
            pair_waves(
                [waves.wave(i, d_model, at) for i in pairs],
                SPACING,
                [waves.wave(i, d_model, whole.astype(np.float64)) for i in pairs],
                [name.format(pair=i, length=length) for i, (__, length) in turns.items()],
                view.theme,
            ),
            key="waves",
            alt=ngettext(
                "Sine and cosine of the pairs {pairs} over positions 0 to {last}, with a dot at the {n} position of "
                "the sentence",
                "Sine and cosine of the pairs {pairs} over positions 0 to {last}, with dots at the {n} positions of "
                "the sentence",
                n_tokens,
            ).format(pairs=", ".join(map(str, pairs)), last=REACH, n=n_tokens),
            table=lambda: (
                [_("position"), *(f"{name} {i}" for i in pairs for name in ("sin", "cos"))],
                [[int(p), *(f"{one:.5f}" for one in table[p, dims])] for p in whole],
            ),
        )
    return pairs


def show_comparison(view: Translated, pairs: list[int], words: Mapping[str, str]) -> None:
    """PE(p)·PE(q), or the distance, of one position with all."""
    st.subheader(_("How far apart are two positions?"), anchor=False)
    d_model = view.trace[f"{EMBEDDINGS['source']}.hook_position"].shape[1]
    table = _sinusoids(COUNT, d_model)
    left, right = st.columns([3, 2], gap="large")
    with left:
        measures = {"dot": "PE(p) · PE(q)", "distance": "‖PE(p) − PE(q)‖"}
        measure = choose("measure", _("Show"), tuple(measures), "dot", format_func=measures.__getitem__)
        title = measures[measure]
        here = int(slide("pos", _("Position p"), 20, 0, COUNT - 1, 1))
        turn = waves.first_turn(table)
        there = link_number("at", min(here + turn, COUNT - 1), 0, COUNT - 1)
        values = waves.dots(table, here) if measure == "dot" else waves.distances(table, here)
        alt = _("{measure} for p = {p} and all q below {end}; at q = {q} it is {value}")
        layout.figure(
            position_curve(values, view.theme, here=here, there=there, title=title, count=COUNT),
            key="curve",
            alt=alt.format(measure=title, p=here, end=COUNT, q=there, value=number(float(values[there]), 3)),
            table=lambda: (["q", title], [[q, f"{value:.5f}"] for q, value in enumerate(values)]),
            says=lambda place: {"at": str(place)},
            part="position",
        )
    with right:
        st.markdown(layout.filled(words["comparison"], turn=turn))
        st.latex(paint(waves.DOT_OF_POSITIONS, view.theme))
        told = waves.dot_story(here, there, d_model, sorted(pairs))
        st.latex(story_latex(told, view.theme, lambda i: f"i={i}"))
        product = _("The product of the two rows of the table is {product}.")
        st.caption(product.format(product=number(float(waves.dots(table, here)[there]), 4)))


@kept(mebibytes=16)
def _sinusoids(count: int, d_model: int) -> np.ndarray:
    return sinusoids(count, d_model)


def _table(count: int, step: int, d_model: int, *, is_concatenated: bool) -> tuple[np.ndarray, np.ndarray]:
    table = _sinusoids(count, d_model)[::step]
    return waves.concatenated(table) if is_concatenated else table, np.arange(0, count, step)


@kept(mebibytes=32)
def _picture(count: int, step: int, d_model: int, theme: str, *, is_concatenated: bool) -> Drawn:
    table, positions = _table(count, step, d_model, is_concatenated=is_concatenated)
    return drawn(position_heatmap(table, positions, theme_named(theme), is_split=is_concatenated))


def _thinned(table: np.ndarray, positions: np.ndarray) -> layout.Table:
    """Evenly spaced rows and columns: as many as can be read."""
    every_row, every_column = (
        -(-size // most) for size, most in zip(table.shape, (_TABLE_ROWS, _TABLE_COLUMNS), strict=True)
    )
    columns = range(0, table.shape[1], every_column)
    rows = [
        [int(position), *(f"{row[c]:.5f}" for c in columns)]
        for position, row in zip(positions[::every_row], table[::every_row], strict=True)
    ]
    return [_("position"), *(_("dimension {n}").format(n=c) for c in columns)], rows


def _of_pair(dimension: int, position: int, d_model: int, *, is_concatenated: bool) -> layout.Said:
    pair = waves.pair_of(dimension, d_model, is_concatenated=is_concatenated)
    return {"pairs": str(pair)} | ({"pos": str(position), "at": None} if position < COUNT else {})
