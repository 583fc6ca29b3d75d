import math

import pytest

from explainer.decode.search.rules import LengthPenalty

SHORT, LONG = (-0.5 * 4, 4), (-0.45 * 8, 8)  # log-probability and length of two hypotheses


@pytest.mark.parametrize(
    ("penalty", "short", "long"),
    [
        (LengthPenalty("none"), -2.0, -3.6),
        (LengthPenalty("huggingface", 0.0), -2.0, -3.6),
        (LengthPenalty("huggingface", 1.0), -0.5, -0.45),
        (LengthPenalty("gnmt", 1.0), -1.3333, -1.6615),
    ],
)
def test_worked_example(penalty: LengthPenalty, short: float, long: float) -> None:
    """The three formulas disagree about which of two hypotheses is better."""
    assert penalty.score(*SHORT) == pytest.approx(short, abs=1e-4)
    assert penalty.score(*LONG) == pytest.approx(long, abs=1e-4)


@pytest.mark.parametrize("name", ["huggingface", "gnmt"])
def test_a_positive_alpha_favours_long_hypotheses(name: str) -> None:
    for alpha, favours_long in ((0.6, True), (0.0, False), (-1.0, False)):
        penalty = LengthPenalty(name, alpha)  # type: ignore[arg-type]
        assert penalty.favours_long is favours_long
        assert (penalty.score(-3.0, 9) > penalty.score(-3.0, 5)) is favours_long


def test_no_penalty_ignores_alpha() -> None:
    assert LengthPenalty("none", 2.0).score(-3.0, 7) == -3.0
    assert not LengthPenalty("none", 2.0).favours_long


@pytest.mark.parametrize("alpha", [math.nan, math.inf, 11.0, -10.5])
def test_alpha_is_checked(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"alpha = .*must be between -10.0 and 10.0"):
        LengthPenalty("gnmt", alpha)


def test_the_name_is_checked() -> None:
    with pytest.raises((ValueError, TypeError), match=r"penalty|name"):
        LengthPenalty("hf")  # type: ignore[arg-type]
