"""The cell story: the arithmetic of one cell, term by term, as equations tell it and figures show it."""

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field

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
    """One summand.

    Attributes:
        place: Its position in the sum: a dimension or a key.
        factors: What is multiplied, in the order of the formula. A single factor is the exponent of e; none at all
            means that the term is a plain number.
        value: The product, the power or the number.
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
        summand: LaTeX of a term in symbols.
        roles: Role of each factor of a term; "" for none.
        terms: The largest terms by absolute value.
        n_rest: How many terms are not written out.
        rest: Their sum.
        bias: What is added to the terms, the same in every row; None if the formula has no bias.
        total: The sum of all terms and the bias.
        finish: LaTeX of the operation on the total, with numbers; "" if there is none. In place of `TOTAL` stands the
            total as it is shown.
        after: The same operation, with its other numbers rounded as `finish` writes them: total → result.
        decimals: With how many decimals a factor is to be written.
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
