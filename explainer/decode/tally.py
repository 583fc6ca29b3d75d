"""What a search costs: a source of log-probabilities that counts what is read, and how much memory that takes."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Generic

from jaxtyping import Int
from torch import Tensor

from explainer.decode.exact import Rewinding
from explainer.decode.model import CachedFrontier
from explainer.decode.prefixes import FrontierT, NextLogProbs


class Tally(Generic[FrontierT]):
    """A source that says what another one says, and counts.

    Attributes:
        n_read: Prefixes that were read: nodes of the search tree that were expanded.
        n_passes: How often the model was asked; one pass reads many prefixes.
        n_bytes: The most that keys and values took at any time; None without a cache.
    """

    def __init__(
        self,
        source: NextLogProbs[FrontierT],
        around: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Count what `source` reads.

        Args:
            source: A model or a table.
            around: Makes a context in which each pass runs: changes that act on it.
        """
        self.source, self.around = source, around
        self.n_read = self.n_passes = 0
        self.n_bytes: int | None = None

    def start(self) -> FrontierT:
        """As the source does."""
        with self.around():
            return self._counted(self.source.start())

    def extend(
        self, after: FrontierT, parents: Int[Tensor, "sentence beam"], tokens: Int[Tensor, "sentence beam"]
    ) -> FrontierT:
        """As the source does."""
        with self.around():
            return self._counted(self.source.extend(after, parents, tokens))

    def select(self, after: FrontierT, sentences: Sequence[int]) -> FrontierT:
        """As the source does."""
        return self.source.select(after, sentences)

    def rewind(self, after: FrontierT) -> None:
        """As the source does, if it keeps anything."""
        if isinstance(self.source, Rewinding):
            self.source.rewind(after)

    def _counted(self, frontier: FrontierT) -> FrontierT:
        self.n_passes += 1
        self.n_read += frontier.log_probs.shape[0] * frontier.log_probs.shape[1]
        if isinstance(frontier, CachedFrontier):
            self.n_bytes = max(self.n_bytes or 0, frontier.cache.n_bytes)
        return frontier
