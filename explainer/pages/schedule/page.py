"""Page: how fast does it learn? The learning-rate schedule, Adam, and what warm-up and norms do to real runs."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from explainer.equations.optimiser import (
    INVERSE_SQUARE_ROOT,
    check_values,
    drawn_steps,
    inverse_square_root,
    peak_latex,
    peak_of,
    rate_story,
)
from explainer.equations.softmax import largest_difference
from explainer.figures.lines.graphs import Axis, Line, Mark, graph
from explainer.figures.style import number, power, small
from explainer.language import _, mark
from explainer.pages.frame import layout
from explainer.pages.frame.link import choose, set_link, slide
from explainer.pages.frame.page import NOTHING, Words, page
from explainer.pages.frame.session import theme
from explainer.pages.frame.share import fragment
from explainer.pages.schedule.adam import show_adam
from explainer.pages.schedule.runs import show_first_updates, show_runs
from explainer.pages.schedule.shapes import Plan, show_ours, show_shapes

TOTALS = (5_000, 20_000, 100_000)
PAPER = (512, 4000)  # the base model: d_model and warm-up
AXES = (mark("linear"), mark("logarithmic"))
LINKS = (
    "d", "warmup", "steps", "step", "axis", "decay",
    "g", "scale", "b1", "b2", "bias", "t",
    "unit", "seed", "measure", "at",
)  # fmt: skip


def show(__: None, words: Words) -> None:
    """The schedule and its shapes, Adam, and real runs with and without warm-up."""
    _show_schedules(words)
    show_ours(words)
    st.divider()
    show_adam(words)
    st.divider()
    show_first_updates(words)
    show_runs(words)


@fragment
def _show_schedules(words: Words) -> None:
    show_shapes(_show_formula(words), words)


def _show_formula(words: Words) -> Plan:
    """Sliders, the curve, and the arithmetic of one step."""
    st.markdown(words["formula"])
    left, right = st.columns([3, 2], gap="large")
    with right:
        d_model = int(slide("d", "d_model", PAPER[0], 64, 1024, 64))
        warmup = int(slide("warmup", _("Warm-up, steps"), PAPER[1], 100, 16_000, 100))
        total = choose("steps", _("Steps in all"), TOTALS, 20_000, forgets=("step",), format_func=_spaced)
        step = int(slide("step", _("Step"), min(warmup, total), 1, total, 1))
        plan = Plan(d_model=d_model, warmup=warmup, total=total, step=step)
    with left:
        axis = choose("axis", _("Axes"), AXES, "linear", format_func=_)
        _show_curve(plan, is_log=axis == "logarithmic")
    with right, st.container(key="rate-story"):
        _tell_rate(plan)
    _show_values(plan, words)
    return plan


def _show_curve(plan: Plan, *, is_log: bool) -> None:
    steps = drawn_steps(plan.total, (plan.warmup, PAPER[1], plan.step))
    rates = inverse_square_root(steps, plan.d_model, plan.warmup)
    name = _("d_model {d_model}, warm-up {warmup}").format(d_model=plan.d_model, warmup=plan.warmup)
    lines = [Line(name, steps, rates, "solid", "target")]
    if (plan.d_model, plan.warmup) != PAPER:
        base = inverse_square_root(steps, *PAPER)
        lines.insert(0, Line(_("the paper's base model"), steps, base, "dot"))
    rate = float(inverse_square_root(np.array([plan.step], dtype=np.float64), plan.d_model, plan.warmup)[0])
    here = _("step {step}").format(step=_spaced(plan.step))
    marks = [Mark(here, plan.step, rate, place="top right")]
    alt = _(
        "The learning rate over {n} steps: up to {peak} at step {warmup}, then down with the root of the step"
    )
    layout.figure(
        graph(
            lines,
            theme(),
            x=Axis(_("step"), is_log=is_log, ticks=",d"),
            y=Axis(_("learning rate"), is_log=is_log),
            marks=marks,
            at=plan.step,
        ),
        key="schedule",
        alt=alt.format(n=plan.total, peak=f"{peak_of(plan.d_model, plan.warmup):.3e}", warmup=plan.warmup),
        table=lambda: layout.line_table(_("step"), lines, ".4e"),
        says=lambda x, __: {"step": str(max(1, round(x)))},
        part="point",
    )


def _tell_rate(plan: Plan) -> None:
    """The formula, its numbers at the selected step, and the trainer's own function beside it."""
    from explainer.train.learning import schedule

    used = partial(schedule.inverse_square_root, d_model=plan.d_model, warmup=plan.warmup)
    st.latex(INVERSE_SQUARE_ROOT)
    latex, told = rate_story(plan.step, plan.d_model, plan.warmup, used(plan.step))
    st.latex(latex)
    steps = drawn_steps(plan.total, (plan.warmup,))
    ours = inverse_square_root(steps, plan.d_model, plan.warmup)
    largest = largest_difference(ours, np.array([used(int(step)) for step in steps]))
    compared = _(
        "Vaswani et al. 2017, eq. 3. The trainer, `explainer/train/learning/schedule.py`, has {rate} there, |Δ| = "
        "{deviation}; over all steps of the figure max |Δ| = {largest}. Both are the same formula, written twice; "
        "nothing independent is checked."
    )
    st.caption(
        compared.format(rate=power(told.model), deviation=small(told.deviation), largest=small(largest))
    )


def _show_values(plan: Plan, words: Words) -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(words["values"])
        values = check_values(plan.d_model, plan.warmup, plan.total)
        rows = [[_spaced(step), power(rate), number(share, 4)] for step, rate, share in values]
        st.markdown(layout.as_table([_("step"), _("learning rate"), _("share of the peak")], rows))
    with right:
        st.latex(peak_latex(plan.d_model, plan.warmup))


def _spaced(count: int) -> str:
    return f"{count:,}".replace(",", "\u2009")


def _preset(name: str) -> None:
    """Set the sliders as an example says."""
    found = re.fullmatch(r"\D*(\d+)\D+(\d+)\D*", name)
    if found:
        set_link(d=found[1], warmup=found[2], step=None)


page("schedule", show, needs=replace(NOTHING, choose=_preset), links=LINKS)
