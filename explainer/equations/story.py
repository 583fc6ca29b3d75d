"""Stories of sums: the largest terms written out, the others together."""

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
