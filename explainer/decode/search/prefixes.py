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


@dataclass(frozen=True)
class Hypothesis:
    """A sequence that a search came to the end of.

    Attributes:
        tokens: What was generated: without `<s>`, with `</s>` if it was reached.
        log_prob: log p(tokens | source) = Σ log p(token | tokens before it), in nats.
        score: `log_prob` after the length penalty: what hypotheses are ranked by.
        finished: True when it ends in `</s>`, False when it was cut at the limit of tokens.
    """

    tokens: tuple[int, ...]
    log_prob: float
    score: float
    finished: bool

    def __len__(self) -> int:
        """How many tokens were generated, `</s>` included: the L of the length penalty."""
        return len(self.tokens)

    @property
    def words(self) -> tuple[int, ...]:
        """The tokens without `</s>`."""
        return self.tokens[:-1] if self.finished else self.tokens
