"""Stories of sums: the largest terms written out, the others together; and numbers as LaTeX."""

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

TOTAL = "‹Σ›"
EXPONENT = 5  # decimals of a written exponent of e


def power_of_e(exponent: float) -> float:
    """e^exponent; ∞ where that is no float."""
    return math.exp(exponent) if exponent < 709 else math.inf


def ln(value: float) -> float:
    """The natural logarithm; −∞ of 0."""
    return math.log(value) if value > 0 else -math.inf


@dataclass(frozen=True)
class Term:
    """One summand: the product of its factors, in the formula's order.

    A single factor is the exponent of e, none means a plain number. `place` in the sum is a dimension or a key.
    """

    place: int
    factors: tuple[float, ...]
    value: float


@dataclass(frozen=True, kw_only=True)
class CellStory:
    """How one number came about: a sum of terms, then perhaps one more operation on the sum.

    A number that is no sum (a maximum, a sine, two numbers added) has no terms and its arithmetic in `finish`.

    Attributes:
        symbol: LaTeX of the cell.
        roles: Role of each factor of a term; "" for none.
        terms: The largest terms by absolute value.
        n_rest: How many terms are not written out; `rest` is their sum.
        bias: What is added to the terms, the same in every row; None if the formula has no bias.
        total: The sum of all terms and the bias.
        finish: LaTeX of the operation on the total (`TOTAL` stands for it as shown), with numbers; "" for none.
        after: The same operation, with its other numbers rounded as `finish` writes them: total → result.
        decimals: With how many decimals a factor is to be written.
        result: The number in the cell, by this arithmetic; `model` is the number that the model has there.
        note: A remark in words for cells with a special reason, such as a masked one.
    """

    symbol: str
    roles: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    n_rest: int = 0
    rest: float = 0.0
    bias: float | None = None
    total: float = 0.0
    finish: str = ""
    after: Callable[[float], float] | None = field(default=None, compare=False)
    decimals: int = 4
    result: float
    model: float = float("nan")
    note: str = ""

    def against(self, model: float) -> "CellStory":
        """The same story beside the model's number."""
        return dataclasses.replace(self, model=model)

    @property
    def deviation(self) -> float:
        """|result − model|; 0 if both are −∞."""
        return 0.0 if self.result == self.model else abs(self.result - self.model)


SHOWN = 5  # terms written out before "the other n"
DECIMALS = 4  # of a number that is written inside an expression


def sum_story(
    symbol: str,
    factors: Sequence[np.ndarray],
    *,
    roles: tuple[str, ...],
    bias: float | None = None,
    divisor: float = 1.0,
    finish: str = "",
    shown: int = SHOWN,
    also: int | None = None,
) -> CellStory:
    """The story of (Σ_k f_k g_k … + bias) / divisor, in float64; `bias` is None if the formula has none.

    There is one array, with its role, per factor, all of one length; the terms of a single array are plain numbers.
    `finish` is LaTeX of the division, with the divisor in full. `shown` is how many terms to write out; `also` is one
    that is written out in any case, such as the one of the selected cell.
    """
    columns = np.stack([np.asarray(factor, dtype=np.float64) for factor in factors])
    products = columns.prod(axis=0)
    largest = np.argsort(-np.abs(products), kind="stable")[:shown].tolist()
    places = sorted({*largest, *(() if also is None else (also,))})
    multiplied = columns if len(columns) > 1 else columns[:0]
    terms = tuple(Term(k, tuple(multiplied[:, k].tolist()), float(products[k])) for k in places)
    of_terms = float(products.sum())
    total = of_terms + (bias or 0.0)
    return CellStory(
        symbol=symbol,
        roles=roles,
        terms=terms,
        n_rest=len(products) - len(terms),
        rest=of_terms - sum(term.value for term in terms),
        bias=bias,
        total=total,
        finish=finish,
        after=(lambda of_sum: of_sum / divisor) if finish else None,
        result=total / divisor,
    )


def affine(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """X Wᵀ + b, the weight as torch stores it: [out, in]."""
    return x @ weight.T + bias


def affine_story(
    symbol: str, x: np.ndarray, weight: np.ndarray, bias: np.ndarray, unit: int, *, roles: tuple[str, str]
) -> CellStory:
    """The story of one unit of `affine`, of one row x."""
    return sum_story(symbol, (x, weight[unit]), roles=roles, bias=float(bias[unit]))


def power_story(symbol: str, exponents: Float[np.ndarray, " term"], *, role: str, also: int) -> CellStory:
    """The story of Σ_k e^{x_k}, the sum that a softmax divides by, in float64.

    A term of −∞ is 0 and not counted among the others; the term `also`, divided by the sum, is always written out.
    """
    wide = exponents.astype(np.float64)
    counted = np.flatnonzero(~np.isneginf(wide))
    with np.errstate(over="ignore"):  # a what-if can make a score so large: then the sum is ∞
        powers = np.exp(wide[counted])
    story = sum_story(symbol, (powers,), roles=(role,), also=int(np.searchsorted(counted, also)))
    places = [int(counted[term.place]) for term in story.terms]
    terms = [Term(k, (float(wide[k]),), term.value) for k, term in zip(places, story.terms, strict=True)]
    return dataclasses.replace(story, terms=tuple(terms))  # a factor is the exponent


def as_written(value: float, decimals: int = DECIMALS) -> float:
    """The number that `written` shows."""
    return round(value, decimals)


def written(value: float, decimals: int = DECIMALS, *, bracketed: bool = True) -> str:
    """A number as LaTeX inside an expression: a negative one in brackets if wanted, no negative zero."""
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        return text.lstrip("-")
    return f"({text})" if value < 0 and bracketed else text
