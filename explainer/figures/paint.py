"""LaTeX in the colours of the roles, and cell stories as LaTeX."""

import math
import re
from collections.abc import Callable

from explainer.figures.arithmetic import Digits, digits_of
from explainer.figures.escape import for_katex, token_label
from explainer.figures.style import Theme, number
from explainer.story import EXPONENT, TOTAL, CellStory, Term

_ROLE = re.compile(r"\\(query|key|value|attention|residual|gate|target|source)\{")


def paint(latex: str, theme: Theme) -> str:
    r"""Give each symbol the colour of its role: `\query{Q}` → `\textcolor{#0072B2}{Q}`."""
    return _ROLE.sub(lambda found: rf"\textcolor{{{getattr(theme, found[1])}}}{{", latex)


def story_latex(story: CellStory, theme: Theme, name_of: Callable[[int], str] | None = None) -> str:
    """The story as an aligned sum: the largest terms, the remaining ones together, bias, total, result.

    A story without terms is one line.

    Args:
        story: The arithmetic.
        theme: Colours.
        name_of: The vocabulary entry that stands at a place of the sum; without it places are numbered from 1.
    """
    note = rf"\text{{({story.note})}}" if story.note else ""
    if not story.terms and not story.finish:
        return paint(rf"{story.symbol} = {_number(story.result)}" + (rf"\quad {note}" if note else ""), theme)
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
        return _power(value, decimals) if digits.scientific else _number(value, decimals)

    lines = [
        rf"{_place(term.place, name_of)}{_factors(term, story)} &=& {write(term.value, decimals)}"
        for term, decimals in zip(story.terms, digits.terms, strict=True)
    ]
    if story.n_rest:
        lines.append(rf"\text{{the other {story.n_rest}}} &=& {write(story.rest, digits.common)}")
    if story.bias is not None:
        lines.append(rf"\text{{bias}} &=& {write(story.bias, digits.common)}")
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
    return (_power if scientific else _number)(story.result, digits.result)


def _place(place: int, name_of: Callable[[int], str] | None) -> str:
    label = str(place + 1) if name_of is None else for_katex(token_label(name_of(place)))
    return rf"{{\scriptstyle {label}}}"


def _factors(term: Term, story: CellStory) -> str:
    if not term.factors:
        return ""
    if len(term.factors) == 1:
        return rf"\quad e^{{{_number(term.factors[0], EXPONENT)}}}"
    product = r" \cdot ".join(
        _coloured(role, _bracketed(factor, story.decimals))
        for role, factor in zip(story.roles, term.factors, strict=True)
    )
    return rf"\quad {product}"


def _coloured(role: str, latex: str) -> str:
    return rf"\{role}{{{latex}}}" if role else latex


def _bracketed(value: float, decimals: int) -> str:
    return rf"({_number(value, decimals)})" if value < 0 else _number(value, decimals)


def _number(value: float, decimals: int = 2) -> str:
    return number(value, max(0, decimals)).replace("−∞", r"-\infty").replace("−", "-").replace("∞", r"\infty")


def _power(value: float, decimals: int) -> str:
    rounded = round(value, decimals) if math.isfinite(value) else value
    if rounded == 0 or math.isinf(rounded):
        return _number(rounded, 0)
    exponent = math.floor(math.log10(abs(rounded)))
    mantissa = f"{rounded:.{max(0, decimals + exponent)}e}".split("e")[0]
    return rf"{mantissa} \cdot 10^{{{exponent}}}"
