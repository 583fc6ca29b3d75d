"""Parts of the page about the schedule: real runs with the norm after or before, with and without warm-up."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations.optimiser import noise_level
from explainer.figures.lines.graphs import Axis, Line, graph, graphs
from explainer.figures.style import Role, number
from explainer.language import _, mark
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, slide
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import theme
from explainer.pages.frame.share import fragment

if TYPE_CHECKING:
    from explainer.train.offers.warmup import Experiment, WarmupRun

NORMS = {"post": mark("post-norm: norm(x + f(x))"), "pre": mark("pre-norm: x + f(norm(x))")}
MEASURES = {mark("loss"): mark("loss, nats"), mark("gradient"): mark("norm of the gradient")}
UNITS = (mark("learning rates"), mark("as it is"))
_RUNS = {
    ("post", True): mark("post-norm, warm-up"), ("post", False): mark("post-norm, no warm-up"),
    ("pre", True): mark("pre-norm, warm-up"), ("pre", False): mark("pre-norm, no warm-up"),
}  # fmt: skip


@kept(mebibytes=8)
def _experiment() -> "Experiment":
    from explainer.train.offers.warmup import load_experiment

    return load_experiment()


def _loaded() -> "Experiment | None":
    try:
        return _experiment()
    except ValueError as error:
        told = _("The runs are not here: {error}. `python -m explainer measure warmup` makes them.")
        st.info(told.format(error=error))
        return None


@fragment
def show_first_updates(words: Words) -> None:
    """How far the weights moved in each step of the real runs."""
    st.markdown(words["first"])
    experiment = _loaded()
    if experiment is None:
        return
    seed = experiment.seeds[0]
    left, right = st.columns([3, 2], gap="large")
    with right:
        unit = choose("unit", _("How far a weight moved, in"), UNITS, UNITS[0], format_func=_)
    relative = unit == UNITS[0]
    runs = [experiment.run(norm, warm=warm, seed=seed) for norm, warm in _RUNS]
    names = [_(name) for name in _RUNS.values()]
    moved = [run.update if relative else run.moved(experiment.recipe.peak) for run in runs]
    lines = [
        _line(run, name, values, "target" if run.norm == "post" else "source")
        for name, run, values in zip(names, runs, moved, strict=True)
    ]
    if relative:
        ends = np.array([1.0, experiment.recipe.steps])
        lines.append(Line(_("noise alone"), ends, np.full(2, noise_level()), "dot"))
    axis = Axis(_("step, logarithmic"), is_log=True, ticks=",d")
    title = _("RMS of Δw / learning rate") if relative else _("RMS of Δw")
    alt = _("{measure} in each step of four runs; without warm-up it is {first} in the first")
    with left:
        layout.figure(
            graph(lines, theme(), x=axis, y=Axis(title), height=320),
            key="updates",
            alt=alt.format(measure=title, first=f"{moved[1][0]:.3g}"),
            table=lambda: layout.line_table(_("step"), lines[:4], ".4g"),
        )
    with right:
        rows = [
            [name, *(f"{run.update[i]:.3f}" for i in (0, run.index_at(10), -1))]
            for name, run in zip(names, runs, strict=True)
        ]
        steps = [_("step {step}").format(step=step) for step in (1, 10, runs[0].steps[-1])]
        st.markdown(layout.as_table([_("learning rates per weight (RMS)"), *steps], rows))
        level = _("That is {noise}.").format(noise=number(noise_level(), 3))
        st.caption(f"{words['noise']} {level}")
    st.markdown(words["noise of the keys"])


@fragment
def show_runs(words: Words) -> None:
    """Loss or gradient norm of the four runs of one seed, and the end of all runs."""
    experiment = _loaded()
    if experiment is None:
        return
    st.markdown(words["runs"])
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        seed = choose("seed", _("Seed"), experiment.seeds, experiment.seeds[0])
        measure = choose("measure", _("Show"), tuple(MEASURES), "loss", format_func=_)
    recipe = experiment.recipe
    is_loss = measure == "loss"
    left, right = st.columns([3, 2], gap="large")
    with right:
        at = int(slide("at", _("At step"), recipe.steps, 1, recipe.steps, 1))
    panels: list[tuple[str, list[Line]]] = []
    for norm, title in NORMS.items():
        lines = []
        for warm, name in ((True, _("warm-up")), (False, _("no warm-up"))):
            run = experiment.run(norm, warm=warm, seed=seed)
            values = run.nll if is_loss else run.gradient_norm
            lines.append(_line(run, name, values, "target" if warm else "residual"))
        panels.append((_(title), lines))
    names = [_(name) for name in _RUNS.values()]
    x, y = Axis(_("step")), Axis(_(MEASURES[measure]), is_log=not is_loss)
    alt = _(
        "{measure} over {n} steps, post-norm at the left, pre-norm at the right, each with and without warm-up"
    )
    with left:
        layout.figure(
            graphs(panels, theme(), x=x, y=y, at=at, height=360),
            key="runs",
            alt=alt.format(measure=_(MEASURES[measure]), n=recipe.steps),
            table=lambda: layout.line_table(_("step"), [*panels[0][1], *panels[1][1]], ".4g", names),
        )
    with right, st.container(key="runs-story"):
        _tell_step(experiment, seed, at)
        st.caption(words["what they show"])
    _tell_recipe(experiment, words)


def _line(run: "WarmupRun", name: str, values: Sequence[float], role: Role) -> Line:
    look = "solid" if run.warmup > 1 else "dash"
    return Line(name, np.array(run.steps, dtype=np.float64), np.array(values), look, role)


def _tell_step(experiment: "Experiment", seed: int, at: int) -> None:
    rows = []
    for (norm, warm), name in _RUNS.items():
        run = experiment.run(norm, warm=warm, seed=seed)
        ends = [experiment.run(norm, warm=warm, seed=one).last_loss for one in experiment.seeds]
        i, told = run.index_at(at), ", ".join(f"{end:.2f}" for end in ends)
        rows.append([_(name), f"{run.nll[i]:.3f}", f"{run.gradient_norm[i]:.2f}", told])
    heading = ["", _("loss"), _("gradient norm"), _("loss at the end, all seeds")]
    st.markdown(layout.as_table(heading, rows))


def _tell_recipe(experiment: "Experiment", words: Words) -> None:
    one = experiment.recipe
    told = layout.filled(
        words["recipe"], n_layers=one.n_layers, d_model=one.d_model, n_heads=one.n_heads, d_ff=one.d_ff,
        shortest=one.shortest, longest=one.longest, symbols=one.symbols, steps=one.steps,
        max_tokens=one.max_tokens, clip=f"{one.clip:g}", peak=f"{one.peak:g}", warmup=one.warmup,
    )  # fmt: skip
    st.caption(told)
