"""How numbers are written: a difference is that of the digits beside it."""

import math
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

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
