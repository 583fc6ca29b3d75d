"""Page: when does attention appear? The same sentence at the saved steps of a training run."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.heat.matrix import decoder_labels, labels
from explainer.figures.heat.thumbnails import thumbnails
from explainer.figures.lines.graphs import Axis, Line, graph
from explainer.figures.style import number
from explainer.language import _, ngettext
from explainer.measures.anatomy import (
    KIND_NAMES,
    KINDS,
    TOKENS,
    Kind,
    all_weights,
    attention_path,
    columns_of,
)
from explainer.measures.growth import alignment, by_position, cosine_matrix, evenness, largest_rise
from explainer.measures.heads import HeadMeasures
from explainer.pages.frame import layout
from explainer.pages.frame.cut import say_cut_at
from explainer.pages.frame.link import choose
from explainer.pages.frame.page import SENTENCE, Words, page
from explainer.pages.frame.session import theme
from explainer.pages.frame.share import fragment
from explainer.pages.frame.stepper import stepper
from explainer.pages.time_machine.history import History, choose_history
from explainer.translator.moments import Moment

LINKS = ("run", "pair", "kind", "layer", "head", "moment")
LONGEST = 80  # characters of an output that stand in the table
_LONG_WORDS = "<style>.st-key-story td:nth-child(2) { overflow-wrap: anywhere; }</style>"  # such as eeeeeeee


@fragment
def show(__: None, words: Words) -> None:
    """The step, what it said, one head's matrix, all heads, the curves, the embeddings."""
    history = choose_history(words)
    if history is None:
        return
    if history.cut_at:
        say_cut_at(history.cut_at)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        kind: Kind = choose(
            "kind", _("Where"), KINDS, "cross", format_func=lambda one: _(KIND_NAMES[one]),
            forgets=("layer", "head"),
        )  # fmt: skip
        measures = history.measures(kind)
        best = max(measures[-1], key=lambda one: one.focus * one.variety)
        layer = choose("layer", _("Layer"), range(1, measures[-1][-1].layer + 2), best.layer + 1) - 1
        n_heads = sum(one.layer == layer for one in measures[-1])
        head = choose("head", _("Head"), range(1, n_heads + 1), best.head + 1) - 1
    titles = [
        ngettext("after {n} step", "after {n} steps", step).format(n=f"{step:,}") for step in history.steps
    ]
    default = largest_rise([alignment(one) for one in measures])
    at = stepper("moment", titles, default=default, milliseconds=1400)
    moment = history.moments[at]
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_matrix(moment, kind, layer, head)
        _show_loss(history, at, words)
    with right, st.container(key="story"):
        _show_words(history, at, words)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(words["all heads"])
        _show_heads(history, at, kind, layer, head, (best.layer, best.head))
    with right:
        _show_curves(history, at, kind, measures, words)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_embeddings(moment, words)
    with right:
        st.markdown(words["embeddings"])


def _show_matrix(moment: Moment, kind: Kind, layer: int, head: int) -> None:
    tokens, attend = moment.trace.info, f"{attention_path(kind, layer)}.attend"
    rows = labels(tokens.source) if kind == "encoder" else decoder_labels(tokens.target, tokens.predicted)
    columns = labels(columns_of(kind, tokens))
    values = moment.trace[f"{attend}.hook_weights"][head]
    title = ngettext(
        "**A, weights** after {n} step · the colours always run from 0 to 1",
        "**A, weights** after {n} steps · the colours always run from 0 to 1",
        moment.step,
    )
    st.markdown(title.format(n=f"{moment.step:,}"))
    alt = _("Attention weights of {kind}, layer {layer}, head {head}, after {step} steps")
    layout.matrix_figure(
        values,
        rows,
        columns,
        theme(),
        kind="weights",
        row_title=_("query") if kind == "encoder" else _("query: input → predicts"),
        column_title=_("key"),
        allowed=moment.trace[f"{attend}.hook_mask"][head],
        key="moment-matrix",
        alt=alt.format(kind=_(KIND_NAMES[kind]), layer=layer + 1, head=head + 1, step=moment.step),
    )


def _show_words(history: History, at: int, words: Words) -> None:
    """What every step said, and how surprised this one is by what the last one says."""
    moment = history.moments[at]
    st.markdown(f"{words['said']} {words['said by the shipped'] if history.is_shipped else ''}")
    st.html(_LONG_WORDS)
    heading = " | ".join([_("step"), _("its own translation"), _("nats per token")])
    lines = [f"| {heading} |", "|---:|---|---:|"]
    for i, one in enumerate(history.moments):
        bold = "**" if i == at else ""
        short = one.text if len(one.text) <= LONGEST else f"{one.text[:LONGEST]}…"
        text = for_markdown(short) or _("(nothing)")
        lines.append(f"| {bold}{one.step:,}{bold} | {bold}{text}{bold} | {bold}{number(one.mean)}{bold} |")
    st.markdown("\n".join(lines))
    st.latex(
        r"-\frac{1}{T}\sum_t \log p(y_t \mid y_{<t}, x) = "
        rf"\frac{{{number(moment.total, 3)}}}{{{len(moment.nats)}}} = {number(moment.mean, 3)}"
    )
    st.caption(words["forced"])


def _show_heads(
    history: History, at: int, kind: Kind, layer: int, head: int, starred: tuple[int, int]
) -> None:
    trace = history.moments[at].trace
    weights = all_weights(trace, kind)
    mask = trace[f"{attention_path(kind, layer)}.attend.hook_mask"][head]
    layout.figure(
        thumbnails(weights, mask, theme(), selected=(layer, head), starred=starred),
        key="moment-heads",
        alt=_("The weights of all heads after {step} steps").format(step=history.steps[at]),
        says=lambda layer, head: {"layer": str(layer + 1), "head": str(head + 1)},
        part="head",
    )


def _show_curves(
    history: History, at: int, kind: Kind, measures: Sequence[list[HeadMeasures]], words: Words
) -> None:
    st.markdown(words["curves"])
    placed = measures if kind != "cross" else history.measures("encoder")
    x = np.arange(1, len(history.steps) + 1, dtype=np.float64)
    lines = [
        Line(_("most telling head"), x, np.array([alignment(one) for one in measures]), "solid", "attention"),
        Line(_("evenness of all heads"), x, np.array([evenness(one) for one in measures]), "dot", "residual"),
        Line(_("use of positions"), x, np.array([by_position(one) for one in placed]), "dash", "source"),
    ]
    layout.figure(
        graph(lines, theme(), x=_steps_axis(history), y=Axis("", (0, 1.02)), at=float(at + 1)),
        key="moment-curves",
        alt=_(
            "How telling the best head is, how even all heads are, how much a head looks at its neighbour, by step"
        ),
        table=lambda: (
            [_("step"), *(line.name for line in lines)],
            [[step, *(number(line.y[i], 3) for line in lines)] for i, step in enumerate(history.steps)],
        ),
    )
    st.caption(words["measures"])


def _show_embeddings(moment: Moment, words: Words) -> None:
    source = moment.trace[TOKENS["source"]]
    target = moment.trace[TOKENS["target"]]
    tokens = moment.trace.info
    if len(target) == 1:  # <s>
        st.info(words["nothing to compare"])
        return
    values = cosine_matrix(target[1:], source)  # without <s>
    rows, columns = labels(tokens.target[1:]), labels(tokens.source)
    alt = _("Cosines between the embeddings of German and English tokens after {step} steps")
    layout.matrix_figure(
        values, rows, columns, theme(), kind="signed", row_title=_("German token"), column_title=_("English token"),
        bound=1.0, role="residual", key="moment-cosines", alt=alt.format(step=moment.step),
    )  # fmt: skip


def _show_loss(history: History, at: int, words: Words) -> None:
    st.markdown(words["loss"])
    known = [
        (i + 1, history.valid_nll[step]) for i, step in enumerate(history.steps) if step in history.valid_nll
    ]
    x = np.arange(1, len(history.steps) + 1, dtype=np.float64)
    lines = [Line(_("this sentence"), x, np.array([one.mean for one in history.moments]), "solid", "target")]
    if known:
        where, values = np.array(known, dtype=np.float64).T
        lines.append(Line(_("validation pairs"), where, values, "dash", "residual"))
    layout.figure(
        graph(lines, theme(), x=_steps_axis(history), y=Axis(_("nats per token")), at=float(at + 1)),
        key="moment-loss",
        alt=_("The loss of this sentence and of the validation pairs by step"),
        table=lambda: (
            [_("step"), _("nats per token")],
            [[one.step, number(one.mean, 4)] for one in history.moments],
        ),
    )


def _steps_axis(history: History) -> Axis:
    return Axis(_("saved step"), names=tuple(f"{step:,}" for step in history.steps))


page("time_machine", show, needs=SENTENCE, links=LINKS)
