"""Parts of the page about greedy decoding: what a step computes, with a key/value cache and without."""

import numpy as np
import streamlit as st

from explainer.equations.decoding import cache_bytes, cross_attention_rows, self_attention_rows
from explainer.equations.softmax import largest_difference
from explainer.figures.amounts import count
from explainer.figures.escape import for_markdown
from explainer.figures.heat.computed import Block, computed, states
from explainer.figures.lines.decoding_work import Growth, growth
from explainer.figures.style import number, small
from explainer.language import _, mark, ngettext
from explainer.measures.anatomy import Kind, parts_of
from explainer.pages.frame import layout
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import Specs
from explainer.pages.greedy.decoded import seconds_of
from explainer.pages.greedy.step import MODE_NAMES, GreedyStep
from explainer.translator.translator import Translator


def show_growth(here: GreedyStep, words: Words) -> None:
    """Rows up to each step and milliseconds of each step, in both modes; a button measures the time again."""
    seconds, is_measured = _seconds(here)
    ways = [
        Growth(mode, here.found.walk(mode).rows("decoder").cumsum(), 1000 * each, mode == here.mode)
        for mode, each in zip(here.found.modes, seconds, strict=True)
    ]
    layout.figure(
        growth(ways, here.view.theme, step=here.step),
        key="growth",
        alt=_("Rows that self-attention projected up to each step, and the time of each step, in both modes"),
        table=lambda: _growth_table(ways),
    )
    sums = [number(float(way.milliseconds.sum()), 1) for way in ways]
    each = ", ".join(f"{_(mode)} **{ms} ms**" for mode, ms in zip(here.found.modes, sums, strict=True))
    n_steps = len(here.walk.tokens)
    told = ngettext("All {n} steps: {each}.", "All {n} steps: {each}.", n_steps)
    st.markdown(f"{told.format(n=n_steps, each=each)} {words['median' if is_measured else 'one run']}")
    st.button(
        _("Measure again") if is_measured else _("Measure: median of 5 runs"),
        key="greedy-measure",
        on_click=_measure,
        args=(here,),
    )
    st.caption(words["time"])


def _growth_table(ways: list[Growth]) -> layout.Table:
    heading, columns = [_("step")], []
    for way in ways:
        heading += [
            _("{mode}: rows so far").format(mode=_(way.name)),
            _("{mode}: ms").format(mode=_(way.name)),
        ]
        columns += [map(int, way.rows), [number(float(ms), 3) for ms in way.milliseconds]]
    return heading, list(zip(range(1, len(ways[0].rows) + 1), *columns, strict=True))


def _about(here: GreedyStep) -> tuple[Translator, str, tuple[int, ...], Specs]:
    """What it is whose time is measured."""
    return here.view.model, here.view.sentence, here.walk.tokens, here.specs


def _seconds(here: GreedyStep) -> tuple[np.ndarray, bool]:
    """Seconds of each step in each mode; whether they are the median of several rounds."""
    asked = st.session_state.get("greedy-measured")
    if asked is not None and asked[:-1] == _about(here):
        with st.spinner(_("Measuring …")):
            return seconds_of(*asked), True
    return np.stack([here.found.walk(mode).seconds for mode in here.found.modes]), False


def _measure(here: GreedyStep) -> None:
    turn = (st.session_state.get("greedy-measured") or (0,))[-1] + 1
    st.session_state["greedy-measured"] = (*_about(here), turn)


ROWS: tuple[tuple[str, Kind, str], ...] = (  # name, kind of attention, letter
    (mark("encoder Q, K, V"), "encoder", "QKV"),
    (mark("cross K, V"), "cross", "KV"),
    (mark("self Q"), "decoder", "Q"),
    (mark("self K, V"), "decoder", "KV"),
    (mark("cross Q"), "cross", "Q"),
)


def show_computed(here: GreedyStep, words: Words) -> None:
    """Which rows this step computes: a picture with a sign in each cell."""
    st.markdown(words["computed"])
    alt = _("Step {step}, {mode}: which tokens' rows are computed, kept or not needed")
    layout.figure(
        computed(_blocks(here), here.view.theme),
        key="computed",
        alt=alt.format(step=here.step + 1, mode=_(MODE_NAMES[here.mode])),
        table=lambda: _work_table(here),
    )
    st.caption(words["signs"])
    st.markdown(words["first step" if here.step == 0 else f"later steps, {here.mode}"])


def show_cost(here: GreedyStep, words: Words) -> None:
    """Rows and time of both modes, how they grow, what is cached and how much memory it takes."""
    st.markdown(words["cost"])
    _say_same_numbers(here, words)
    left, right = st.columns(2, gap="large")
    with left:
        show_growth(here, words)
    with right:
        _show_counts(here, words)
    left, right = st.columns(2, gap="large")
    if here.found.may_cache:
        with left:
            _show_memory(here, words)
    with right if here.found.may_cache else left:
        st.markdown(words["never Q"])


def _say_same_numbers(here: GreedyStep, words: Words) -> None:
    found = here.found
    if found.cached is None:
        told = _("It says: *{reason}.*").format(reason=for_markdown(found.refused))
        st.warning(f"{words['refused model']} {told}", icon=":material/block:")
    elif found.refused:
        which = ", ".join(for_markdown(one) for one in found.refused_by)
        refused = layout.filled(words["refused changes"], which=which)
        told = _(
            "Decoded with a cache nevertheless, the log-probabilities of the same tokens would differ by up to "
            "**max |Δ| = {deviation} nats**."
        ).format(deviation=number(found.deviation))
        st.warning(f"{refused} {told}", icon=":material/block:")
    else:
        step = largest_difference(found.plain.log_probs[here.step], found.cached.log_probs[here.step])
        st.markdown(
            layout.filled(
                words["same numbers"],
                all=small(found.deviation), step=small(step), n_vocab=count(len(here.log_probs)),
                n_steps=len(here.walk.tokens),
            )
        )  # fmt: skip


def _blocks(here: GreedyStep) -> list[Block]:
    walk, t = here.walk, here.step + 1
    n_layers, n_source, n_all = walk.across.shape[1], len(here.source), len(walk.tokens)
    rows = walk.work[here.step].rows
    encoder_layers = len(parts_of(here.view.trace).attentions["encoder"])

    def row(n_columns: int, there: int, kind: Kind, letter: str, layers: int, *, keeps: bool) -> np.ndarray:
        return states(n_columns, there, rows[kind, letter] // layers, keeps=keeps)

    again = here.mode == "re-feed"  # only then is the memory itself read after the first step
    english = [row(n_source, n_source, "encoder", "Q", encoder_layers, keeps=again)]
    english += [row(n_source, n_source, "cross", letter, n_layers, keeps=True) for letter in "KV"]
    own: tuple[tuple[Kind, str], ...] = (("decoder", "Q"), ("decoder", "K"), ("decoder", "V"), ("cross", "Q"))
    german = [row(n_all, t, kind, letter, n_layers, keeps=letter != "Q") for kind, letter in own]
    reads = [piece if i < t else None for i, piece in enumerate(here.pieces[:-1])]
    of_source = _("encoder"), _("cross K"), _("cross V")
    of_target = _("self Q"), _("self K"), _("self V"), _("cross Q")
    return [
        Block(_("English"), of_source, here.source, np.stack(english), is_source=True),
        Block(_("German, read"), of_target, reads, np.stack(german), is_source=False),
    ]


def _show_counts(here: GreedyStep, words: Words) -> None:
    st.markdown(words["rows"])
    heading, rows = _work_table(here)
    st.markdown(layout.as_table(heading, [map(str, row) for row in rows], left=1))
    walk, n_layers = here.found.plain, here.found.plain.across.shape[1]
    n_steps, n_source = len(walk.tokens), len(here.source)
    formulas = {
        "re-feed": r"\sum_{t=1}^{T} 3 N t = 3 N\, \tfrac{T (T + 1)}{2} "
        rf"= 3 \cdot {n_layers} \cdot \tfrac{{{n_steps} \cdot {n_steps + 1}}}{{2}}",
        "cache": rf"3 N T = 3 \cdot {n_layers} \cdot {n_steps}",
    }
    lines = [
        rf"\text{{{_(mode)}: }} & {formulas[mode]} = {int(self_attention_rows(mode, n_steps, n_layers).sum())}"
        for mode in here.found.modes
    ]
    st.latex(r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}")
    agrees = True  # whether the formulas say what the hooks counted, at every step
    for mode in here.found.modes:
        counted, across = (here.found.walk(mode).rows(kind) for kind in ("decoder", "cross"))
        agrees &= np.array_equal(counted, self_attention_rows(mode, n_steps, n_layers))
        agrees &= np.array_equal(across, cross_attention_rows(mode, n_steps, n_layers, n_source))
    st.caption(words["counted"] if agrees else words["counted otherwise"])


def _work_table(here: GreedyStep) -> layout.Table:
    """Rows of each projection at this step and up to it, in both modes."""
    heading = [_("rows")]
    columns: list[list[int]] = []
    for mode in here.found.modes:
        heading += [_("{mode}, this step").format(mode=_(mode)), _("{mode}, so far").format(mode=_(mode))]
        each = [here.found.walk(mode).rows(kind, letters) for __, kind, letters in ROWS]
        columns += [
            [int(one[here.step]) for one in each],
            [int(one[: here.step + 1].sum()) for one in each],
        ]
    body = [[_(name), *(column[i] for column in columns)] for i, (name, *__) in enumerate(ROWS)]
    return heading, [*body, [_("all"), *map(sum, columns)]]


def _show_memory(here: GreedyStep, words: Words) -> None:
    n, d = here.walk.across.shape[1], here.view.model.checkpoint.model.config.d_model
    t, s = here.step + 1, len(here.source)
    own, across = cache_bytes(n, t, d), cache_bytes(n, s, d)
    st.markdown(words["memory"])
    ours, crossing, together, unit = _("self"), _("cross"), _("together"), _("bytes")
    st.latex(
        r"\begin{aligned}"
        rf"\text{{{ours}: }} & 2 \cdot N \cdot t \cdot d_{{model}} \cdot 4 = 2 \cdot {n} \cdot {t} \cdot {d} \cdot 4 "
        rf"= {_spaced(own)} \text{{ {unit}}} \\"
        rf"\text{{{crossing}: }} & 2 \cdot N \cdot S \cdot d_{{model}} \cdot 4 = 2 \cdot {n} \cdot {s} \cdot {d} "
        rf"\cdot 4 = {_spaced(across)} \text{{ {unit}}} \\"
        rf"\text{{{together}: }} & {_spaced(own + across)} \text{{ {unit}}}"
        r"\end{aligned}"
    )
    st.caption(words["memory note"])


def _spaced(value: int) -> str:
    return f"{value:,}".replace(",", r"\,")
