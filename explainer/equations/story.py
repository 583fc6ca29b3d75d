"""The cell story: the arithmetic of one cell, term by term, with the real numbers."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SHOWN = 5  # terms written out before "remaining n terms"


@dataclass(frozen=True)
class Term:
    """One summand.

    Attributes:
        place: Its position in the sum: a dimension or a key.
        factors: What is multiplied, in the order of the formula.
        value: The product.
    """

    place: int
    factors: tuple[float, ...]
    value: float


@dataclass(frozen=True, kw_only=True)
class CellStory:
    """How one number came about: a sum of terms, then perhaps one more operation on the sum.

    Attributes:
        symbol: LaTeX of the cell.
        summand: LaTeX of a term in symbols.
        roles: Role of each factor of a term.
        terms: The largest terms by absolute value, in the order of the sum.
        n_rest: How many terms are not written out.
        rest: Their sum.
        total: The sum of all terms.
        finish: LaTeX of the operation on the total, with numbers; "" if there is none.
        result: The number in the cell, by this arithmetic.
        model: The number that the model has there.
        note: A remark in words for cells with a special reason, such as a masked one.
    """

    symbol: str
    summand: str = ""
    roles: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    n_rest: int = 0
    rest: float = 0.0
    total: float = 0.0
    finish: str = ""
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


def sum_story(
    symbol: str,
    factors: Sequence[np.ndarray],
    *,
    summand: str,
    roles: tuple[str, ...],
    divisor: float = 1.0,
    finish: str = "",
    shown: int = SHOWN,
) -> CellStory:
    """The story of Σ_k f_k g_k … / divisor, in float64.

    Args:
        symbol: LaTeX of the cell.
        factors: One array per factor, all of one length.
        summand: LaTeX of the k-th term.
        roles: Role of each factor.
        divisor: What the sum is divided by.
        finish: LaTeX of that division.
        shown: How many terms to write out.
    """
    columns = np.stack([np.asarray(factor, dtype=np.float64) for factor in factors])
    products = columns.prod(axis=0)
    largest = np.sort(np.argsort(-np.abs(products), kind="stable")[:shown])
    terms = tuple(Term(int(k), tuple(columns[:, k].tolist()), float(products[k])) for k in largest)
    total = float(products.sum())
    return CellStory(
        symbol=symbol,
        summand=summand,
        roles=roles,
        terms=terms,
        n_rest=len(products) - len(terms),
        rest=total - sum(term.value for term in terms),
        total=total,
        finish=finish,
        result=total / divisor,
    )
