"""Parts of the page about greedy decoding: what a step computes, with a key/value cache and without."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations.caching import cache_bytes, cross_attention_rows, self_attention_rows
from explainer.equations.difference import largest_difference
from explainer.equations.places import Kind
from explainer.figures.computed import Block, computed, states
from explainer.figures.escape import for_markdown
from explainer.figures.style import number, small
from explainer.pages import lesson
from explainer.pages.greedy_sight import MODE_NAMES, Sight
from explainer.pages.greedy_time import show_growth
from explainer.pages.inside import Words
from explainer.pages.state import translator

if TYPE_CHECKING:
    from explainer.decode.walk import Mode

ROWS: tuple[tuple[str, Kind, str], ...] = (  # name, kind of attention, letter
    ("encoder Q, K, V", "encoder", "QKV"),
    ("cross K, V", "cross", "KV"),
    ("self Q", "decoder", "Q"),
    ("self K, V", "decoder", "KV"),
    ("cross Q", "cross", "Q"),
)


def show_computed(sight: Sight, words: Words) -> None:
    """Which rows this step computes: a picture with a sign in each cell."""
    st.markdown(words["computed"])
    lesson.figure(
        computed(_blocks(sight), sight.view.theme),
        key="computed",
        alt=f"Step {sight.step + 1}, {MODE_NAMES[sight.mode]}: which tokens' rows are computed, kept or not needed",
        table=lambda: _work_table(sight),
    )
    st.caption(words["signs"])
    st.markdown(words["first step" if sight.step == 0 else f"later steps, {sight.mode}"])


def show_cost(sight: Sight, words: Words) -> None:
    """Rows and time of both modes, how they grow, what is cached and how much memory it takes."""
    st.markdown(words["cost"])
    _say_same_numbers(sight, words)
    left, right = st.columns(2, gap="large")
    with left:
        show_growth(sight, words)
    with right:
        _show_counts(sight, words)
    left, right = st.columns(2, gap="large")
    if sight.found.may_cache:
        with left:
            _show_memory(sight, words)
    with right if sight.found.may_cache else left:
        st.markdown(words["never Q"])


def _say_same_numbers(sight: Sight, words: Words) -> None:
    found = sight.found
    if found.cached is None:
        st.warning(
            f"{words['refused model']} It says: *{for_markdown(found.refused)}.*", icon=":material/block:"
        )
    elif found.refused:
        which = ", ".join(for_markdown(one) for one in found.refused_by)
        refused = lesson.filled(words["refused changes"], which=which)
        st.warning(
            f"{refused} Decoded with a cache nevertheless, the log-probabilities "
            f"of the same tokens would differ by up to **max |Δ| = {number(found.deviation)} nats**.",
            icon=":material/block:",
        )
    else:
        step = largest_difference(found.plain.log_probs[sight.step], found.cached.log_probs[sight.step])
        st.markdown(
            lesson.filled(
                words["same numbers"],
                all=small(found.deviation), step=small(step), n_vocab=_counted(len(sight.log_probs)),
                n_steps=len(sight.walk.tokens),
            )
        )  # fmt: skip


def _blocks(sight: Sight) -> list[Block]:
    walk, t = sight.walk, sight.step + 1
    n_layers, n_source, n_all = walk.across.shape[1], len(sight.source), len(walk.tokens)
    rows = walk.work[sight.step].rows
    encoder_layers = translator().checkpoint.model.config.n_encoder_layers

    def row(n_columns: int, there: int, kind: Kind, letter: str, layers: int, *, keeps: bool) -> np.ndarray:
        return states(n_columns, there, rows[kind, letter] // layers, keeps=keeps)

    again = sight.mode == "re-feed"  # only then is the memory itself read after the first step
    english = [row(n_source, n_source, "encoder", "Q", encoder_layers, keeps=again)]
    english += [row(n_source, n_source, "cross", letter, n_layers, keeps=True) for letter in "KV"]
    own: tuple[tuple[Kind, str], ...] = (("decoder", "Q"), ("decoder", "K"), ("decoder", "V"), ("cross", "Q"))
    german = [row(n_all, t, kind, letter, n_layers, keeps=letter != "Q") for kind, letter in own]
    reads = [piece if i < t else None for i, piece in enumerate(sight.pieces[:-1])]
    return [
        Block("English", ("encoder", "cross K", "cross V"), sight.source, np.stack(english), is_source=True),
        Block(
            "German, read",
            ("self Q", "self K", "self V", "cross Q"),
            reads,
            np.stack(german),
            is_source=False,
        ),
    ]


def _show_counts(sight: Sight, words: Words) -> None:
    st.markdown(words["rows"])
    heading, rows = _work_table(sight)
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    st.markdown(
        "\n".join(["| " + " | ".join(heading) + " |", "|---" + "|---:" * (len(heading) - 1) + "|", *lines])
    )
    walk, n_layers = sight.found.plain, sight.found.plain.across.shape[1]
    n_steps, n_source = len(walk.tokens), len(sight.source)
    formulas = {
        "re-feed": r"\sum_{t=1}^{T} 3 N t = 3 N\, \tfrac{T (T + 1)}{2} "
        rf"= 3 \cdot {n_layers} \cdot \tfrac{{{n_steps} \cdot {n_steps + 1}}}{{2}}",
        "cache": rf"3 N T = 3 \cdot {n_layers} \cdot {n_steps}",
    }
    lines = [
        rf"\text{{{mode}: }} & {formulas[mode]} = {int(self_attention_rows(mode, n_steps, n_layers).sum())}"
        for mode in sight.found.modes
    ]
    st.latex(r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}")
    agrees = all(_counted_as_computed(sight, mode, n_layers, n_source) for mode in sight.found.modes)
    st.caption(words["counted"] if agrees else words["counted otherwise"])


def _counted_as_computed(sight: Sight, mode: "Mode", n_layers: int, n_source: int) -> bool:
    """Whether the formulas say what the hooks counted, at every step."""
    walk = sight.found.walk(mode)
    n_steps = len(walk.tokens)
    return np.array_equal(
        walk.rows("decoder"), self_attention_rows(mode, n_steps, n_layers)
    ) and np.array_equal(walk.rows("cross"), cross_attention_rows(mode, n_steps, n_layers, n_source))


def _work_table(sight: Sight) -> lesson.Table:
    """Rows of each projection at this step and up to it, in both modes."""
    heading = ["rows"]
    columns: list[list[int]] = []
    for mode in sight.found.modes:
        heading += [f"{mode}, this step", f"{mode}, so far"]
        each = [sight.found.walk(mode).rows(kind, letters) for _, kind, letters in ROWS]
        columns += [
            [int(one[sight.step]) for one in each],
            [int(one[: sight.step + 1].sum()) for one in each],
        ]
    body = [[name, *(column[i] for column in columns)] for i, (name, _, _) in enumerate(ROWS)]
    return heading, [*body, ["all", *map(sum, columns)]]


def _show_memory(sight: Sight, words: Words) -> None:
    config = translator().checkpoint.model.config
    n, d, t, s = config.n_decoder_layers, config.d_model, sight.step + 1, len(sight.source)
    own, across = cache_bytes(n, t, d), cache_bytes(n, s, d)
    st.markdown(words["memory"])
    st.latex(
        r"\begin{aligned}"
        rf"\text{{self: }} & 2 \cdot N \cdot t \cdot d_{{model}} \cdot 4 = 2 \cdot {n} \cdot {t} \cdot {d} \cdot 4 "
        rf"= {_spaced(own)} \text{{ bytes}} \\"
        rf"\text{{cross: }} & 2 \cdot N \cdot S \cdot d_{{model}} \cdot 4 = 2 \cdot {n} \cdot {s} \cdot {d} \cdot 4 "
        rf"= {_spaced(across)} \text{{ bytes}} \\"
        rf"\text{{together: }} & {_spaced(own + across)} \text{{ bytes}}"
        r"\end{aligned}"
    )
    st.caption(words["memory note"])


def _counted(value: int) -> str:
    return f"{value:,}".replace(",", "\u2009")


def _spaced(value: int) -> str:
    return f"{value:,}".replace(",", r"\,")
