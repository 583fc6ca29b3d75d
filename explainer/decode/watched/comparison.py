"""Strategies side by side on one sentence: greedy, beams of several widths, exact search; done bit by bit."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from explainer.decode.search.beam import beam_search
from explainer.decode.search.exact import ExactRules, ExactStep, exact_search
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules
from explainer.decode.sources.wrappers import Tally
from explainer.language import _, mark

T = TypeVar("T")
WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
EXACT = mark("exact search")
NARROW = 8  # beams up to this width are searched before exact search begins, wider ones after its first part
FIRST_PART = 512  # prefixes: most proofs need fewer
MOST_NODES = 1_000_000
State = Literal["beams", "searching", "proved", "budget"]  # of exact search
Verdict = Literal["search error", "found", "unknown", "not yet"]
_BEAM = "beam "
_SAME = 1e-4  # scores that differ by less differ by how batches are rounded


@dataclass(frozen=True)
class Found:
    """What a strategy came to, and what it cost.

    Attributes:
        hypothesis: The best one.
        n_read: Prefixes that the model read.
        n_passes: In how many passes.
        n_bytes: The most that keys and values took; None without a cache.
        seconds: Wall time on this machine, at this time.
    """

    hypothesis: Hypothesis
    n_read: int
    n_passes: int
    n_bytes: int | None
    seconds: float


class Comparison:
    """Searches that go on whenever somebody asks: `advance`. Several threads may ask; one works, the others look.

    Attributes:
        rules: Limit, penalty and end token of all searches.
        beams: What greedy search (width 1) and beam search came to, by width.
        exact: The newest report of exact search; None before it has begun.
        samples: What was drawn beside the searches, by name; nothing is, unless somebody adds it.
        empty: The hypothesis that ends at once: the empty sentence; None before anything was read.
    """

    def __init__(
        self, make: Callable[[], Tally[Any]], rules: BeamRules, widths: Sequence[int] = WIDTHS
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            make: Makes a source to search, with an empty cache.
            rules: How to search, but for the width.
            widths: The widths of the beams. Width 1 is greedy search: it stops at the first end.
        """
        self.rules, self.widths = rules, tuple(widths)
        self.beams: dict[int, Found] = {}
        self.samples: dict[str, Found] = {}
        self.exact: ExactStep | None = None
        self.empty: Hypothesis | None = None
        self._make = make
        self._work = self._pieces()
        self._lock = threading.Lock()
        self._exact_tally: Tally[Any] | None = None
        self._exact_seconds = 0.0
        self._budget = 0

    def advance(self, seconds: float, budget: int) -> None:
        """Work for about this long, or until all is done.

        Args:
            seconds: At least one piece of work is done, then as many as begin in this time.
            budget: How many prefixes exact search may read.
        """
        with self._lock:
            self._budget = budget
            ends = time.perf_counter() + seconds
            while not self.is_done(budget):
                next(self._work, None)
                if time.perf_counter() >= ends:
                    return

    def is_done(self, budget: int) -> bool:
        """Whether all beams are searched, and exact search has the proof or no budget."""
        return len(self.beams) == len(self.widths) and self.state(budget) in ("proved", "budget")

    def state(self, budget: int) -> State:
        """What exact search is doing: it waits for the first beams, works, has the proof, or no budget."""
        if self.exact is None:
            return "beams"
        if self.exact.outcome == "proved":
            return "proved"
        return "budget" if self.exact.n_expanded >= budget else "searching"

    @property
    def proof(self) -> Found | None:
        """What exact search has found so far, and its cost; None before it has begun."""
        step, tally = self.exact, self._exact_tally
        if step is None or tally is None or step.best is None:
            return None
        return Found(step.best, tally.n_read, tally.n_passes, tally.n_bytes, self._exact_seconds)

    @property
    def best(self) -> Hypothesis | None:
        """The best hypothesis of all strategies so far."""
        every = [found.hypothesis for found in self.beams.values()]
        if self.exact is not None and self.exact.best is not None:
            every.append(self.exact.best)
        return max(every, key=lambda hypothesis: hypothesis.score, default=None)

    def seconds_left(self, budget: int) -> float | None:
        """How long exact search still works at most, at its speed so far; None before it has begun."""
        if self.exact is None:
            return None
        return (budget - self.exact.n_expanded) * self._exact_seconds / self.exact.n_expanded

    def behind(self, hypothesis: Hypothesis) -> float:
        """By how much the score of a hypothesis is below the best that is known; 0 if it is that one."""
        best = self.best
        if best is None or best.tokens == hypothesis.tokens:
            return 0.0
        gap = best.score - hypothesis.score
        return 0.0 if gap < _SAME else gap

    def missed_better(self, hypothesis: Hypothesis) -> bool:
        """Whether something better is known that ended: what was cut is no sentence, and no proof of an error."""
        return self.behind(hypothesis) > 0 and self.best is not None and self.best.finished

    def verdict(self, hypothesis: Hypothesis, budget: int) -> Verdict:
        """Whether a search made an error: something else has a better score, which it missed.

        "unknown": nothing better was found, but the budget ended before the proof that nothing is; or the best that is
        known was cut.
        """
        if self.missed_better(hypothesis):
            return "search error"
        if self.best is not None and not self.best.finished:
            return "unknown"
        state = self.state(budget)
        return {"proved": "found", "budget": "unknown"}.get(state, "not yet")  # type: ignore[return-value]

    @property
    def rows(self) -> dict[str, Found]:
        """What each strategy came to, by its name, exact search last."""
        found = {name_of(width): self.beams[width] for width in sorted(self.beams)}
        return {**found, **self.samples, **({EXACT: self.proof} if self.proof is not None else {})}

    def _pieces(self) -> Iterator[None]:
        """The narrow beams; the first part of exact search, mostly all of it; the wide beams; the rest."""
        for width in (width for width in self.widths if width <= NARROW):
            yield from self._beam(width)
        exact = self._exact()
        for __ in exact:
            yield
            if self.exact is not None and self.exact.n_expanded >= min(FIRST_PART, self._budget):
                break
        for width in (width for width in self.widths if width > NARROW):
            yield from self._beam(width)
        yield from exact

    def _exact(self) -> Iterator[None]:
        rules = ExactRules(
            max_new_tokens=self.rules.max_new_tokens,
            penalty=self.rules.penalty,
            end_id=self.rules.end_id,
            max_nodes=MOST_NODES,
        )
        self._exact_tally = self._make()
        search = exact_search(self._exact_tally, rules, self.best)
        for step, seconds in _timed(search):
            self._exact_seconds += seconds
            self.exact = step
            yield

    def _beam(self, width: int) -> Iterator[None]:
        tally, total = self._make(), 0.0
        stops = True if width == 1 else self.rules.early_stopping
        steps = beam_search(tally, replace(self.rules, beam_size=width, early_stopping=stops))
        best: Hypothesis | None = None
        for step, seconds in _timed(steps):
            total += seconds
            best = next(iter(step.finished), None)
            if self.empty is None:
                end = self.rules.end_id
                log_prob = float(step.beam.frontier.log_probs[0, 0, end])
                score = self.rules.penalty.score(log_prob, 1)
                self.empty = Hypothesis((end,), log_prob, score, finished=True)
            yield
        assert best is not None, "what reaches the limit is cut, and finished"
        self.beams[width] = Found(best, tally.n_read, tally.n_passes, tally.n_bytes, total)


def _timed(steps: Iterator[T]) -> Iterator[tuple[T, float]]:
    """Each step, and the seconds that it took."""
    started = time.perf_counter()
    for step in steps:
        yield step, time.perf_counter() - started
        started = time.perf_counter()


def name_of(width: int) -> str:
    """By what name `Comparison.rows` knows a beam of this width."""
    return mark("greedy") if width == 1 else f"{_BEAM}{width}"


def title_of(name: str) -> str:
    """What a strategy of `Comparison.rows` is called."""
    if name.startswith(_BEAM):
        return _("beam {width}").format(width=name.removeprefix(_BEAM))
    return _(name)
