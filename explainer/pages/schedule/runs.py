"""Parts of the page about the schedule: real runs with the norm after or before, with and without warm-up."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations.optimiser import noise_level
from explainer.figures.lines.graphs import Axis, Line, graph, graphs
from explainer.figures.style import number
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, slide
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import theme
from explainer.pages.frame.share import fragment

if TYPE_CHECKING:
    from explainer.train.offers.warmup import Experiment, WarmupRun

NORMS = {"post": "post-norm: norm(x + f(x))", "pre": "pre-norm: x + f(norm(x))"}
MEASURES = {"loss": "loss, nats", "gradient": "norm of the gradient"}
UNITS = ("learning rates", "as it is")


@kept(mebibytes=8)
def _experiment() -> "Experiment":
    from explainer.train.offers.warmup import load_experiment

    return load_experiment()


def _loaded() -> "Experiment | None":
    try:
        return _experiment()
    except ValueError as error:
        st.info(f"The runs are not here: {error}. `python -m explainer measure warmup` makes them.")
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
        unit = choose("unit", "How far a weight moved, in", UNITS, UNITS[0])
    relative = unit == UNITS[0]
    runs = [experiment.run(norm, warm=warm, seed=seed) for norm in NORMS for warm in (True, False)]
    names = [f"{run.norm}-norm, {'warm-up' if run.warmup > 1 else 'no warm-up'}" for run in runs]
    moved = [run.update if relative else run.moved(experiment.recipe.peak) for run in runs]
    lines = [
        Line(
            name,
            np.array(run.steps, dtype=np.float64),
            np.array(values),
            "solid" if run.warmup > 1 else "dash",
            "target" if run.norm == "post" else "source",
        )
        for name, run, values in zip(names, runs, moved, strict=True)
    ]
    if relative:
        ends = np.array([1.0, experiment.recipe.steps])
        lines.append(Line("noise alone", ends, np.full(2, noise_level()), "dot"))
    title = "RMS of Δw / learning rate" if relative else "RMS of Δw"
    with left:
        layout.figure(
            graph(
                lines,
                theme(),
                x=Axis("step, logarithmic", is_log=True, ticks=",d"),
                y=Axis(title),
                height=320,
            ),
            key="updates",
            alt=f"{title} in each step of four runs; without warm-up it is {moved[1][0]:.3g} in the first",
            table=lambda: (
                ["step", *names],
                [
                    [step, *(f"{value:.4g}" for value in row)]
                    for step, *row in zip(runs[0].steps, *moved, strict=True)
                ],
            ),
        )
    with right:
        rows = [
            f"| {name} | {run.update[0]:.3f} | {run.update[run.index_at(10)]:.3f} | {run.update[-1]:.3f} |"
            for name, run in zip(names, runs, strict=True)
        ]
        heading = f"| learning rates per weight (RMS) | step 1 | step 10 | step {runs[0].steps[-1]} |"
        st.markdown("\n".join([heading, "|---|---|---|---|", *rows]))
        st.caption(words["noise"] + f" That is {number(noise_level(), 3)}.")
    st.markdown(words["noise of the keys"])


@fragment
def show_runs(words: Words) -> None:
    """Loss or gradient norm of the four runs of one seed, and the end of all runs."""
    experiment = _loaded()
    if experiment is None:
        return
    st.markdown(words["runs"])
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        seed = choose("seed", "Seed", experiment.seeds, experiment.seeds[0])
        measure = choose("measure", "Show", tuple(MEASURES), "loss")
    recipe = experiment.recipe
    is_loss = measure == "loss"
    left, right = st.columns([3, 2], gap="large")
    with right:
        at = int(slide("at", "At step", recipe.steps, 1, recipe.steps, 1))
    panels = [
        (
            title,
            [
                _line(experiment.run(norm, warm=True, seed=seed), "warm-up", is_loss=is_loss),
                _line(experiment.run(norm, warm=False, seed=seed), "no warm-up", is_loss=is_loss),
            ],
        )
        for norm, title in NORMS.items()
    ]
    with left:
        layout.figure(
            graphs(
                panels,
                theme(),
                x=Axis("step"),
                y=Axis(MEASURES[measure], is_log=not is_loss),
                at=at,
                height=360,
            ),
            key="runs",
            alt=f"{MEASURES[measure]} over {recipe.steps} steps, post-norm at the left, pre-norm at the right, each "
            "with and without warm-up",
            table=lambda: (
                ["step", *(f"{title[:4]}, {line.name}" for title, lines in panels for line in lines)],
                [
                    [int(step), *(f"{value:.4g}" for value in row)]
                    for step, *row in zip(
                        panels[0][1][0].x, *(line.y for _, lines in panels for line in lines), strict=True
                    )
                ],
            ),
        )
    with right, st.container(key="runs-story"):
        _tell_step(experiment, seed, at)
        st.caption(words["what they show"])
    _tell_recipe(experiment)


def _line(run: "WarmupRun", name: str, *, is_loss: bool) -> Line:
    values = np.array(run.nll if is_loss else run.gradient_norm)
    look, role = ("solid", "target") if run.warmup > 1 else ("dash", "residual")
    return Line(name, np.array(run.steps, dtype=np.float64), values, look, role)


def _tell_step(experiment: "Experiment", seed: int, at: int) -> None:
    rows = ["| | loss | gradient norm | loss at the end, all seeds |", "|---|---|---|---|"]
    for norm in NORMS:
        for warm in (True, False):
            run = experiment.run(norm, warm=warm, seed=seed)
            ends = [experiment.run(norm, warm=warm, seed=one).last_loss for one in experiment.seeds]
            i = run.index_at(at)
            rows.append(
                f"| {norm}, {'warm-up' if warm else 'none'} | {run.nll[i]:.3f} | {run.gradient_norm[i]:.2f} "
                f"| {', '.join(f'{end:.2f}' for end in ends)} |"
            )
    st.markdown("\n".join(rows))


def _tell_recipe(experiment: "Experiment") -> None:
    one = experiment.recipe
    st.caption(
        f"Recipe: {one.n_layers} encoder and {one.n_layers} decoder layers, d_model {one.d_model}, "
        f"{one.n_heads} heads, d_ff {one.d_ff}; task: say {one.shortest} to {one.longest} random symbols (of "
        f"{one.symbols}) in reverse; "
        f"{one.steps} steps of at most {one.max_tokens} positions; AdamW, β = (0.9, 0.98), no decay, no dropout, no "
        f"smoothing, gradient clipped at {one.clip:g}; learning rate {one.peak:g}, with warm-up reached after "
        f"{one.warmup} steps, without from step 1. Made by "
        "`python -m explainer measure warmup`: our trainer on one CPU core, no data needed."
    )
