"""The feed-forward layer (Vaswani et al. 2017, eq. 2), relative to its module: the same at every position."""

import numpy as np

from explainer.equations.catalog import register_equations
from explainer.equations.equation import Equation
from explainer.equations.story import CellStory, as_written, sum_story, written
from explainer.language import _, mark

X, INNER, ACTIVE, ADDED = "hook_x", "hook_pre", "hook_post", "hook_output"
_PAPER = mark("Vaswani et al. 2017, eq. 2")


def _pre_cell(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, unit = index
    return sum_story(
        rf"u_{{{position + 1},{unit + 1}}}",
        (x[position], weight[unit]),
        summand=rf"\residual{{x_{{{position + 1},c}}}} \cdot (W_1)_{{c,{unit + 1}}}",
        roles=("residual", ""),
        bias=float(bias[unit]),
    )


def _post_cell(inner: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, unit = index
    value = float(inner[index])
    return CellStory(
        symbol=rf"u^{{+}}_{{{position + 1},{unit + 1}}}",
        finish=rf"\max(0,\ {written(value, bracketed=False)})",
        after=lambda __: max(0.0, as_written(value)),
        result=max(0.0, value),
        note=_("this hidden neuron is off here") if value <= 0 else "",
    )


def _ffn_cell(active: np.ndarray, weight: np.ndarray, bias: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, dim = index
    return sum_story(
        rf"\operatorname{{FFN}}(x_{{{position + 1}}})_{{{dim + 1}}}",
        (active[position], weight[dim]),
        summand=rf"u^{{+}}_{{{position + 1},j}} \cdot (W_2)_{{j,{dim + 1}}}",
        roles=("", ""),
        bias=float(bias[dim]),
    )


PRE = Equation(
    name="hidden layer",
    latex=r"u = \residual{x}\,W_1 + b_1",
    source=_PAPER,
    reads=(X, "inner.weight", "inner.bias"),
    explains=INNER,
    compute=lambda x, weight, bias: x @ weight.T + bias,
    cell=_pre_cell,
)
POST = Equation(
    name="after ReLU",
    latex=r"u^{+} = \max(0,\, u)",
    source=_PAPER,
    reads=(INNER,),
    explains=ACTIVE,
    compute=lambda inner: np.maximum(inner, 0),
    cell=_post_cell,
    restates=True,
)
FFN_OUTPUT = Equation(
    name="feed-forward output",
    latex=r"\operatorname{FFN}(\residual{x}) = u^{+}\,W_2 + b_2 = \max(0,\, \residual{x}\,W_1 + b_1)\,W_2 + b_2",
    source=_PAPER,
    reads=(ACTIVE, "outer.weight", "outer.bias"),
    explains=ADDED,
    compute=lambda active, weight, bias: active @ weight.T + bias,
    cell=_ffn_cell,
)
register_equations("FeedForward", equations=(PRE, POST, FFN_OUTPUT))
