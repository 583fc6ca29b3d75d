"""What happens before and after attention (Vaswani et al. 2017, §3.2.2), relative to an attention module.

X is what the queries are made of, Y what keys and values are made of: the same in self-attention, the encoder's
memory in cross-attention. torch stores W as [out, in], so that X W is `x @ weight.T`.
"""

import numpy as np

from explainer.equations.attention import MIX, K, Q, V
from explainer.equations.equation import Equation
from explainer.equations.story import sum_story
from explainer.story import CellStory

CONCATENATED, COLLECTED = "hook_concat", "hook_output"
_PAPER = "Vaswani et al. 2017, §3.2.2; with biases"


def _into_heads(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, mixed: np.ndarray) -> np.ndarray:
    """X W + b as [head, position, d_head]; of `mixed` [head, query, d_head] only the number of heads is used."""
    projected = x @ weight.T + bias  # [position, d_model]
    return projected.reshape(len(x), len(mixed), -1).swapaxes(0, 1)


def _projection(role: str, letter: str, x: str, hook_x: str, hook: str) -> Equation:
    """One of Q, K, V.

    Args:
        role: Its role, which is also the name of its layer.
        letter: Its symbol.
        x: Symbol of what it is made of.
        hook_x: Hook of what it is made of.
        hook: Hook of the result.
    """

    def cell(
        x_in: np.ndarray, weight: np.ndarray, bias: np.ndarray, mixed: np.ndarray, index: tuple[int, ...]
    ) -> CellStory:
        head, position, dim = index
        column = head * (len(weight) // len(mixed)) + dim  # of W, whose columns are those of all heads
        return sum_story(
            rf"{letter.lower()}_{{{position + 1},{dim + 1}}}",
            (x_in[position], weight[column]),
            summand=rf"\residual{{{x.lower()}_{{{position + 1},c}}}} \cdot \{role}{{(W_{letter})_{{c,{column + 1}}}}}",
            roles=("residual", role),
            bias=float(bias[column]),
        )

    return Equation(
        name={"query": "queries", "key": "keys", "value": "values"}[role],
        latex=rf"[\,\{role}{{{letter}_1}} \cdots \{role}{{{letter}_h}}\,]"
        rf" = \residual{{{x}}}\,\{role}{{W_{letter}}} + b_{letter}",
        source=_PAPER,
        reads=(hook_x, f"{role}.weight", f"{role}.bias", MIX),
        explains=hook,
        compute=_into_heads,
        cell=cell,
    )


def _concat_cell(mixed: np.ndarray, index: tuple[int, ...]) -> CellStory:
    query, column = index
    head, dim = divmod(column, mixed.shape[-1])
    return CellStory(
        symbol=rf"c_{{{query + 1},{column + 1}}}",
        finish=rf"z^{{({head + 1})}}_{{{query + 1},{dim + 1}}}",
        result=float(mixed[head, query, dim]),
        note=f"is head {head + 1}'s z at dimension {dim + 1}",
    )


def _output_cell(
    concat: np.ndarray, weight: np.ndarray, bias: np.ndarray, index: tuple[int, ...]
) -> CellStory:
    query, dim = index
    return sum_story(
        rf"o_{{{query + 1},{dim + 1}}}",
        (concat[query], weight[dim]),
        summand=rf"\value{{c_{{{query + 1},j}}}} \cdot (W_O)_{{j,{dim + 1}}}",
        roles=("value", ""),
        bias=float(bias[dim]),
    )


QUERIES = _projection("query", "Q", "X", "hook_x", Q)
KEYS = _projection("key", "K", "Y", "hook_y", K)
VALUES = _projection("value", "V", "Y", "hook_y", V)
CONCAT = Equation(
    name="concatenated heads",
    latex=r"C = \operatorname{Concat}(Z_1, \dots, Z_h)",
    source="Vaswani et al. 2017, §3.2.2",
    reads=(MIX,),
    explains=CONCATENATED,
    compute=lambda mixed: mixed.swapaxes(0, 1).reshape(mixed.shape[1], -1),
    cell=_concat_cell,
    restates=True,
)
OUTPUT = Equation(
    name="attention output",
    latex=r"\operatorname{MultiHead}(\residual{X}, \residual{Y}) = C\,W_O + b_O",
    source=_PAPER,
    reads=(CONCATENATED, "output.weight", "output.bias"),
    explains=COLLECTED,
    compute=lambda concat, weight, bias: concat @ weight.T + bias,
    cell=_output_cell,
)
PROJECTIONS = (QUERIES, KEYS, VALUES, CONCAT, OUTPUT)
