"""What a search needs to know of a model: the log-probabilities of the token that follows each prefix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Frontier:
    """Prefixes that have been read, as many for each sentence, and what may follow them.

    An implementation adds what it needs to read on from here. A frontier never changes: it can be extended again and
    differently, which is how a search steps back, takes another branch, or forces a token.
    """

    log_probs: Float[Tensor, "sentence beam vocab"]


FrontierT = TypeVar("FrontierT", bound=Frontier)


@runtime_checkable
class NextLogProbs(Protocol[FrontierT]):
    """Anything that maps prefixes to rows of next-token log-probabilities: a model, a table."""

    def start(self) -> FrontierT:
        """Read the empty prefix of every sentence; `log_probs` is [sentence, 1, vocab]."""
        ...

    def extend(
        self, after: FrontierT, parents: Int[Tensor, "sentence beam"], tokens: Int[Tensor, "sentence beam"]
    ) -> FrontierT:
        """Read longer prefixes: row `parents[s, b]` of `after`, then token `tokens[s, b]`."""
        ...

    def select(self, after: FrontierT, sentences: Sequence[int]) -> FrontierT:
        """The same frontier for these sentences only; the others are done."""
        ...
