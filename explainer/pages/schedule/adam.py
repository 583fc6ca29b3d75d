"""A part of the page about the schedule: Adam on one weight, with gradients that can be typed."""

import math

import numpy as np
import streamlit as st

from explainer.equations.optimiser import ADAM, BETAS, AdamStep, adam, adam_latex
from explainer.equations.softmax import largest_difference
from explainer.figures.lines.graphs import Axis, Line, graph
from explainer.figures.style import digits, number, small
from explainer.language import _, mark
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, fell_back, set_link
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import theme
from explainer.pages.frame.share import fragment, note
from explainer.pages.frame.stepper import stepper

GRADIENTS = "0.5, 0.4, -0.2, 0.3, 0.1, 0.4, -0.1, 0.2"
MOST = 20  # gradients
SCALES = (0.01, 1, 100)
SWITCH = (mark("on"), mark("off"))
BETAS_1, BETAS_2 = (0.0, 0.9, 0.99), (0.9, 0.98, 0.999)
_FIELD = "gradients-field"


@fragment
def show_adam(words: Words) -> None:
    """A line for each step, the arithmetic of one, and the size of the steps as a curve."""
    st.markdown(words["adam"])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        gradients = _choose_gradients()
        scale = choose("scale", _("times"), SCALES, 1)
        betas = (
            choose("b1", "β₁", BETAS_1, BETAS[0], format_func="{:g}".format),
            choose("b2", "β₂", BETAS_2, BETAS[1], format_func="{:g}".format),
        )
        corrected = choose("bias", _("Bias correction"), SWITCH, "on", format_func=_) == "on"
    scaled = [scale * g for g in gradients]
    steps = adam(scaled, [1.0] * len(scaled), betas=betas, corrected=corrected)
    titles = [_("step {step}").format(step=one.step) for one in steps]
    at = stepper("t", titles, default=min(1, len(steps) - 1)) + 1
    left, right = st.columns([3, 2], gap="large")
    with left:
        _show_table(steps, at)
        _show_directions(scaled, betas, at)
    with right, st.container(key="adam-story"):
        st.latex(ADAM)
        st.caption(
            _("Kingma & Ba 2015, algorithm 1; Vaswani et al. 2017, §5.3, use β₁ = 0.9, β₂ = 0.98, ε = 10⁻⁹.")
        )
        st.latex(adam_latex(steps, at, betas=betas, corrected=corrected))
        st.markdown(words["adam scale"])
        st.markdown(words["adam betas"])
        if corrected:
            st.caption(_against_torch(scaled, betas, steps))


def _choose_gradients() -> list[float]:
    """What the visitor typed; the default, said, if it is no list of numbers."""
    text = st.query_params.get("g", GRADIENTS)
    gradients = _parsed(text)
    if gradients is None:
        fell_back("g", text, _("1 to {most} numbers with commas between them").format(most=MOST))
        text, gradients = GRADIENTS, _parsed(GRADIENTS) or []
    note("g", text)
    if st.session_state.get(_FIELD) != text:
        st.session_state[_FIELD] = text
    st.text_input(
        _("Gradients of the weight, one for each step"), key=_FIELD, max_chars=200, on_change=_typed
    )
    return gradients


def _parsed(text: str) -> list[float] | None:
    try:
        values = [float(part.replace("−", "-")) for part in text.split(",")]
    except ValueError:
        return None
    fits = 1 <= len(values) <= MOST and all(math.isfinite(one) and abs(one) <= 1e6 for one in values)
    return values if fits else None


def _show_table(steps: list[AdamStep], at: int) -> None:
    rows = []
    for one in steps:
        values = (one.gradient, one.m, one.v, one.m_hat, one.v_hat)
        cells = [str(one.step), *map(digits, values), number(one.direction, 4)]
        rows.append([f"**{cell}**" if one.step == at else cell for cell in cells])
    st.markdown(layout.as_table(["t", "g", "m", "v", "m̂", "v̂", "m̂ / (√v̂ + ε)"], rows))


def _show_directions(gradients: list[float], betas: tuple[float, float], at: int) -> None:
    """m̂/√v̂ over the steps, with and without bias correction."""
    x = np.arange(1, len(gradients) + 1, dtype=np.float64)
    with_, without = (
        np.array([one.direction for one in adam(gradients, [1.0] * len(x), betas=betas, corrected=on)])
        for on in (True, False)
    )
    lines = [
        Line(_("with bias correction"), x, with_, "solid", "target"),
        Line(_("without"), x, without, "dash"),
    ]
    layout.figure(
        graph(
            lines, theme(), x=Axis(_("step t"), every=1), y=Axis(_("step / learning rate")), at=at, height=240
        ),
        key="directions",
        alt=_("The update in units of the learning rate; at step {step} it is {value}").format(
            step=at, value=f"{lines[0].y[at - 1]:.3f}"
        ),
        table=lambda: layout.line_table("t", lines, ".6g"),
        says=lambda x, __: {"t": str(max(1, round(x)))},
        part="point",
    )


@kept(mebibytes=1)
def _by_torch(gradients: tuple[float, ...], betas: tuple[float, float]) -> list[float]:
    """The weight after each step of `torch.optim.Adam` with learning rate 1."""
    from explainer.train.learning.autograd import torch_adam

    return torch_adam(gradients, betas=betas)


def _against_torch(gradients: list[float], betas: tuple[float, float], steps: list[AdamStep]) -> str:
    theirs = _by_torch(tuple(gradients), betas)
    largest = largest_difference(np.array([one.weight for one in steps]), np.array(theirs))
    told = _("Checked: `torch.optim.Adam` moves the weight by the same steps, max |Δ| = {difference}.")
    return told.format(difference=small(largest))


def _typed() -> None:
    set_link(g=st.session_state[_FIELD], t=None)
