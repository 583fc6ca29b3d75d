"""Reads nothing twice: searches that are repeated with other rules, or go another way, find what was read before."""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Generic

from jaxtyping import Int
from torch import Tensor

from explainer.decode.prefixes import FrontierT, NextLogProbs

_Way = tuple[int, tuple[int, ...], tuple[int, ...]]  # from which frontier, which rows of it, by which tokens


class Remembered(Generic[FrontierT]):
    """A source of log-probabilities that keeps every frontier it made.

    What runs on at a step does not depend on the length penalty, the stop rule or the limit; so a search under other
    rules asks for frontiers that are there already, and for new ones only where it goes further. Several threads may
    search at once.
    """

    def __init__(
        self,
        source: NextLogProbs[FrontierT],
        around: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Remember what `source` says.

        Args:
            source: The model or table.
            around: Makes a context in which each pass runs: changes that act on it.
        """
        self.source = source
        self.n_passes = 0  # how often `source` was asked
        self._around = around
        self._lock = threading.Lock()
        self._first: FrontierT | None = None
        self._made: dict[_Way, FrontierT] = {}
        self._known: dict[int, FrontierT] = {}  # by id: they must live as long as their ids are used

    def start(self) -> FrontierT:
        """As the source does."""
        with self._lock:
            if self._first is None:
                with self._around():
                    self._first = self._keep(self.source.start())
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
                with self._around():
                    self._made[way] = self._keep(self.source.extend(after, parents, tokens))
            return self._made[way]

    def select(self, after: FrontierT, sentences: Sequence[int]) -> FrontierT:
        """The same frontier: there is one sentence."""
        return after

    def _keep(self, made: FrontierT) -> FrontierT:
        self.n_passes += 1
        self._known[id(made)] = made
        return made
