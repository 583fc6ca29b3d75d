"""What one step of beam search did, told to whoever watches: the whole pool of candidates that was ranked."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from explainer.decode.search.prefixes import FrontierT, Hypothesis
from explainer.decode.search.rules import BeamRules

KEPT, PRUNED, FINISHED, CUT = "kept", "pruned", "finished", "cut"


@dataclass(frozen=True, eq=False)
class Beam(Generic[FrontierT]):
    """The hypotheses that run on, best first, for each sentence of a batch.

    Attributes:
        frontier: What may follow them.
        log_prob: Σ log p of each; −∞ marks a place in the beam that no hypothesis takes.
        tokens: What each has generated so far.
        finished: The pool of finished hypotheses of each sentence, best first.
        is_open: Whether each sentence is still searched; the pool of one that is not is final.
    """

    frontier: FrontierT
    log_prob: Float[Tensor, "sentence beam"]
    tokens: Int[Tensor, "sentence beam step"]
    finished: tuple[tuple[Hypothesis, ...], ...]
    is_open: tuple[bool, ...]

    @property
    def step(self) -> int:
        """The number of the next step, from 0: how many tokens each hypothesis has."""
        return self.tokens.shape[-1]


@dataclass(frozen=True, eq=False)
class Pool:
    """Candidates, best first, for each sentence of a batch.

    Attributes:
        parent: Which hypothesis of the beam each candidate extends.
        token: By which token.
        token_log_prob: log p of that token.
        log_prob: Σ log p of the candidate, by which the pool is ranked; −∞ for one that is none.
    """

    parent: Int[Tensor, "sentence candidate"]
    token: Int[Tensor, "sentence candidate"]
    token_log_prob: Float[Tensor, "sentence candidate"]
    log_prob: Float[Tensor, "sentence candidate"]

    def first(self, count: int) -> "Pool":
        """The best `count` candidates."""
        parts = (self.parent, self.token, self.token_log_prob, self.log_prob)
        return Pool(*(part.narrow(1, 0, count) for part in parts))

    def without(self, left_out: Bool[Tensor, "sentence candidate"]) -> "Pool":
        """The others in their order; in the places that are left over at the end, none."""
        others = self.log_prob.masked_fill(left_out, -math.inf)
        log_prob, order = others.sort(dim=-1, descending=True, stable=True)
        return Pool(
            self.parent.gather(1, order),
            self.token.gather(1, order),
            self.token_log_prob.gather(1, order),
            log_prob,
        )


@dataclass(frozen=True, eq=False)
class Choice:
    """The candidates that one step looked at and what becomes of them, for each sentence of a batch.

    Attributes:
        pool: The candidates.
        kept: Those that run on: the i-th is hypothesis i of the next beam.
        entered: Ranks in the pool of those that joined the finished hypotheses.
        finished: The finished hypotheses after the step, best first.
        best_possible: What the best of those that run on may still score at best, by the rules.
        is_open: Whether the sentence is searched further.
    """

    pool: Pool
    kept: Pool
    entered: tuple[tuple[int, ...], ...]
    finished: tuple[tuple[Hypothesis, ...], ...]
    best_possible: tuple[float, ...]
    is_open: tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class BeamStep(Generic[FrontierT]):
    """One step of the search for one sentence.

    The arrays are made when they are asked for: watching costs the search nothing. They hold one entry per candidate,
    best first; candidates of probability 0 are left out.

    Attributes:
        beam: The hypotheses that were extended at this step.
        choice: The candidates and their fates, as tensors.
        rules: How the search ranks and stops.
    """

    beam: Beam[FrontierT]
    choice: Choice
    rules: BeamRules

    @property
    def step(self) -> int:
        """The number of this step, from 0."""
        return self.beam.step

    @property
    def length(self) -> int:
        """Tokens that every candidate of this step has."""
        return self.beam.step + 1

    @property
    def n_considered(self) -> int:
        """How many candidates competed: hypotheses × vocabulary. The arrays hold the best of them."""
        return self.beam.frontier.log_probs[0].numel()

    @property
    def finished(self) -> tuple[Hypothesis, ...]:
        """The pool of finished hypotheses after this step, best first; after the last step, the result."""
        return self.choice.finished[0]

    @property
    def best_possible(self) -> float:
        """What the search hopes for: it goes on while the pool has room or this beats the pool's worst score."""
        return self.choice.best_possible[0]

    @property
    def is_last(self) -> bool:
        """Whether the search ends here."""
        return not self.choice.is_open[0]

    @cached_property
    def parents(self) -> Int[np.ndarray, " candidate"]:
        """Which hypothesis of the beam each candidate extends."""
        return self._array(self.choice.pool.parent)

    @cached_property
    def tokens(self) -> Int[np.ndarray, " candidate"]:
        """The token that each candidate adds."""
        return self._array(self.choice.pool.token)

    @cached_property
    def token_log_probs(self) -> Float[np.ndarray, " candidate"]:
        """The log-probability of that token."""
        return self._array(self.choice.pool.token_log_prob)

    @cached_property
    def log_probs(self) -> Float[np.ndarray, " candidate"]:
        """Σ log p of each candidate: its parent's sum plus its token's log p. Candidates are ranked by it."""
        return self._array(self.choice.pool.log_prob)

    @cached_property
    def scores(self) -> Float[np.ndarray, " candidate"]:
        """The score of each candidate if it ended here: its sum after the length penalty."""
        return self.log_probs / self.rules.penalty.divisor(self.length)

    @cached_property
    def fates(self) -> Shaped[np.ndarray, " candidate"]:
        """What became of each: "kept", "finished" (ends in `</s>`), "cut" (at the limit), or "pruned"."""
        fates = np.full(len(self.tokens), PRUNED, dtype="<U8")
        ends = (self.tokens == self.rules.end_id) | (self.length == self.rules.max_new_tokens)
        fates[np.flatnonzero(~ends)[: self.rules.beam_size]] = KEPT
        for rank in self.choice.entered[0]:
            fates[rank] = FINISHED if self.tokens[rank] == self.rules.end_id else CUT
        fates.flags.writeable = False
        return fates

    @cached_property
    def _n_possible(self) -> int:
        return sum(map(math.isfinite, self.choice.pool.log_prob[0].tolist()))  # sorted: the others stand last

    def _array(self, values: Tensor) -> np.ndarray:
        array = values.numpy(force=True)[0, : self._n_possible]
        array.flags.writeable = False
        return array
