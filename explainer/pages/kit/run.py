"""One run as it goes on: its state, its curves, and what it makes of a probe sentence."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.heat.matrix import decoder_labels, labels
from explainer.figures.lines.graphs import Axis, Line, graph
from explainer.figures.style import number
from explainer.measures.anatomy import all_weights
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.engine import curves_of, engine
from explainer.pages.frame.models import written
from explainer.pages.frame.session import theme

if TYPE_CHECKING:
    from pathlib import Path

    from explainer.figures.lines.graphs import Look
    from explainer.figures.style import Role
    from explainer.train.runs.curves import Curves
    from explainer.train.runs.status import RunStatus
    from explainer.translator.moments import Moment

_LOOKS: tuple[tuple["Look", "Role"], ...] = (
    ("solid", "attention"), ("solid", "residual"), ("solid", "source"), ("solid", "target"),
    ("dash", "attention"), ("dash", "residual"),
)  # fmt: skip
MOST = len(_LOOKS)  # runs whose curves are drawn over each other
_TITLES = {
    "loss": "loss, nats per token",
    "learning_rate": "learning rate",
    "gradient_norm": "norm of the gradient",
    "tokens_per_second": "tokens per second",
}


def show_state(status: "RunStatus") -> None:
    """Progress, time left, and what happened."""
    curves = curves_of(status.name).read()
    left = curves.seconds_per_step * (status.steps - status.step)
    word = {
        "queued": f"waits: number {status.position} in the queue for {status.device}",
        "running": f"running on {status.device}, {in_words(left)} left",
        "starting": "starting",
    }.get(status.status, status.status)
    if status.wish:
        word += f"; it will {status.wish} after the step in hand"
    st.progress(
        min(1.0, status.step / max(1, status.steps)),
        text=f"**{for_markdown(status.name)}** · step {status.step:,} of {status.steps:,} · {word}",
    )
    if status.reason:
        st.warning(what_happened(status), icon=":material/info:")
    if curves.damaged:
        lines = (
            "1 line of metrics.jsonl is"
            if curves.damaged == 1
            else f"{curves.damaged:,} lines of metrics.jsonl are"
        )
        st.warning(f"{lines} damaged and left out: {for_markdown(curves.fault)}", icon=":material/info:")


def what_happened(status: "RunStatus") -> str:
    """Why a run ended and what can be done, as Markdown: two sentences."""
    stop = "" if status.reason.endswith((".", "!", "?")) else "."
    return f"{for_markdown(status.reason)}{stop} {for_markdown(status.advice)}"


def show_curves(names: Sequence[str]) -> None:
    """Loss, learning rate, gradient norm and speed of the runs, over each other."""
    read = {name: curves_of(name).read() for name in names}
    if not any(curves.by_name for curves in read.values()):
        st.caption("The first numbers appear after the first step.")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_loss(read)
    with right:
        _show_numbers(read)
    for column, what in zip(st.columns(3, gap="medium"), list(_TITLES)[1:], strict=True):
        with column:
            _show_one(read, what)


def _show_loss(read: Mapping[str, "Curves"]) -> None:
    lines = []
    for (name, curves), (look, role) in zip(read.items(), _LOOKS, strict=False):
        if "nll" in curves.by_name:
            curve = curves.by_name["nll"]
            lines.append(Line(f"{name}: train", curve.steps, curve.values, "thin", role))
        if "valid_nll" in curves.by_name:
            curve = curves.by_name["valid_nll"]
            lines.append(Line(f"{name}: valid", curve.steps, curve.values, look, role))
    if lines:
        layout.figure(
            graph(lines, theme(), x=Axis("step"), y=Axis("−log p, nats per token"), height=300),
            key="run-loss",
            alt="The loss of the chosen runs by step, on what they learn and on the validation pairs",
            table=lambda: _table(lines),
        )


def _show_one(read: Mapping[str, "Curves"], what: str) -> None:
    lines = [
        Line(name, curves.by_name[what].steps, curves.by_name[what].values, look, role)
        for (name, curves), (look, role) in zip(read.items(), _LOOKS, strict=False)
        if what in curves.by_name
    ]
    if lines:
        layout.figure(
            graph(lines, theme(), x=Axis("step"), y=Axis(_TITLES[what]), height=230),
            key=f"run-{what}",
            alt=f"{_TITLES[what]} by step",
            table=lambda: _table(lines),
        )


def _table(lines: Sequence[Line]) -> layout.Table:
    rows = [
        [line.name, number(float(x), 0), f"{y:.6g}"]
        for line in lines
        for x, y in zip(line.x, line.y, strict=True)
    ]
    return ["curve", "step", "value"], rows


def _show_numbers(read: Mapping[str, "Curves"]) -> None:
    """The last report of each run."""
    columns = [_last_numbers(name, curves) for name, curves in read.items() if curves.last]
    lines = [
        "| | " + " | ".join(column["run"] for column in columns) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    lines += [
        f"| {what} | " + " | ".join(column.get(what, "–") for column in columns) + " |"
        for what in (columns[0] if columns else {})
        if what != "run"
    ]
    st.markdown("\n".join(lines))


def _last_numbers(name: str, curves: "Curves") -> dict[str, str]:
    """What the last report said, by name."""
    last, by_name = curves.last, curves.by_name
    found = {"run": for_markdown(name)}
    for what, title, told in (
        ("step", "step", "{:,}".format),
        ("loss", "loss (with ε)", lambda value: number(value, 3)),
        ("nll", "−log p per token", lambda value: number(value, 3)),
        ("gradient_norm", "norm of the gradient", number),
        ("learning_rate", "learning rate", "{:.2e}".format),
    ):
        found[title] = told(last[what]) if what in last else "–"
    if "tokens_per_second" in by_name:
        found["tokens per second"] = f"{by_name['tokens_per_second'].values[-1]:,.0f}"
    for what, title, text in (
        ("valid_nll", "−log p, validation", "{:.3f}"),
        ("valid_exact", "all right, validation", "{:.1%}"),
    ):
        found[title] = text.format(by_name[what].values[-1]) if what in by_name else "–"
    return found


def show_probe(status: "RunStatus", probe: str, words: Mapping[str, str], key: str = "probe") -> None:
    """What the weights saved last make of a sentence, and where its last cross-attention looks."""
    st.markdown(words["probe"])
    sentence = st.text_input("Probe sentence", probe, key=f"{key}-sentence-{status.name}", max_chars=200)
    saved = engine().folder(status.name).saved_steps()
    if not saved or not sentence.strip():
        st.caption("Nothing has been saved yet.")
        return
    try:
        weights = engine().folder(status.name).step_folder(saved[-1])
        moment = probed(weights, written(weights), sentence)
    except (ValueError, OSError) as error:  # it may be deleted at this moment
        st.warning(for_markdown(str(error)))
        return
    st.markdown(f"After {moment.step:,} steps: **{for_markdown(moment.text[:200]) or '(nothing)'}**")
    weights = all_weights(moment.trace, "cross")[-1].mean(axis=0)
    info = moment.trace.info
    rows, columns = decoder_labels(info.target, info.predicted), labels(info.source)
    layout.matrix_figure(
            weights, rows, columns, theme(), kind="weights", row_title="query: input → predicts",
            column_title="key", compact=True,
        key=f"{key}-attention",
        alt="Cross-attention of the last layer on the probe sentence, mean of its heads",
    )  # fmt: skip


@kept(mebibytes=64)
def probed(weights: "Path", when: int, sentence: str) -> "Moment":
    """The pass of a step's weights over the sentence and what they say of it.

    Args:
        weights: The checkpoint folder of the step.
        when: They were written, see `written`.
        sentence: What is asked.
    """
    from explainer.translator import Translator
    from explainer.translator.moments import moment_of, pair_of

    translator = Translator.load(weights)
    return moment_of(translator, pair_of(translator, sentence))


def in_words(seconds: float) -> str:
    """A time as people say it."""
    if not np.isfinite(seconds) or seconds < 0:
        return "–"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
