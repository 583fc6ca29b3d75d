"""The attention equations (Vaswani et al. 2017, §3.2.1), each tied to the hooks of an attention module."""

import dataclasses

import numpy as np

from explainer.equations.equation import Equation
from explainer.equations.softmax import softmax
from explainer.equations.story import as_written, power_story, sum_story, written
from explainer.story import EXPONENT, TOTAL, CellStory, power_of_e

Q, K, V = "hook_q", "hook_k", "hook_v"
DOT, SCORE, MASK = "attend.hook_dots", "attend.hook_scores", "attend.hook_mask"
MASKED, WEIGHT, MIX = "attend.hook_masked", "attend.hook_weights", "attend.hook_mixed"
_PAPER = "Vaswani et al. 2017, eq. 1"


def divided_by(d_head: int) -> float:
    """√d_k, by which the dot products of a head are divided: the width of one head, not of the model."""
    return float(np.sqrt(d_head))


def _dot_cell(
    symbol: str, q: np.ndarray, k: np.ndarray, index: tuple[int, ...], divisor: float = 1.0, finish: str = ""
) -> CellStory:
    head, query, key = index
    return sum_story(
        rf"{symbol}_{{{query + 1},{key + 1}}}",
        (q[head, query], k[head, key]),
        summand=rf"\query{{q_{{{query + 1},c}}}} \cdot \key{{k_{{{key + 1},c}}}}",
        roles=("query", "key"),
        divisor=divisor,
        finish=finish,
    )


def _score_cell(q: np.ndarray, k: np.ndarray, index: tuple[int, ...]) -> CellStory:
    d_head = q.shape[-1]
    root = divided_by(d_head)
    told = _dot_cell("s", q, k, index, divisor=root, finish=rf"\div \sqrt{{{d_head}}} = {root:g}")
    return dataclasses.replace(told, after=lambda total: total / float(f"{root:g}"))


def _masked_cell(scores: np.ndarray, mask: np.ndarray, index: tuple[int, ...]) -> CellStory:
    _, query, key = index
    symbol = rf"s_{{{query + 1},{key + 1}}} + m_{{{query + 1},{key + 1}}}"
    if not mask[index]:
        return CellStory(symbol=symbol, result=float("-inf"), note="may not be attended to")
    return CellStory(symbol=symbol, result=float(scores[index]), note="allowed: 0 is added")


def _weight_cell(masked: np.ndarray, index: tuple[int, ...]) -> CellStory:
    head, query, key = index
    row = masked[head, query].astype(np.float64)
    cell = rf"{{{query + 1},{key + 1}}}"
    if np.isneginf(row[key]):
        return CellStory(symbol=f"a_{cell}", result=0.0, note="masked: e to the minus infinity is 0")
    symbol, summand = rf"a_{cell} = e^{{s_{cell}}} \div \Sigma", rf"e^{{s_{{{query + 1},j}}}}"
    story = power_story(symbol, row, summand=summand, role="attention", also=key)
    exponent = as_written(float(row[key]), EXPONENT)
    power = rf"e^{{{written(exponent, EXPONENT, bracketed=False)}}}"
    return dataclasses.replace(
        story,
        finish=rf"{power} \div {TOTAL}",
        after=lambda total: power_of_e(exponent) / total,
        result=float(softmax(row)[key]),
    )


def _mix_cell(weights: np.ndarray, v: np.ndarray, index: tuple[int, ...]) -> CellStory:
    head, query, dim = index
    return sum_story(
        rf"z_{{{query + 1},{dim + 1}}}",
        (weights[head, query], v[head, :, dim]),
        summand=rf"\attention{{a_{{{query + 1},j}}}} \cdot \value{{v_{{j,{dim + 1}}}}}",
        roles=("attention", "value"),
    )


DOTS = Equation(
    name="dot products",
    latex=r"\query{Q}\,\key{K}^{\top}",
    source=_PAPER,
    reads=(Q, K),
    explains=DOT,
    compute=lambda q, k: q @ k.swapaxes(-1, -2),
    cell=lambda q, k, index: _dot_cell("d", q, k, index),
)
SCORES = Equation(
    name="scores",
    latex=r"S = \frac{\query{Q}\,\key{K}^{\top}}{\sqrt{d_k}}",
    source=_PAPER,
    reads=(Q, K),
    explains=SCORE,
    compute=lambda q, k: q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(q.shape[-1])),
    cell=_score_cell,
)
MASKED_SCORES = Equation(
    name="masked scores",
    latex=r"S + M,\quad m_{ij} = \begin{cases}0 & \text{may attend}\\ -\infty & \text{may not}\end{cases}",
    source="Vaswani et al. 2017, §3.2.3",
    reads=(SCORE, MASK),
    explains=MASKED,
    compute=lambda scores, mask: np.where(mask, scores, -np.inf),
    cell=_masked_cell,
    restates=True,
)
WEIGHTS = Equation(
    name="weights",
    latex=r"\attention{A} = \operatorname{softmax}(S + M),\quad"
    r" \attention{a_{ij}} = \frac{e^{s_{ij} + m_{ij}}}{\sum_{j'} e^{s_{ij'} + m_{ij'}}}",
    source=_PAPER,
    reads=(MASKED,),
    explains=WEIGHT,
    compute=softmax,
    cell=_weight_cell,
)
MIXED = Equation(
    name="mixed values",
    latex=r"Z = \attention{A}\,\value{V}",
    source=_PAPER,
    reads=(WEIGHT, V),
    explains=MIX,
    compute=lambda weights, v: weights @ v,
    cell=_mix_cell,
)
ATTENTION = (DOTS, SCORES, MASKED_SCORES, WEIGHTS, MIXED)
