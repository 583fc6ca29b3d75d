"""Stories of sums: the largest terms written out, the others together; and numbers as LaTeX."""

from collections.abc import Sequence

import numpy as np

from explainer.story import CellStory, Term

SHOWN = 5  # terms written out before "the other n"


def sum_story(
    symbol: str,
    factors: Sequence[np.ndarray],
    *,
    summand: str,
    roles: tuple[str, ...],
    bias: float | None = None,
    divisor: float = 1.0,
    finish: str = "",
    shown: int = SHOWN,
    decimals: int = 2,
) -> CellStory:
    """The story of (Σ_k f_k g_k … + bias) / divisor, in float64.

    Args:
        symbol: LaTeX of the cell.
        factors: One array per factor, all of one length; the terms of a single array are plain numbers.
        summand: LaTeX of the k-th term.
        roles: Role of each factor.
        bias: What is added to the terms; None if the formula has no bias.
        divisor: What the sum is divided by.
        finish: LaTeX of that division.
        shown: How many terms to write out.
        decimals: With how many decimals to write a factor.
    """
    columns = np.stack([np.asarray(factor, dtype=np.float64) for factor in factors])
    products = columns.prod(axis=0)
    largest = np.sort(np.argsort(-np.abs(products), kind="stable")[:shown])
    multiplied = columns if len(columns) > 1 else columns[:0]
    terms = tuple(Term(int(k), tuple(multiplied[:, k].tolist()), float(products[k])) for k in largest)
    of_terms = float(products.sum())
    total = of_terms + (bias or 0.0)
    return CellStory(
        symbol=symbol,
        summand=summand,
        roles=roles,
        terms=terms,
        n_rest=len(products) - len(terms),
        rest=of_terms - sum(term.value for term in terms),
        bias=bias,
        total=total,
        finish=finish,
        decimals=decimals,
        result=total / divisor,
    )


def written(value: float, decimals: int = 3, *, bracketed: bool = True) -> str:
    """A number as LaTeX inside an expression: a negative one in brackets if wanted, no negative zero."""
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        return text.lstrip("-")
    return f"({text})" if value < 0 and bracketed else text
