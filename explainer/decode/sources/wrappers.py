"""Reads nothing twice: searches that are repeated with other rules, or go another way, find what was read before."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic

from jaxtyping import Int
from torch import Tensor

from explainer.decode.search.exact import Rewinding
from explainer.decode.search.prefixes import FrontierT, NextLogProbs
from explainer.decode.sources.transformer import CachedFrontier


class Clock:
    """A model with a stopwatch: how long the last `start` or `extend` took, without what the search does with it."""

    def __init__(self, source: Any) -> None:
        self.source, self.seconds = source, 0.0
        self.select = source.select

    def start(self) -> Any:
        """Read the empty prefix."""
        return self._timed(self.source.start)

    def extend(self, *arguments: Any) -> Any:
        """Read longer prefixes."""
        return self._timed(self.source.extend, *arguments)

    def _timed(self, read: Callable[..., Any], *arguments: Any) -> Any:
        started = time.perf_counter()
        frontier = read(*arguments)
        self.seconds = time.perf_counter() - started
        return frontier


Around = Callable[[], AbstractContextManager[None]]
_Way = tuple[int, tuple[int, ...], tuple[int, ...]]  # from which frontier, which rows of it, by which tokens


class _Wrapper(Generic[FrontierT]):
    """A source that says what another one says.

    Attributes:
        source: A model or a table.
        around: Makes a context in which each pass runs: changes that act on it.
        n_passes: How often the source was asked; one pass reads many prefixes.
    """

    def __init__(self, source: NextLogProbs[FrontierT], around: Around = nullcontext) -> None:
        self.source, self.around, self.n_passes = source, around, 0

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

    def _counted(self, frontier: FrontierT) -> FrontierT:
        self.n_passes += 1
        return frontier


class Remembered(_Wrapper[FrontierT]):
    """A source of log-probabilities that keeps every frontier it made.

    What runs on at a step does not depend on the length penalty, the stop rule or the limit; so a search under other
    rules asks for frontiers that are there already, and for new ones only where it goes further. Several threads may
    search at once.
    """

    def __init__(self, source: NextLogProbs[FrontierT], around: Around = nullcontext) -> None:
        """Remember what `source` says."""
        super().__init__(source, around)
        self._lock = threading.Lock()
        self._first: FrontierT | None = None
        self._made: dict[_Way, FrontierT] = {}
        self._known: dict[int, FrontierT] = {}  # by id: they must live as long as their ids are used

    def start(self) -> FrontierT:
        """As the source does."""
        with self._lock:
            if self._first is None:
                self._first = self._keep(super().start())
            return self._first

    def extend(
        self, after: FrontierT, parents: Int[Tensor, "1 beam"], tokens: Int[Tensor, "1 beam"]
    ) -> FrontierT:
        """As the source does; from a frontier that this object made.

        Raises:
            KeyError: it made no such frontier.
        """
        with self._lock:
            if id(after) not in self._known:
                raise KeyError("this frontier was made by another source")
            way = id(after), tuple(parents[0].tolist()), tuple(tokens[0].tolist())
            if way not in self._made:
                self._made[way] = self._keep(super().extend(after, parents, tokens))
            return self._made[way]

    def select(self, after: FrontierT, sentences: Sequence[int]) -> FrontierT:
        """The same frontier: there is one sentence."""
        return after

    def _keep(self, made: FrontierT) -> FrontierT:
        self._known[id(made)] = made
        return made


class Tally(_Wrapper[FrontierT]):
    """A source that counts what is read.

    Attributes:
        n_read: Prefixes: nodes of the search tree that were expanded.
        n_bytes: The most that keys and values took at any time; None without a cache.
    """

    def __init__(self, source: NextLogProbs[FrontierT], around: Around = nullcontext) -> None:
        """Count what `source` reads."""
        super().__init__(source, around)
        self.n_read = 0
        self.n_bytes: int | None = None

    def rewind(self, after: FrontierT) -> None:
        """As the source does, if it keeps anything."""
        if isinstance(self.source, Rewinding):
            self.source.rewind(after)

    def _counted(self, frontier: FrontierT) -> FrontierT:
        self.n_read += frontier.log_probs.shape[0] * frontier.log_probs.shape[1]
        if isinstance(frontier, CachedFrontier):
            self.n_bytes = max(self.n_bytes or 0, frontier.cache.n_bytes)
        return super()._counted(frontier)
