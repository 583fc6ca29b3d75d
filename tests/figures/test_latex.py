"""Cell stories as LaTeX: every number is there, and typed in as it is shown, gives what is shown."""

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.equations.attention import MIXED, SCORES, WEIGHTS
from explainer.equations.loss import gradient_story, mean_story, nll_story
from explainer.equations.output import LOG_PROBS
from explainer.equations.story import CellStory, Term
from explainer.equations.stream import MEAN, NORM_OUTPUT, NORMALIZED, SCALE, SUM
from explainer.figures.latex import story_latex
from explainer.figures.style import LIGHT, Theme
from tests.figures.reading import THEMES

BIASED = CellStory(
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
    latex = story_latex(BIASED, theme)
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


SCIENTIFIC = r"-?\d+(?:\.\d+)?(?: \\cdot 10\^\{-?\d+\})?"


def value_of(shown: str) -> float:
    mantissa, _, exponent = shown.partition(r" \cdot 10^{")
    return float(f"{mantissa}e{exponent.rstrip('}') or 0}")


def unit_of(shown: str) -> float:
    """One unit of the last digit."""
    mantissa, _, exponent = shown.partition(r" \cdot 10^{")
    return 10.0 ** (int(exponent.rstrip("}") or 0) - len(mantissa.partition(".")[2]))


def same(shown: str, calculated: float) -> bool:
    return abs(value_of(shown) - calculated) <= unit_of(shown) * (1 + 1e-6)


def typed(latex: str) -> float:
    """What a calculator makes of the shown numbers."""
    text = re.sub(r"\\textcolor\{#\w+\}\{([^{}]*)\}", r"\1", latex)
    text = re.sub(r"\^\{([^{}]*)\}", r"**(\1)", text).replace(r"\cdot", "*").replace(r"\div", "/")
    text = re.sub(r"\\sqrt\{(.*)\}", r"sqrt(\1)", text)
    text = re.sub(r"\\ln (\d[\d.]*)", r"log(\1)", text).replace(r"\ln ", "log")
    return float(eval(re.sub(r"\be\b(?=\*)", repr(math.e), text), {"sqrt": math.sqrt, "log": math.log}))


def lines_of(story: CellStory) -> tuple[list[tuple[str, str]], str, str, str]:
    """(input, value) of each addend, the sum, the input of the last line, the result."""
    latex = story_latex(story, LIGHT)
    first = re.search(rf"= ({SCIENTIFIC}) \\\\\[4pt\]", latex)
    array = re.search(r"\\begin\{array\}\{rcr\}(.*)\\end\{array\}", latex)
    assert first
    assert array
    *addends, total = [row for row in array[1].split(r"\\ ") if "Rightarrow" not in row]
    last = re.search(rf"(?:\\\\ |^)([^&]*) &\\Rightarrow& ({SCIENTIFIC})", array[1].rpartition(r"\hline")[2])
    split = [tuple(row.split(" &=& ")) for row in addends]
    summed = total.removeprefix(r"\hline \Sigma &=& ")
    assert last is None or last[2] == first[1]
    return [(a, b) for a, b in split], summed, last[1] if last else "", first[1]


def check_column(story: CellStory) -> tuple[str, str, str]:
    """Each line and the sum; returns the sum, the input of the last line and the result."""
    addends, total, finish, result = lines_of(story)
    for shown, value in addends:
        _, quad, factors = shown.partition(r"\quad ")
        if quad:
            assert same(value, typed(factors)), (shown, value)
    assert same(total, sum(value_of(value) for _, value in addends)), (addends, total)
    scientific = {r"\cdot" in number for number in (total, *(v for _, v in addends)) if value_of(number)}
    assert len(scientific) == 1, "one notation for the addends and their sum"
    return total, finish, result


@st.composite
def rows(draw: Callable) -> np.ndarray:
    """Scores of every size that a model can have."""
    seed, size = draw(st.integers(0, 10**6)), draw(st.sampled_from([1, 2, 5, 9, 300]))
    middle, spread = draw(st.floats(-20, 40)), draw(st.sampled_from([0.01, 0.5, 3.0, 9.0]))
    return np.random.default_rng(seed).normal(middle, spread, size).astype(np.float32)


@given(rows(), st.integers(0, 10**6))
def test_the_softmax_of_attention(row: np.ndarray, seed: int) -> None:
    key = seed % len(row)
    story = WEIGHTS.cell(row[None, None], (0, 0, key))
    assert key in [term.place for term in story.terms], "the selected term has a line of its own"
    total, finish, result = check_column(story)
    assert finish.endswith(rf"\div {total}" if r"\cdot" not in total else rf"\div ({total})")
    assert same(result, typed(finish.rpartition("= ")[2]))
    assert value_of(result) == pytest.approx(story.result, rel=5.1e-3)  # three digits at least


@given(rows(), st.integers(0, 10**6))
def test_a_log_probability(row: np.ndarray, seed: int) -> None:
    token = seed % len(row)
    for story in (LOG_PROBS.cell(row[None], (0, token)), nll_story(row[None], 0, token, 0.0)):
        assert token in [term.place for term in story.terms]
        _, finish, result = check_column(story)
        assert same(result, typed(finish.rpartition("= ")[2])), (finish, result)
        assert abs(value_of(result) - story.result) <= 2e-3


@given(st.integers(0, 10**6), st.sampled_from([0.02, 1.0, 8.0]))
def test_sums_of_products(seed: int, size: float) -> None:
    random = np.random.default_rng(seed)
    q, k = random.normal(0, size, (2, 1, 1, 32))
    _, finish, result = check_column(story := SCORES.cell(q, k, (0, 0, 0)))
    assert same(result, value_of(lines_of(story)[1]) / float(finish.rpartition("= ")[2]))
    weights, v = random.dirichlet(np.full(9, 0.2), (1, 1)), random.normal(0, size, (1, 9, 4))
    check_column(MIXED.cell(weights, v, (0, 0, 2)))
    total, _, result = check_column(MEAN.cell(x := random.normal(0, size, (1, 64)), (0, 0)))
    assert same(result, value_of(total) / 64)
    total, _, result = check_column(SCALE.cell(x, (0, 0)))
    assert same(result, math.sqrt(value_of(total) / 64 + 1e-5))
    total, _, result = check_column(mean_story(x[0], 0.0))
    assert same(result, value_of(total) / 64)


@given(st.lists(st.floats(-30, 30), min_size=3, max_size=3), st.floats(0.05, 9))
def test_one_line(numbers: list[float], spread: float) -> None:
    one, two, three = (np.array([[number]]) for number in numbers)
    scale = np.array([[spread]])
    for story in (
        SUM.cell(one, two, (0, 0)),
        NORMALIZED.cell(one, two, scale, (0, 0)),
        NORM_OUTPUT.cell(one, two[0], three[0], (0, 0)),
        gradient_story(abs(numbers[0]) / 30, abs(numbers[1]) / 30, 0.0),
    ):
        inside = re.fullmatch(r"\\begin\{gathered\} (.*) \\end\{gathered\}", story_latex(story, LIGHT))
        assert inside
        *_, finish, result = inside[1].split(" = ")
        assert same(result, typed(finish)), inside[1]


def test_the_selected_term_is_a_line_even_if_it_is_the_smallest() -> None:
    row = np.array([0.5, 3.1, -0.77, 2.0, 1.5, 1.2, 0.9, -np.inf])
    story = WEIGHTS.cell(row[None, None], (0, 0, 2))
    latex = story_latex(story, LIGHT, lambda place: "abcdefgh"[place])
    assert r"\quad e^{-0.77000} &=& 0.463" in latex
    assert story.n_rest == 1
    assert story.rest == pytest.approx(math.exp(0.5))


def test_a_score_too_large_for_a_power_is_no_error() -> None:
    story = LOG_PROBS.cell(np.array([[900.0, 100.0, 3.0]]), (0, 1))
    assert story.result == pytest.approx(-800)
    assert r"\infty" in story_latex(story, LIGHT)
