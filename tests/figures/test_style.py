"""Text of visitors is shown literally wherever it goes; a difference is that of the digits beside it."""

import html
import math
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.figures.escape import for_katex, for_markdown, for_plotly, token_label
from explainer.figures.style import change


@given(st.floats(-200, 0), st.floats(-3, 3), st.integers(1, 9))
def test_a_difference_is_made_of_the_shown_digits(before: float, size: float, power: int) -> None:
    after = before + size * 10.0**-power
    one, other, gap = (Decimal(text.replace("−", "-")) for text in change(before, after))
    assert gap == other - one
    assert abs(float(gap) - (after - before)) <= 10.0 ** int(gap.as_tuple().exponent)
    if abs(after - before) >= 1e-4:
        assert abs(float(gap) / (after - before) - 1) <= 0.11  # two digits, the last to one unit


def test_what_is_infinite_or_the_same_has_a_difference_too() -> None:
    assert change(-1.0, -math.inf) == ("−1.00", "−∞", "−∞")
    assert change(-math.inf, -math.inf) == ("−∞", "−∞", "0.00")
    assert change(-1.174, -1.178) == ("−1.1740", "−1.1780", "−0.0040")


NASTY = [
    "<b>bold</b>",
    "<script>alert(1)</script>",
    r"$\href{x}{y}$",
    "</s>",
    "a_b^c{d}\\e#f%g&h~$i",
    "**x** `y` [z](w)",
]


@pytest.mark.parametrize("text", NASTY)
def test_plotly_sees_no_tag(text: str) -> None:
    escaped = for_plotly(text)
    assert "<" not in escaped
    assert html.unescape(escaped) == text


@given(st.text())
def test_plotly_escaping_loses_nothing(text: str) -> None:
    escaped = for_plotly(text)
    assert not set("<>") & set(escaped)
    assert escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_markdown_has_no_active_character_left(text: str) -> None:
    escaped = for_markdown(text)
    without_escapes = re.sub(r"\\[\\`*_{}\[\]()#+\-.!|~$<>&:^=\"'/]", "", escaped)
    assert not re.search(r"[`*_\[\]#|~$<>&:]", without_escapes)
    assert "\n" not in escaped
    assert re.sub(r"\\(.)", r"\1", escaped) == " ".join(text.splitlines())


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_katex_gets_one_balanced_group(text: str) -> None:
    escaped = for_katex(text)
    bare = re.sub(r"\\[{}$&%#_]|\\text[a-z]+\{\}", "", escaped)
    assert bare.startswith(r"\text{")
    assert bare.endswith("}")
    assert not re.search(r"[{}$&%#_^~\\<>]", bare.removeprefix(r"\text{").removesuffix("}"))


def test_labels_of_tokens() -> None:
    assert token_label(" street") == "\u2009street"
    assert token_label("</s>") == "</s>"
    assert token_label(" ") == "␣"
    assert token_label("\u200d") == "U+200D"
