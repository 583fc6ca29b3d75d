"""Exact search: the most probable of all sequences, by depth-first branch and bound.

A prefix can only lose by growing: log p ≤ 0. So a prefix whose sum is not above the score of the best finished
hypothesis needs no look at what follows it (Stahlberg & Byrne 2019, "On NMT Search Errors and Model Errors: Cat Got
Your Tongue?", algorithm 1). The probabilities of all prefixes of one length sum to at most one, so that fewer than 1/p
of them are above p: the search ends.

Prefixes are read best first, and up to `batch_size` children of those read last at once. Only the keys and values of
the batches on the way down are kept: at most length × batch_size rows.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from explainer.decode.search.prefixes import FrontierT, Hypothesis, NextLogProbs
from explainer.decode.search.rules import LengthPenalty
from explainer.model.config import whole
from explainer.text.tokenizer import END_ID

Tokens = tuple[int, ...]
Outcome = Literal["searching", "proved", "budget"]


@runtime_checkable
class Rewinding(Protocol):
    """A source that can forget what was read after a frontier."""

    def rewind(self, after: Any) -> None:
        """Only `after` and the frontiers before it will be extended again."""
        ...


@dataclass(frozen=True, kw_only=True)
class ExactRules:
    """What to search for, and how long.

    Attributes:
        max_new_tokens: Limit of tokens, `</s>` included; what reaches it is cut, and a result like any other.
        penalty: What makes scores of log-probabilities.
        end_id: The token that ends a sentence.
        max_nodes: Most prefixes to read: the budget.
        batch_size: Most prefixes to read at once.
    """

    max_new_tokens: int = 100
    penalty: LengthPenalty = field(default_factory=LengthPenalty)
    end_id: int = END_ID
    max_nodes: int = 100_000
    batch_size: int = 16

    def __post_init__(self) -> None:
        for name, bound in (("max_new_tokens", 1), ("end_id", 0), ("max_nodes", 1), ("batch_size", 1)):
            whole(name, getattr(self, name), bound)

    def bound(self, log_prob: float, length: int) -> float:
        """The best score of anything that begins with a prefix of this sum and length, and is longer."""
        return self.penalty.score(log_prob, self._length(length))

    def least(self, score: float, length: int) -> float:
        """The sum that a prefix of this length must be above to have a bound above `score`."""
        return score * self.penalty.divisor(self._length(length))

    def _length(self, length: int) -> int:
        """The length that suits a longer hypothesis best."""
        return self.max_new_tokens if self.penalty.favours_long else length + 1


@dataclass(frozen=True, eq=False)
class ExactStep:
    """What the search knows after it has read one batch of prefixes.

    Attributes:
        best: The best finished hypothesis so far; None if there is none.
        expanded: The prefixes that were read now.
        n_expanded: How many have been read altogether, the empty one included.
        n_waiting: How many are known that must be read, unless a better hypothesis is found before.
        settled: How much of the probability of all sequences is no longer in question: 1 when the search is over.
        best_possible: The score that nothing unread can exceed: there is room up to here.
        n_needed: Of the prefixes that were read, those whose bound is above the final best score: every exact search by
            bounds must read them. None before the end.
        outcome: "searching"; "proved": nothing is better than `best`; "budget": given up, `best` may be beaten.
    """

    best: Hypothesis | None
    expanded: tuple[Tokens, ...]
    n_expanded: int
    n_waiting: int
    settled: float
    best_possible: float
    n_needed: int | None
    outcome: Outcome


@torch.inference_mode()
def exact_search(
    source: NextLogProbs[FrontierT], rules: ExactRules, known: Hypothesis | None = None
) -> Iterator[ExactStep]:
    """Search until nothing better can exist; yields a report of every batch, before the next is read.

    Stop asking, and it stops.

    Args:
        source: The model or table to search: one sentence.
        rules: What to search for.
        known: A hypothesis to beat, such as beam search's: the higher its score, the less is read.

    Raises:
        ValueError: the log-probabilities are not numbers.
    """
    search = _Search(source, rules, known)
    yield search.begin()
    while search.is_open:
        yield search.read()


@dataclass(eq=False)
class _Level(Generic[FrontierT]):
    """Prefixes that were read together, and their children that are above the bound, best first.

    Attributes:
        frontier: What may follow the prefixes.
        prefixes: Their tokens.
        parent: Which prefix each child extends.
        token: By which token.
        log_prob: Σ log p of each child.
        taken: How many of the children have been read.
    """

    frontier: FrontierT
    prefixes: list[Tokens]
    parent: Int[np.ndarray, " child"]
    token: Int[np.ndarray, " child"]
    log_prob: Float[np.ndarray, " child"]
    taken: int = 0

    @cached_property
    def mass(self) -> Float[np.ndarray, " count"]:
        """The probability of the first 0, 1, 2 … children together."""
        return np.concatenate([[0.0], np.exp(self.log_prob).cumsum()])

    def above(self, bound: float) -> int:
        """How many children have a higher sum; those that are unread begin at `taken`."""
        return int(np.searchsorted(-self.log_prob, -bound, side="left"))


class _Search(Generic[FrontierT]):
    """The levels from the root down to what is read next, and the best hypothesis."""

    def __init__(self, source: NextLogProbs[FrontierT], rules: ExactRules, known: Hypothesis | None) -> None:
        self.source, self.rules = source, rules
        self.score, self.best = -math.inf, None
        if known is not None:
            self.score = rules.penalty.score(known.log_prob, len(known))
            self.best = replace(known, score=self.score)
        self.levels: list[_Level[FrontierT]] = []
        self.bounds: list[float] = []  # of the prefixes that were read

    @property
    def is_open(self) -> bool:
        """Whether there is something to read, and budget for it."""
        return bool(self.levels) and len(self.bounds) < self.rules.max_nodes

    def begin(self) -> ExactStep:
        """Read the empty prefix."""
        return self._look(self.source.start(), [()], np.zeros(1))

    def read(self) -> ExactStep:
        """Read the best children of the lowest level."""
        level = self.levels[-1]
        room = min(self.rules.batch_size, self.rules.max_nodes - len(self.bounds))
        chosen = slice(level.taken, min(level.taken + room, level.above(self._least(len(self.levels)))))
        level.taken = chosen.stop
        parents, tokens = level.parent[chosen], level.token[chosen]
        pairs = zip(parents.tolist(), tokens.tolist(), strict=True)
        prefixes = [(*level.prefixes[parent], token) for parent, token in pairs]
        if isinstance(self.source, Rewinding):
            self.source.rewind(level.frontier)
        frontier = self.source.extend(
            level.frontier, torch.from_numpy(parents)[None], torch.from_numpy(tokens)[None]
        )
        return self._look(frontier, prefixes, level.log_prob[chosen])

    def _look(
        self, frontier: FrontierT, prefixes: list[Tokens], log_prob: Float[np.ndarray, " row"]
    ) -> ExactStep:
        """Finish what ends here, keep the children that are above the bound, leave levels that are done."""
        length = len(prefixes[0])
        self.bounds += [self.rules.bound(value, length) for value in log_prob.tolist()]
        sums = (
            frontier.log_probs[0].double() + torch.from_numpy(log_prob).to(frontier.log_probs.device)[:, None]
        )
        if bool(sums.isnan().any()):
            raise ValueError(f"after {length} tokens: log-probabilities are not numbers (NaN)")
        is_cut = length + 1 == self.rules.max_new_tokens
        self._finish(sums if is_cut else sums[:, [self.rules.end_id]], prefixes, all_tokens=is_cut)
        if not is_cut:
            sums[:, self.rules.end_id] = -math.inf
            self.levels.append(self._level(frontier, prefixes, sums))
        while self.levels and self.levels[-1].taken >= self.levels[-1].above(self._least(len(self.levels))):
            self.levels.pop()
        return self._report(tuple(prefixes))

    def _finish(self, sums: Float[Tensor, "row end"], prefixes: list[Tokens], *, all_tokens: bool) -> None:
        """Keep the best of these hypotheses if it is better than the best so far."""
        place = int(sums.argmax())
        row, token = divmod(place, sums.shape[1]) if all_tokens else (place, self.rules.end_id)
        log_prob, tokens = float(sums.flatten()[place]), (*prefixes[row], token)
        score = self.rules.penalty.score(log_prob, len(tokens))
        if score > self.score:
            self.score = score
            self.best = Hypothesis(tokens, log_prob, score, finished=token == self.rules.end_id)

    def _level(
        self, frontier: FrontierT, prefixes: list[Tokens], sums: Float[Tensor, "row vocab"]
    ) -> _Level[FrontierT]:
        places = (sums > self._least(len(prefixes[0]) + 1)).nonzero()
        log_prob, order = sums[places[:, 0], places[:, 1]].sort(descending=True, stable=True)
        parent, token = places[order].t().contiguous().numpy(force=True)
        return _Level(frontier, prefixes, parent, token, log_prob.numpy(force=True))

    def _least(self, length: int) -> float:
        """The sum that a prefix of this length must be above; the children of level i have i tokens."""
        return -math.inf if self.best is None else self.rules.least(self.score, length)

    def _report(self, expanded: tuple[Tokens, ...]) -> ExactStep:
        waiting, mass, possible = 0, 0.0, self.score
        for length, level in enumerate(self.levels, start=1):
            end = level.above(self._least(length))
            if end > level.taken:
                waiting += end - level.taken
                mass += float(level.mass[end] - level.mass[level.taken])
                possible = max(possible, self.rules.bound(float(level.log_prob[level.taken]), length))
        outcome: Outcome = "searching" if self.is_open else "budget" if self.levels else "proved"
        needed = None if self.is_open else sum(bound > self.score for bound in self.bounds)
        return ExactStep(
            self.best, expanded, len(self.bounds), waiting, 1.0 - mass, possible, needed, outcome
        )
