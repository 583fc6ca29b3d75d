"""Which digits written arithmetic shows: those that a pocket calculator gives back from the numbers on the screen.

Each result has at most five significant digits, and fewer where the numbers that it is made of, rounded as they are
shown, would give another one: what is typed in gives what is shown, to one unit of the last digit.
"""

import math
from dataclasses import dataclass

from explainer.figures.style import kept_decimals, most_decimals
from explainer.story import EXPONENT, CellStory, Term, power_of_e

ALONE = 4  # decimals of a result that is made of no other number
_FEW = 100  # a power of fewer units of the last digit than these has digits of its own


@dataclass(frozen=True, kw_only=True)
class Digits:
    """With how many decimals the numbers of a story are shown; below 0, tens or hundreds are the last digit.

    Attributes:
        terms: Of each term.
        common: Of the other terms together and of the bias.
        total: Of the sum.
        result: Of the number in the cell.
        scientific: Whether the addends and their sum are written with powers of ten.
    """

    terms: tuple[int, ...] = ()
    common: int = ALONE
    total: int = ALONE
    result: int = ALONE
    scientific: bool = False


def digits_of(story: CellStory) -> Digits:
    """The digits that survive: term by term, in the sum, and in what is done to it."""
    if not story.terms:
        return Digits(result=_result(story, story.total))
    again = [_retyped(term, story.decimals) for term in story.terms]
    each = [kept_decimals(term.value, value) for term, value in zip(story.terms, again, strict=True)]
    plain = [value for value in (story.rest, story.bias) if value]
    some = [decimals for decimals, term in zip(each, story.terms, strict=True) if term.value]
    common = min([*some, *map(most_decimals, plain)], default=ALONE)
    own = tuple(
        decimals if len(term.factors) == 1 and abs(term.value) < _FEW * 10.0**-common else common
        for term, decimals in zip(story.terms, each, strict=True)
    )
    addends = [round(term.value, decimals) for term, decimals in zip(story.terms, own, strict=True)]
    addends += [round(story.rest, common), round(story.bias or 0.0, common)]
    total = kept_decimals(story.total, sum(addends), common)
    largest = max(abs(value) for value in (story.total, *addends))
    return Digits(
        terms=own,
        common=common,
        total=total,
        result=_result(story, round(story.total, total)) if story.finish else total,
        scientific=min(total, common) < 0 or 0 < largest < 1e-3,
    )


def _retyped(term: Term, decimals: int) -> float:
    """The term, of its factors as they are shown."""
    if len(term.factors) == 1:
        return power_of_e(round(term.factors[0], EXPONENT))
    return math.prod(round(factor, decimals) for factor in term.factors) if term.factors else term.value


def _result(story: CellStory, total: float) -> int:
    return ALONE if story.after is None else kept_decimals(story.result, story.after(total))
