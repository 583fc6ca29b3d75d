"""The rules of a beam search: how wide, how far, by which score, and when to stop."""

import math
from dataclasses import dataclass, field
from typing import Literal

from explainer.decode.search.prefixes import Hypothesis
from explainer.model.config import one_of, whole
from explainer.text.tokenizer import END_ID

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


LONGER, MORE = 1.5, 10  # a translation has at most so many times the tokens of its source, and so many more


def length_limit(n_source: int, max_positions: int) -> int:
    """The limit of a sentence: the most tokens of its translation, `</s>` included, wherever it is searched.

    No translation is that long any more; but a model that does not know a sentence, or was broken on purpose, may
    never end.

    Args:
        n_source: Source tokens, `</s>` not counted.
        max_positions: How many decoder rows the model has positions for: one for each token that it says.
    """
    return min(int(LONGER * n_source) + MORE, max_positions)


@dataclass(frozen=True, kw_only=True)
class BeamRules:
    """How to search. The defaults are the textbook's: ranked by probability, stopped when nothing can improve.

    Attributes:
        beam_size: Hypotheses that run on after each step, and finished ones that are returned.
        max_new_tokens: Limit of generated tokens, `</s>` included; hypotheses that reach it are cut.
        penalty: What makes scores of log-probabilities.
        early_stopping: When to stop once `beam_size` hypotheses have finished. True: at once. False: when the best
            running one, if it ended now, would not beat the worst finished one. "never": when it could not even with
            the length that suits it best.
        end_id: The token that ends a hypothesis.
    """

    beam_size: int = 4
    max_new_tokens: int = 100
    penalty: LengthPenalty = field(default_factory=LengthPenalty)
    early_stopping: bool | Literal["never"] = "never"
    end_id: int = END_ID

    def __post_init__(self) -> None:
        for name, bound in (("beam_size", 1), ("max_new_tokens", 1), ("end_id", 0)):
            whole(name, getattr(self, name), bound)
        one_of("early_stopping", self.early_stopping, (True, False, "never"))

    def best_possible(self, log_prob: float, length: int) -> float:
        """What a running hypothesis may score, as if no further token cost anything.

        Its length is taken as it is, or as the limit if early_stopping is "never" and the penalty favours long ones.
        """
        far = self.early_stopping == "never" and self.penalty.favours_long
        return self.penalty.score(log_prob, self.max_new_tokens if far else length)

    def goes_on(self, best_possible: float, finished: tuple[Hypothesis, ...]) -> bool:
        """Whether hypotheses that may reach `best_possible` are worth running, given the finished ones."""
        if best_possible == -math.inf:
            return False  # nothing is left that could run
        if len(finished) < self.beam_size:
            return True
        return self.early_stopping is not True and best_possible > finished[-1].score
