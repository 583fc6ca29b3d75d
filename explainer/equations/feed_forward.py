"""The feed-forward layer (Vaswani et al. 2017, eq. 2), relative to its module: the same at every position."""

import numpy as np

from explainer.equations.catalog import register_equations
from explainer.equations.equation import Equation
from explainer.equations.story import CellStory, affine, affine_story, as_written, written
from explainer.language import _, mark

X, INNER, ACTIVE, ADDED = "hook_x", "hook_pre", "hook_post", "hook_output"
_PAPER = mark("Vaswani et al. 2017, eq. 2")


def _pre_cell(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, unit = index
    symbol = rf"u_{{{position + 1},{unit + 1}}}"
    return affine_story(symbol, x[position], weight, bias, unit, roles=("residual", ""))


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
    symbol = rf"\operatorname{{FFN}}(x_{{{position + 1}}})_{{{dim + 1}}}"
    return affine_story(symbol, active[position], weight, bias, dim, roles=("", ""))


PRE = Equation(
    latex=r"u = \residual{x}\,W_1 + b_1",
    source=_PAPER,
    reads=(X, "inner.weight", "inner.bias"),
    explains=INNER,
    compute=affine,
    cell=_pre_cell,
)
POST = Equation(
    latex=r"u^{+} = \max(0,\, u)",
    source=_PAPER,
    reads=(INNER,),
    explains=ACTIVE,
    compute=lambda inner: np.maximum(inner, 0),
    cell=_post_cell,
    restates=True,
)
FFN_OUTPUT = Equation(
    latex=r"\operatorname{FFN}(\residual{x}) = u^{+}\,W_2 + b_2 = \max(0,\, \residual{x}\,W_1 + b_1)\,W_2 + b_2",
    source=_PAPER,
    reads=(ACTIVE, "outer.weight", "outer.bias"),
    explains=ADDED,
    compute=affine,
    cell=_ffn_cell,
)
register_equations("FeedForward", equations=(PRE, POST, FFN_OUTPUT))
