"""LaTeX in the colours of the roles, and cell stories as LaTeX."""

import re
from collections.abc import Callable

from explainer.figures.escape import for_katex, token_label
from explainer.figures.style import Theme, number
from explainer.story import CellStory, Term

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
    if not story.terms:
        lines = [rf"{story.symbol} = {story.finish} = {_number(story.result, 3)}"]
    else:
        lines = [rf"{story.symbol} = {_number(story.result, 3)}", _column(story, name_of)]
    body = r" \\[4pt] ".join([*lines, note] if note else lines)
    return paint(rf"\begin{{gathered}} {body} \end{{gathered}}", theme)


def _column(story: CellStory, name_of: Callable[[int], str] | None) -> str:
    lines = [_term_line(term, story, _place(term.place, name_of)) for term in story.terms]
    if story.n_rest:
        lines.append(rf"\text{{the other {story.n_rest}}} &=& {_number(story.rest, 3)}")
    if story.bias is not None:
        lines.append(rf"\text{{bias}} &=& {_number(story.bias, 3)}")
    lines.append(rf"\hline \Sigma &=& {_number(story.total, 3)}")
    if story.finish:
        lines.append(rf"{story.finish} &\Rightarrow& {_number(story.result, 3)}")
    return r"\begin{array}{rcr}" + r"\\ ".join(lines) + r"\end{array}"


def _place(place: int, name_of: Callable[[int], str] | None) -> str:
    label = str(place + 1) if name_of is None else for_katex(token_label(name_of(place)))
    return rf"{{\scriptstyle {label}}}"


def _term_line(term: Term, story: CellStory, place: str) -> str:
    value = _number(term.value, 3)
    if not term.factors:
        return rf"{place} &=& {value}"
    if len(term.factors) == 1:
        return rf"{place}\quad e^{{{_number(term.factors[0])}}} &=& {value}"
    product = r" \cdot ".join(
        _coloured(role, _bracketed(factor, 3 if role == "attention" else story.decimals))
        for role, factor in zip(story.roles, term.factors, strict=True)
    )
    return rf"{place}\quad {product} &=& {value}"


def _coloured(role: str, latex: str) -> str:
    return rf"\{role}{{{latex}}}" if role else latex


def _bracketed(value: float, decimals: int) -> str:
    return rf"({_number(value, decimals)})" if value < 0 else _number(value, decimals)


def _number(value: float, decimals: int = 2) -> str:
    if 1e5 <= abs(value) < float("inf"):
        mantissa, exponent = f"{value:.2e}".split("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
    return number(value, decimals).replace("−∞", r"-\infty").replace("−", "-")
