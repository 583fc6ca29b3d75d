"""Length penalties: what turns the log-probability of a finished hypothesis into its score.

Every further token multiplies the probability by a factor below 1, so the sum of log-probabilities favours short
hypotheses. Dividing it by something that grows with the length makes up for that: the sum is negative, so α > 0
favours *longer* hypotheses, whatever the word "penalty" suggests.
"""

import math
from dataclasses import dataclass
from typing import Literal

from explainer.config import one_of

PENALTIES = ("none", "huggingface", "gnmt")
_LARGEST = 10.0


@dataclass(frozen=True)
class LengthPenalty:
    """score = Σ log p / divisor(L), where L counts the generated tokens: `</s>` is one of them, `<s>` is not.

    - none: divisor = 1.
    - huggingface: divisor = L^α (`length_penalty=α` in transformers; its default 1 is not "off", 0 is).
    - gnmt: divisor = ((5 + L) / 6)^α (Wu et al. 2016, eq. 14; also Tensor2Tensor and JoeyNMT).

    Attributes:
        name: Which of the three.
        alpha: α: 0 is no penalty, positive favours long hypotheses, negative short ones. "none" ignores it.
    """

    name: Literal["none", "huggingface", "gnmt"] = "none"
    alpha: float = 1.0

    def __post_init__(self) -> None:
        one_of("length penalty", self.name, PENALTIES)
        if not isinstance(self.alpha, int | float) or not abs(self.alpha) <= _LARGEST:
            raise ValueError(f"alpha = {self.alpha!r}: must be between {-_LARGEST} and {_LARGEST}")

    @property
    def favours_long(self) -> bool:
        """Whether of two hypotheses with one log-probability the longer has the better score."""
        return self.name != "none" and self.alpha > 0

    def divisor(self, length: int) -> float:
        """What the log-probability of a hypothesis of `length` tokens is divided by."""
        if self.name == "huggingface":
            return math.pow(length, self.alpha)
        if self.name == "gnmt":
            return math.pow((5 + length) / 6, self.alpha)
        return 1.0

    def score(self, log_prob: float, length: int) -> float:
        """The score of a hypothesis: log_prob / divisor(length)."""
        return log_prob / self.divisor(length)
