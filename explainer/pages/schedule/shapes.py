"""Parts of the page about the schedule: other shapes with the same peak, and the translator's own."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from explainer.equations.optimiser import (
    COSINE,
    TRAPEZOID,
    cosine,
    drawn_steps,
    inverse_square_root,
    peak_of,
    rate_at,
    shaped,
    trapezoid,
)
from explainer.equations.softmax import largest_difference
from explainer.figures.escape import for_markdown
from explainer.figures.lines.graphs import Axis, Line, Mark, graph
from explainer.figures.style import power, small
from explainer.language import _
from explainer.pages.frame import layout
from explainer.pages.frame.link import slide
from explainer.pages.frame.models import training_record, translator
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import theme

ROOM = 1.3  # right of the last step there is room for the name of a mark
AGREES = 1e-9  # what rounding may make of a learning rate in a file


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the sliders say: width of the model, steps of warm-up, steps in all, and the selected step."""

    d_model: int
    warmup: int
    total: int
    step: int


def show_shapes(plan: Plan, words: Words) -> None:
    """Three schedules that share their peak, and their rates at the selected step."""
    st.markdown(words["shapes"])
    left, right = st.columns([3, 2], gap="large")
    with right:
        decay = slide("decay", _("Share of the steps in which the trapezoid falls"), 0.3, 0.05, 0.9, 0.05)
    peak, decay_from = peak_of(plan.d_model, plan.warmup), round(plan.total * (1 - decay))
    steps = drawn_steps(plan.total, (plan.warmup, decay_from, plan.step))
    falling = trapezoid(steps, peak, plan.warmup, decay_from, plan.total)
    lines = [
        Line(_("the paper's"), steps, inverse_square_root(steps, plan.d_model, plan.warmup), "dot"),
        Line(_("trapezoid"), steps, falling, "solid", "target"),
        Line(_("cosine"), steps, cosine(steps, peak, plan.warmup, plan.total), "dash", "source"),
    ]
    x, y = Axis(_("step"), ticks=",d"), Axis(_("learning rate"))
    with left:
        layout.figure(
            graph(lines, theme(), x=x, y=y, at=plan.step, height=280),
            key="shapes",
            alt=_("The paper's schedule, a trapezoid and a cosine with the same warm-up and peak"),
            table=lambda: layout.line_table(_("step"), lines, ".4e"),
        )
    with right, st.container(key="shapes-story"):
        _tell_shapes(plan, peak, decay_from, lines)


def _tell_shapes(plan: Plan, peak: float, decay_from: int, lines: list[Line]) -> None:
    from explainer.train.learning import schedule

    for line, formula in zip(lines[1:], (TRAPEZOID, COSINE), strict=True):
        st.latex(rf"\text{{{line.name}:}}\quad {formula}")
    letters = _(
        "s: step, w = {warmup}: warm-up, n = {total}: steps in all, d = {decay_from}: the fall begins."
    )
    st.caption(letters.format(warmup=plan.warmup, total=plan.total, decay_from=decay_from))
    total, warmup = plan.total, plan.warmup
    theirs: list[Callable[[int], float]] = [
        lambda s: schedule.inverse_square_root(s, d_model=plan.d_model, warmup=warmup),
        lambda s: schedule.trapezoid(s, peak=peak, warmup=warmup, decay_from=decay_from, steps=total),
        lambda s: schedule.cosine(s, peak=peak, warmup=warmup, steps=total),
    ]
    heading = ["", _("learning rate at step {step}").format(step=plan.step)]
    heading.append(_("max \\|Δ\\| to the trainer's function, the same formula"))
    rows = []
    for line, rate in zip(lines, theirs, strict=True):
        here = rate_at(line.x, line.y, plan.step)
        used = np.array([rate(int(step)) for step in line.x])
        rows.append([line.name, power(here), small(largest_difference(line.y, used))])
    st.markdown(layout.as_table(heading, rows))


def show_ours(words: Words) -> None:
    """The learning rates that the shipped translator was trained with, and the step that it has reached."""
    from explainer.checkpoints import CheckpointError

    st.markdown(words["ours"])
    try:
        model = translator()
    except CheckpointError as error:
        told = _("**The translator cannot be loaded.** {error}")
        st.error(told.format(error=error), icon=":material/folder_off:")
        return
    record = training_record(model)
    if isinstance(record, str):
        told = _(
            "Its learning rates are not known here: {reason}. The weights are those of step {step}; the recipe stands "
            "in `pretrained/translator/CARD.md`."
        )
        st.info(told.format(reason=record, step=f"{model.checkpoint.step:,}".replace(",", "\u2009")))
        return
    asked = record.request
    steps, rates = (np.array(column, dtype=np.float64) for column in zip(*record.rates, strict=True))
    formula = shaped(
        asked.schedule, steps, d_model=asked.d_model, peak=asked.peak, warmup=asked.warmup,
        decay=asked.decay, total=asked.steps,
    )  # fmt: skip
    request = _("{schedule} of the request").format(schedule=asked.schedule)
    lines = [
        Line(request, steps, formula, "dash"),
        Line(_("used"), steps, rates, "points", "target"),
    ]
    here = rate_at(steps, rates, model.checkpoint.step)
    name = _("step {step}").format(step=model.checkpoint.step)
    alt = _("The learning rates of the translator's training, {schedule}, and its step {step}")
    left, right = st.columns([3, 2], gap="large")
    with left:
        layout.figure(
            graph(
                lines,
                theme(),
                x=Axis(_("step"), (0, ROOM * steps[-1]), ticks=",d"),
                y=Axis(_("learning rate")),
                marks=[Mark(name, model.checkpoint.step, here, place="top right")],
                height=280,
            ),
            key="ours",
            alt=alt.format(schedule=asked.schedule, step=model.checkpoint.step),
            table=lambda: layout.line_table(_("step"), lines[::-1], ".4e", [_("used"), _("by the formula")]),
        )
    with right, st.container(key="ours-story"):
        largest = largest_difference(rates, formula)
        named = ("schedule", "peak", "warmup", "decay", "steps", "max_tokens", "smoothing", "weight_decay")
        rows = [[for_markdown(name), for_markdown(f"{getattr(asked, name)}")] for name in named]
        st.markdown(layout.as_table([_("training request"), ""], rows))
        told = _("Formula and points differ by at most {difference}.")
        st.caption(told.format(difference=small(largest)))
        if largest > AGREES:
            st.caption(words["ours differs"])
