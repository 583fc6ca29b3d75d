"""LaTeX in the colours of the roles, and cell stories as LaTeX."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from explainer.equations.story import EXPONENT, TOTAL, CellStory, Term, power_of_e
from explainer.figures.escape import for_katex, token_label
from explainer.figures.style import Theme, kept_decimals, most_decimals, number
from explainer.language import _

ALONE = 4  # decimals of a result that is made of no other number
_FEW = 100  # a power of fewer units of the last digit than these has digits of its own


@dataclass(frozen=True, kw_only=True)
class Digits:
    """With how many decimals the numbers of a story are shown; below 0, tens or hundreds are the last digit.

    `common` is for the other terms together and for the bias, `total` for the sum, `result` for the number in the
    cell; `scientific` addends and their sum are written with powers of ten.
    """

    terms: tuple[int, ...] = ()
    common: int = ALONE
    total: int = ALONE
    result: int = ALONE
    scientific: bool = False


def digits_of(story: CellStory) -> Digits:
    """The digits that survive: term by term, in the sum, and in what is done to it."""
    if not story.terms:
        return Digits(result=_result_decimals(story, story.total))
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
        result=_result_decimals(story, round(story.total, total)) if story.finish else total,
        scientific=min(total, common) < 0 or 0 < largest < 1e-3,
    )


def _retyped(term: Term, decimals: int) -> float:
    """The term, of its factors as they are shown."""
    if len(term.factors) == 1:
        return power_of_e(round(term.factors[0], EXPONENT))
    return math.prod(round(factor, decimals) for factor in term.factors) if term.factors else term.value


def _result_decimals(story: CellStory, total: float) -> int:
    return ALONE if story.after is None else kept_decimals(story.result, story.after(total))


_ROLE = re.compile(r"\\(query|key|value|attention|residual|gate|target|source)\{")


def paint(latex: str, theme: Theme) -> str:
    r"""Give each symbol the colour of its role: `\query{Q}` → `\textcolor{#0072B2}{Q}`."""
    return _ROLE.sub(lambda found: rf"\textcolor{{{getattr(theme, found[1])}}}{{", latex)


def story_latex(story: CellStory, theme: Theme, name_of: Callable[[int], str] | None = None) -> str:
    """The story as an aligned sum: the largest terms, the rest together, bias, total, result; one line without terms.

    `name_of` tells the vocabulary entry at a place of the sum; without it places are numbered from 1.
    """
    note = rf"\text{{({story.note})}}" if story.note else ""
    if not story.terms and not story.finish:
        return paint(
            rf"{story.symbol} = {latex_number(story.result)}" + (rf"\quad {note}" if note else ""), theme
        )
    digits = digits_of(story)
    result = _result(story, digits)
    if not story.terms:
        lines = [rf"{story.symbol} = {story.finish} = {result}"]
    else:
        lines = [rf"{story.symbol} = {result}", _column(story, digits, name_of)]
    body = r" \\[4pt] ".join([*lines, note] if note else lines)
    return paint(rf"\begin{{gathered}} {body} \end{{gathered}}", theme)


def _column(story: CellStory, digits: Digits, name_of: Callable[[int], str] | None) -> str:
    def write(value: float, decimals: int) -> str:
        return _power(value, decimals) if digits.scientific else latex_number(value, decimals)

    lines = [
        rf"{_place(term.place, name_of)}{_factors(term, story)} &=& {write(term.value, decimals)}"
        for term, decimals in zip(story.terms, digits.terms, strict=True)
    ]
    if story.n_rest:
        other = _("the other {n}").format(n=story.n_rest)
        lines.append(rf"\text{{{other}}} &=& {write(story.rest, digits.common)}")
    if story.bias is not None:
        name = _("bias")
        lines.append(rf"\text{{{name}}} &=& {write(story.bias, digits.common)}")
    total = write(story.total, digits.total)
    lines.append(rf"\hline \Sigma &=& {total}")
    if story.finish:
        in_brackets = rf"({total})" if r"\cdot" in total else total
        lines.append(rf"{story.finish.replace(TOTAL, in_brackets)} &\Rightarrow& {_result(story, digits)}")
    return r"\begin{array}{rcr}" + r"\\ ".join(lines) + r"\end{array}"


def _result(story: CellStory, digits: Digits) -> str:
    """As its addends are written if it is their sum; else with a power of ten where it is very small or large."""
    is_long = digits.result < 0 or 0 < abs(story.result) < 1e-4
    scientific = is_long if story.finish else digits.scientific
    return (_power if scientific else latex_number)(story.result, digits.result)


def _place(place: int, name_of: Callable[[int], str] | None) -> str:
    label = str(place + 1) if name_of is None else for_katex(token_label(name_of(place)))
    return rf"{{\scriptstyle {label}}}"


def _factors(term: Term, story: CellStory) -> str:
    if not term.factors:
        return ""
    if len(term.factors) == 1:
        return rf"\quad e^{{{latex_number(term.factors[0], EXPONENT)}}}"
    product = r" \cdot ".join(
        _coloured(role, _bracketed(factor, story.decimals))
        for role, factor in zip(story.roles, term.factors, strict=True)
    )
    return rf"\quad {product}"


def _coloured(role: str, latex: str) -> str:
    return rf"\{role}{{{latex}}}" if role else latex


def _bracketed(value: float, decimals: int) -> str:
    return rf"({latex_number(value, decimals)})" if value < 0 else latex_number(value, decimals)


def latex_number(value: float, decimals: int = 2) -> str:
    """A number as the app writes it, for KaTeX; no decimals where there would be less than none."""
    return number(value, max(0, decimals)).replace("−∞", r"-\infty").replace("−", "-").replace("∞", r"\infty")


def _power(value: float, decimals: int) -> str:
    rounded = round(value, decimals) if math.isfinite(value) else value
    if rounded == 0 or math.isinf(rounded):
        return latex_number(rounded, 0)
    exponent = math.floor(math.log10(abs(rounded)))
    mantissa = f"{rounded:.{max(0, decimals + exponent)}e}".split("e")[0]
    return rf"{mantissa} \cdot 10^{{{exponent}}}"
