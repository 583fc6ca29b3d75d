"""The cell story: the arithmetic of one cell, term by term, as equations tell it and figures show it."""

import dataclasses
from dataclasses import dataclass


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
        terms: The largest terms by absolute value.
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
