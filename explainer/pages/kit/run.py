"""One run as it goes on: its state, its curves, and what it makes of a probe sentence."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.heat.matrix import decoder_labels, labels
from explainer.figures.lines.graphs import Axis, Line, graph
from explainer.figures.style import number
from explainer.language import _, mark, ngettext
from explainer.measures.anatomy import all_weights
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.engine import curves_of, engine
from explainer.pages.frame.models import saved_at
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
    "learning_rate": mark("learning rate"),
    "gradient_norm": mark("norm of the gradient"),
    "tokens_per_second": mark("tokens per second"),
}
_ENDED = {
    "paused": mark("paused"),
    "stopped": mark("stopped"),
    "finished": mark("finished"),
    "failed": mark("failed"),
    "interrupted": mark("interrupted"),
}


def show_state(status: "RunStatus") -> None:
    """Progress, time left, and what happened."""
    curves = curves_of(status.name).read()
    left = curves.seconds_per_step * (status.steps - status.step)
    words = {
        "queued": _("waits: number {position} in the queue for {device}"),
        "running": _("running on {device}, {left} left"),
        "starting": _("starting"),
    }
    word = words.get(status.status) or _(_ENDED[status.status])
    now = [word.format(position=status.position, device=status.device, left=time_in_words(left))]
    if status.wish == "pause":
        now.append(_("it will pause after the step in hand"))
    elif status.wish == "stop":
        now.append(_("it will stop after the step in hand"))
    told = _("**{name}** · step {step} of {steps} · {now}").format(
        name=for_markdown(status.name), step=f"{status.step:,}", steps=f"{status.steps:,}", now="; ".join(now)
    )
    st.progress(min(1.0, status.step / max(1, status.steps)), text=told)
    if status.reason:
        st.warning(what_happened(status), icon=":material/info:")
    if curves.damaged:
        told = ngettext(
            "{n} line of metrics.jsonl is damaged and left out: {fault}",
            "{n} lines of metrics.jsonl are damaged and left out: {fault}",
            curves.damaged,
        )
        fault = for_markdown(curves.fault)
        st.warning(told.format(n=f"{curves.damaged:,}", fault=fault), icon=":material/info:")


def what_happened(status: "RunStatus") -> str:
    """Why a run ended and what can be done, as Markdown: two sentences."""
    stop = "" if status.reason.endswith((".", "!", "?")) else "."
    return f"{for_markdown(status.reason)}{stop} {for_markdown(status.advice)}"


def show_curves(names: Sequence[str]) -> None:
    """Loss, learning rate, gradient norm and speed of the runs, over each other."""
    read = {name: curves_of(name).read() for name in names}
    if not any(curves.by_name for curves in read.values()):
        st.caption(_("The first numbers appear after the first step."))
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_loss(read)
    with right:
        _show_numbers(read)
    for column, what in zip(st.columns(3, gap="medium"), _TITLES, strict=True):
        with column:
            _show_one(read, what)


def _show_loss(read: Mapping[str, "Curves"]) -> None:
    lines = []
    for (name, curves), (look, role) in zip(read.items(), _LOOKS, strict=False):
        train, valid = _("{run}: train").format(run=name), _("{run}: valid").format(run=name)
        drawn: Sequence[tuple[str, str, Look]] = ("nll", train, "thin"), ("valid_nll", valid, look)
        for what, label, line in drawn:
            if what in curves.by_name:
                curve = curves.by_name[what]
                lines.append(Line(label, curve.steps, curve.values, line, role))
    alt = _("The loss of the chosen runs by step, on what they learn and on the validation pairs")
    _draw("loss", lines, _("−log p, nats per token"), alt, height=300)


def _show_one(read: Mapping[str, "Curves"], what: str) -> None:
    lines = [
        Line(name, curves.by_name[what].steps, curves.by_name[what].values, look, role)
        for (name, curves), (look, role) in zip(read.items(), _LOOKS, strict=False)
        if what in curves.by_name
    ]
    title = _(_TITLES[what])
    _draw(what, lines, title, _("{what} by step").format(what=title), height=230)


def _draw(what: str, lines: Sequence[Line], title: str, alt: str, *, height: int) -> None:
    if lines:
        drawing = graph(lines, theme(), x=Axis(_("step")), y=Axis(title), height=height)
        layout.figure(drawing, key=f"run-{what}", alt=alt, table=lambda: _table(lines))


def _table(lines: Sequence[Line]) -> layout.Table:
    rows = [
        [line.name, number(float(x), 0), f"{y:.6g}"]
        for line in lines
        for x, y in zip(line.x, line.y, strict=True)
    ]
    return [_("curve"), _("step"), _("value")], rows


def _show_numbers(read: Mapping[str, "Curves"]) -> None:
    """The last report of each run."""
    columns = {for_markdown(name): _last_numbers(curves) for name, curves in read.items() if curves.last}
    first = next(iter(columns.values()), {})
    rows = [[what, *(column.get(what, "–") for column in columns.values())] for what in first]
    st.markdown(layout.as_table(["", *columns], rows, left=1))


def _last_numbers(curves: "Curves") -> dict[str, str]:
    """What the last report said, by name."""
    last, by_name = curves.last, curves.by_name
    found = {}
    for what, title, told in (
        ("step", _("step"), "{:,}".format),
        ("loss", _("loss (with ε)"), lambda value: number(value, 3)),
        ("nll", _("−log p per token"), lambda value: number(value, 3)),
        ("gradient_norm", _("norm of the gradient"), number),
        ("learning_rate", _("learning rate"), "{:.2e}".format),
    ):
        found[title] = told(last[what]) if what in last else "–"
    if "tokens_per_second" in by_name:
        found[_("tokens per second")] = f"{by_name['tokens_per_second'].values[-1]:,.0f}"
    for what, title, text in (
        ("valid_nll", _("−log p, validation"), "{:.3f}"),
        ("valid_exact", _("all right, validation"), "{:.1%}"),
    ):
        found[title] = text.format(by_name[what].values[-1]) if what in by_name else "–"
    return found


def show_probe(status: "RunStatus", probe: str, words: Mapping[str, str], key: str = "probe") -> None:
    """What the weights saved last make of a sentence, and where its last cross-attention looks."""
    st.markdown(words["probe"])
    sentence = st.text_input(_("Probe sentence"), probe, key=f"{key}-sentence-{status.name}", max_chars=200)
    saved = engine().folder(status.name).saved_steps()
    if not saved or not sentence.strip():
        st.caption(_("Nothing has been saved yet."))
        return
    try:
        weights = engine().folder(status.name).step_folder(saved[-1])
        moment = probed(weights, saved_at(weights), sentence)
    except (ValueError, OSError) as error:  # it may be deleted at this moment
        st.warning(for_markdown(str(error)))
        return
    told = ngettext("After {n} step: **{text}**", "After {n} steps: **{text}**", moment.step)
    text = for_markdown(moment.text[:200]) or _("(nothing)")
    st.markdown(told.format(n=f"{moment.step:,}", text=text))
    weights = all_weights(moment.trace, "cross")[-1].mean(axis=0)
    info = moment.trace.info
    rows, columns = decoder_labels(info.target, info.predicted), labels(info.source)
    layout.matrix_figure(
            weights, rows, columns, theme(), kind="weights", row_title=_("query: input → predicts"),
            column_title=_("key"), compact=True,
        key=f"{key}-attention",
        alt=_("Cross-attention of the last layer on the probe sentence, mean of its heads"),
    )  # fmt: skip


@kept(mebibytes=64)
def probed(weights: "Path", when: int, sentence: str) -> "Moment":
    """The pass of a step's weights, written at `when` (see `saved_at`), over the sentence, and what they say of it."""
    from explainer.translator import Translator
    from explainer.translator.moments import moment_of, pair_of

    translator = Translator.load(weights)
    return moment_of(translator, pair_of(translator, sentence))


def time_in_words(seconds: float) -> str:
    """A time as people say it."""
    if not np.isfinite(seconds) or seconds < 0:
        return "–"
    if seconds < 90:
        return _("{n} s").format(n=f"{seconds:.0f}")
    if seconds < 5400:
        return _("{n} min").format(n=f"{seconds / 60:.0f}")
    return _("{n} h").format(n=f"{seconds / 3600:.1f}")
