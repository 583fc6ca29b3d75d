"""The attention equations (Vaswani et al. 2017, §3.2.1), each tied to the hooks of an attention module."""

import dataclasses
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from explainer.equations.catalog import register_equations
from explainer.equations.equation import Equation
from explainer.equations.softmax import softmax
from explainer.equations.story import (
    EXPONENT,
    TOTAL,
    CellStory,
    affine,
    affine_story,
    as_written,
    power_of_e,
    power_story,
    sum_story,
    written,
)
from explainer.language import _, mark

Q, K, V = "hook_q", "hook_k", "hook_v"
DOT, SCORE, MASK = "attend.hook_dots", "attend.hook_scores", "attend.hook_mask"
MASKED, WEIGHT, MIX = "attend.hook_masked", "attend.hook_weights", "attend.hook_mixed"
_PAPER = mark("Vaswani et al. 2017, eq. 1")


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
    query, key = index[1:]
    symbol = rf"s_{{{query + 1},{key + 1}}} + m_{{{query + 1},{key + 1}}}"
    if not mask[index]:
        return CellStory(symbol=symbol, result=float("-inf"), note=_("may not be attended to"))
    return CellStory(symbol=symbol, result=float(scores[index]), note=_("allowed: 0 is added"))


def _weight_cell(masked: np.ndarray, index: tuple[int, ...]) -> CellStory:
    head, query, key = index
    row = masked[head, query].astype(np.float64)
    cell = rf"{{{query + 1},{key + 1}}}"
    if np.isneginf(row[key]):
        return CellStory(symbol=f"a_{cell}", result=0.0, note=_("masked: e to the minus infinity is 0"))
    story = power_story(rf"a_{cell} = e^{{s_{cell}}} \div \Sigma", row, role="attention", also=key)
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
    symbol = rf"z_{{{query + 1},{dim + 1}}}"
    return sum_story(symbol, (weights[head, query], v[head, :, dim]), roles=("attention", "value"))


DOTS = Equation(
    latex=r"\query{Q}\,\key{K}^{\top}",
    source=_PAPER,
    reads=(Q, K),
    explains=DOT,
    compute=lambda q, k: q @ k.swapaxes(-1, -2),
    cell=lambda q, k, index: _dot_cell("d", q, k, index),
)
SCORES = Equation(
    latex=r"S = \frac{\query{Q}\,\key{K}^{\top}}{\sqrt{d_k}}",
    source=_PAPER,
    reads=(Q, K),
    explains=SCORE,
    compute=lambda q, k: q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(q.shape[-1])),
    cell=_score_cell,
)
MASKED_SCORES = Equation(
    latex=mark(
        r"S + M,\quad m_{ij} = \begin{cases}0 & \text{may attend}\\ -\infty & \text{may not}\end{cases}"
    ),
    source=mark("Vaswani et al. 2017, §3.2.3"),
    reads=(SCORE, MASK),
    explains=MASKED,
    compute=lambda scores, mask: np.where(mask, scores, -np.inf),
    cell=_masked_cell,
    restates=True,
)
WEIGHTS = Equation(
    latex=r"\attention{A} = \operatorname{softmax}(S + M),\quad"
    r" \attention{a_{ij}} = \frac{e^{s_{ij} + m_{ij}}}{\sum_{j'} e^{s_{ij'} + m_{ij'}}}",
    source=_PAPER,
    reads=(MASKED,),
    explains=WEIGHT,
    compute=softmax,
    cell=_weight_cell,
)
MIXED = Equation(
    latex=r"Z = \attention{A}\,\value{V}",
    source=_PAPER,
    reads=(WEIGHT, V),
    explains=MIX,
    compute=lambda weights, v: weights @ v,
    cell=_mix_cell,
)
ATTENTION = (DOTS, SCORES, MASKED_SCORES, WEIGHTS, MIXED)


def additive(allowed: Bool[np.ndarray, "query key"]) -> Float[np.ndarray, "query key"]:
    """M of softmax(S + M): 0 where a query may attend, −∞ where it may not (Vaswani et al. 2017, §3.2.3)."""
    return np.where(allowed, 0.0, -np.inf)


CONCATENATED, COLLECTED = "hook_concat", "hook_output"
_MULTI_HEAD = mark("Vaswani et al. 2017, §3.2.2; with biases")


def _into_heads(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, mixed: np.ndarray) -> np.ndarray:
    """X W + b as [head, position, d_head]; of `mixed` [head, query, d_head] only the number of heads is used."""
    return affine(x, weight, bias).reshape(len(x), len(mixed), -1).swapaxes(0, 1)


def _projection(role: str, letter: str, x: str, hook_x: str, hook: str) -> Equation:
    """One of Q, K, V, whose role is also the name of its layer, made of `x` at `hook_x`."""

    def cell(
        x_in: np.ndarray, weight: np.ndarray, bias: np.ndarray, mixed: np.ndarray, index: tuple[int, ...]
    ) -> CellStory:
        head, position, dim = index
        column = column_in_concat(head, dim, mixed.shape[-1])  # of W, whose columns are those of all heads
        symbol = rf"{letter.lower()}_{{{position + 1},{dim + 1}}}"
        return affine_story(symbol, x_in[position], weight, bias, column, roles=("residual", role))

    return Equation(
        latex=rf"[\,\{role}{{{letter}_1}} \cdots \{role}{{{letter}_h}}\,]"
        rf" = \residual{{{x}}}\,\{role}{{W_{letter}}} + b_{letter}",
        source=_MULTI_HEAD,
        reads=(hook_x, f"{role}.weight", f"{role}.bias", MIX),
        explains=hook,
        compute=_into_heads,
        cell=cell,
    )


def _concat_cell(mixed: np.ndarray, index: tuple[int, ...]) -> CellStory:
    query, column = index
    head, dim = place_in_concat(column, mixed.shape[-1])
    return CellStory(
        symbol=rf"c_{{{query + 1},{column + 1}}}",
        finish=rf"z^{{({head + 1})}}_{{{query + 1},{dim + 1}}}",
        result=float(mixed[head, query, dim]),
        note=_("is head {head}'s z at dimension {dim}").format(head=head + 1, dim=dim + 1),
    )


def _output_cell(
    concat: np.ndarray, weight: np.ndarray, bias: np.ndarray, index: tuple[int, ...]
) -> CellStory:
    query, dim = index
    symbol = rf"o_{{{query + 1},{dim + 1}}}"
    return affine_story(symbol, concat[query], weight, bias, dim, roles=("value", ""))


QUERIES = _projection("query", "Q", "X", "hook_x", Q)
KEYS = _projection("key", "K", "Y", "hook_y", K)
VALUES = _projection("value", "V", "Y", "hook_y", V)
CONCAT = Equation(
    latex=r"C = \operatorname{Concat}(Z_1, \dots, Z_h)",
    source=mark("Vaswani et al. 2017, §3.2.2"),
    reads=(MIX,),
    explains=CONCATENATED,
    compute=lambda mixed: mixed.swapaxes(0, 1).reshape(mixed.shape[1], -1),
    cell=_concat_cell,
    restates=True,
)
OUTPUT = Equation(
    latex=r"\operatorname{MultiHead}(\residual{X}, \residual{Y}) = C\,W_O + b_O",
    source=_MULTI_HEAD,
    reads=(CONCATENATED, "output.weight", "output.bias"),
    explains=COLLECTED,
    compute=affine,
    cell=_output_cell,
)
PROJECTIONS = (QUERIES, KEYS, VALUES, CONCAT, OUTPUT)
register_equations("MultiHeadAttention", equations=(*PROJECTIONS, *ATTENTION))


def into_head(
    weight: Float[np.ndarray, "d_concat d_model"], head: int, n_heads: int
) -> Float[np.ndarray, "d_model d_head"]:
    """The columns of W_Q, W_K or W_V (as torch stores it) that make one head's q, k or v: Q_h = X W_Q^h + b_h."""
    return weight.reshape(n_heads, -1, weight.shape[1])[head].T


def out_of_head(
    weight: Float[np.ndarray, "d_model d_concat"], head: int, n_heads: int
) -> Float[np.ndarray, "d_head d_model"]:
    """The rows of W_O that one head's z is multiplied with; arguments as for `into_head`."""
    return weight.reshape(len(weight), n_heads, -1)[:, head].T


def added_by_heads(
    mixed: Float[np.ndarray, "head query d_head"], weight: Float[np.ndarray, "d_model d_concat"]
) -> Float[np.ndarray, "head query d_model"]:
    """Z_h W_O^h of each head: their sum and the bias are the output of attention (Vaswani et al. 2017, §3.2.2)."""
    return np.stack([z @ out_of_head(weight, head, len(mixed)) for head, z in enumerate(mixed)])


def column_in_concat(head: int, dim: int, d_head: int) -> int:
    """The column of C = Concat(Z_1 … Z_h) that holds dimension `dim` of head `head`, all from 0."""
    return head * d_head + dim


def place_in_concat(column: int, d_head: int) -> tuple[int, int]:
    """Head and dimension of a column of C: the inverse of `column_in_concat`."""
    return divmod(column, d_head)


SPREAD = mark(
    r"\operatorname{sd}\Big(\sum_{c=1}^{n} \query{q_c}\,\key{k_c}\Big) = \sqrt{n}\;\sigma_1 "
    r"\quad\text{if the products are independent}"
)


@dataclass(frozen=True)
class Spread:
    """Standard deviations over all pairs of a query and a key: of q·k over n = `sizes` dimensions and of q·k ÷ √n.

    `independent` is what `dots` would be if the products in different dimensions were independent: √n · σ₁.
    """

    sizes: Int[np.ndarray, " n"]
    dots: Float[np.ndarray, " n"]
    divided: Float[np.ndarray, " n"]
    independent: Float[np.ndarray, " n"]


def spread_of_dots(q: Float[np.ndarray, "query d_k"], k: Float[np.ndarray, "key d_k"]) -> Spread:
    """The spread of one head's dot products over parts of its dimensions (Vaswani et al. 2017, §3.2.1, footnote 4).

    The d_k dimensions are cut into parts of n neighbours, for n = 1, 2, 4 … d_k; each part gives a dot product for each
    pair of query and key.
    """
    d_head = q.shape[1]
    products = q[:, None].astype(np.float64) * k[None]  # [query, key, d_k]
    sizes = sorted({2**i for i in range(d_head.bit_length()) if d_head % 2**i == 0} | {d_head})
    dots = np.array([products.reshape(*products.shape[:2], -1, n).sum(-1).std() for n in sizes])
    roots = np.sqrt(np.array(sizes, dtype=np.float64))
    return Spread(np.array(sizes), dots, dots / roots, dots[0] * roots)
