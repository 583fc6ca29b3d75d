"""Cell stories as LaTeX: every number of the arithmetic is there."""

from explainer.equations.story import CellStory, Term
from explainer.figures.latex import story_latex
from explainer.figures.style import LIGHT, Theme
from tests.figures.reading import THEMES

SUM = CellStory(
    symbol="q_{1,2}",
    roles=("residual", ""),
    terms=(Term(0, (-0.5, 0.041), -0.0205), Term(4, (2.0, 0.25), 0.5)),
    n_rest=3,
    rest=0.1005,
    bias=-0.07,
    total=0.51,
    decimals=3,
    result=0.51,
)


@THEMES
def test_a_sum_with_a_bias(theme: Theme) -> None:
    latex = story_latex(SUM, theme)
    for part in (rf"\textcolor{{{theme.residual}}}{{(-0.500)}} \cdot 0.041", r"\text{the other 3} &=& 0.1"):
        assert part in latex
    assert r"\text{bias} &=& -0.0700\\ \hline \Sigma &=& 0.5100" in latex
    assert latex.count("{") == latex.count("}")


def test_without_a_bias_there_is_no_line_for_it() -> None:
    plain = CellStory(
        symbol="z", roles=("value", "key"), terms=(Term(0, (2.0, 3.0), 6.0),), total=6.0, result=6.0
    )
    assert "bias" not in story_latex(plain, LIGHT)
    assert "{2.0000} \\cdot" in story_latex(plain, LIGHT)


def test_terms_without_factors_are_plain_numbers_and_one_factor_is_an_exponent() -> None:
    numbers = CellStory(symbol="m", terms=(Term(1, (), 3.0),), total=3.0, result=3.0)
    assert r"{\scriptstyle 2} &=& 3.0000" in story_latex(numbers, LIGHT)
    powers = CellStory(symbol="p", terms=(Term(1, (0.0,), 1.0),), total=1.0, result=1.0)
    assert r"e^{0.00000} &=& 1.0000" in story_latex(powers, LIGHT)


def test_arithmetic_that_is_no_sum_is_one_line_and_its_note() -> None:
    story = CellStory(symbol="u", finish=r"\max(0,\ -0.340)", result=0.0, note="off")
    assert story_latex(story, LIGHT) == (
        r"\begin{gathered} u = \max(0,\ -0.340) = 0.0000 \\[4pt] \text{(off)} \end{gathered}"
    )


def test_a_number_alone_keeps_its_note_beside_it() -> None:
    masked = CellStory(symbol="s", result=float("-inf"), note="may not be attended to")
    assert story_latex(masked, LIGHT) == r"s = -\infty\quad \text{(may not be attended to)}"
