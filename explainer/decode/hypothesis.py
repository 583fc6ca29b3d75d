"""The result of a search: a token sequence with its log-probability and score."""

from dataclasses import dataclass


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
