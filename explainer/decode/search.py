"""Beam search, rule for rule as `generate(num_beams=…)` of transformers does it, and greedy search, which is beam 1.

1. All hypotheses of the beam and all tokens make one pool of candidates, ranked by Σ log p. The best 2·beam are
   looked at: at most `beam` of them end in `</s>`, so `beam` others are left to run on.
2. A candidate that ends (in `</s>`, or at the limit) enters the pool of finished hypotheses if it ranks among the
   first `beam`; there it is ranked by its score, the sum after the length penalty, and the best `beam` stay.
3. The search of a sentence goes on while that pool has room, or while the best hypothesis that runs on may still beat
   the worst score in it (`BeamRules.best_possible`); with `early_stopping=True`, only while the pool has room.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from explainer.config import at_least, one_of
from explainer.decode.hypothesis import Hypothesis
from explainer.decode.penalty import LengthPenalty
from explainer.decode.prefixes import FrontierT, NextLogProbs
from explainer.decode.step import Beam, BeamStep, Choice
from explainer.model.transformer import END_ID

_RANK_ALL = 256  # up to this vocabulary every candidate is ranked, ties by token; above it the best of each row


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
    penalty: LengthPenalty = LengthPenalty()
    early_stopping: bool | Literal["never"] = "never"
    end_id: int = END_ID

    def __post_init__(self) -> None:
        for name, bound in (("beam_size", 1), ("max_new_tokens", 1), ("end_id", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise ValueError(f"{name} = {value!r}: must be a whole number")
            at_least(name, value, bound)
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


def beam_search(
    source: NextLogProbs[FrontierT], rules: BeamRules, start: Beam[FrontierT] | None = None
) -> Iterator[BeamStep[FrontierT]]:
    """Search for the best hypotheses of one sentence; yields a report of every step, before the next is computed.

    Args:
        source: The model or table to search.
        rules: How to search.
        start: Where to begin: the beam of an earlier step, or one that `force` made. By default, with no token.

    Raises:
        ValueError: `source` holds more than one sentence, or its log-probabilities are not numbers.
    """
    beam = first_beam(source) if start is None else start
    if len(beam.finished) != 1:
        raise ValueError(f"{len(beam.finished)} sentences: beam_search takes 1, translate_batch takes many")
    while True:
        choice = choose(beam, rules)
        yield BeamStep(beam, choice, rules.penalty, rules.end_id)
        if not choice.is_open[0]:
            return
        beam = follow(source, beam, choice)


def best_hypotheses(source: NextLogProbs[FrontierT], rules: BeamRules) -> tuple[Hypothesis, ...]:
    """The finished hypotheses of one sentence, best first: the result of `beam_search` without its steps."""
    finished: tuple[Hypothesis, ...] = ()
    for report in beam_search(source, rules):
        finished = report.finished
    return finished


def greedy(source: NextLogProbs[FrontierT], max_new_tokens: int = 100, end_id: int = END_ID) -> Hypothesis:
    """Always the most probable next token: beam search with a beam of 1 that stops at the first `</s>`."""
    rules = BeamRules(beam_size=1, max_new_tokens=max_new_tokens, early_stopping=True, end_id=end_id)
    return best_hypotheses(source, rules)[0]


def first_beam(source: NextLogProbs[FrontierT]) -> Beam[FrontierT]:
    """The beam before the first step: one hypothesis for each sentence, with no token."""
    frontier = source.start()
    log_prob = torch.zeros_like(frontier.log_probs[..., 0])  # [sentence, 1]
    tokens = torch.empty((*log_prob.shape, 0), dtype=torch.long, device=log_prob.device)
    return Beam(frontier, log_prob, tokens, finished=((),) * len(log_prob), is_open=(True,) * len(log_prob))


def force(source: NextLogProbs[FrontierT], beam: Beam[FrontierT], row: int, token: int) -> Beam[FrontierT]:
    """What if it had said this? The beam of one hypothesis, `row` of `beam` followed by `token`, of one sentence."""
    parents, tokens = torch.tensor([[row]]), torch.tensor([[token]])
    log_prob = beam.log_prob[:, [row]] + beam.frontier.log_probs[:, [row], token]
    longer = torch.cat([beam.tokens[:, row], tokens], dim=-1)[:, None]
    return Beam(source.extend(beam.frontier, parents, tokens), log_prob, longer, ((),), (True,))


def follow(source: NextLogProbs[FrontierT], beam: Beam[FrontierT], choice: Choice) -> Beam[FrontierT]:
    """The next beam: read the candidates that were kept."""
    parents, tokens = choice.parent.gather(1, choice.kept), choice.token.gather(1, choice.kept)
    past = beam.tokens.gather(1, parents[..., None].expand(-1, -1, beam.step))
    longer = torch.cat([past, tokens[..., None]], dim=-1)  # [sentence, beam, step]
    frontier = source.extend(beam.frontier, parents, tokens)
    return Beam(frontier, choice.kept_log_prob, longer, choice.finished, choice.is_open)


def choose(beam: Beam[FrontierT], rules: BeamRules) -> Choice:
    """Rank the candidates of one step and decide their fates."""
    length = beam.step + 1
    parent, token, token_log_prob, log_prob = _rank(beam, 2 * rules.beam_size)
    ends = token == rules.end_id if length < rules.max_new_tokens else torch.ones_like(token, dtype=torch.bool)
    running, kept = log_prob.masked_fill(ends, -math.inf).sort(dim=-1, descending=True, stable=True)
    sums = running[:, : rules.beam_size].tolist()
    n_kept = max(max(sum(value > -math.inf for value in row) for row in sums), 1)
    entered, finished = ((),) * len(sums), beam.finished
    if bool(ends[:, : rules.beam_size].any()):
        entered, finished = _finish(beam, rules, ends, parent, token, log_prob)
    best_possible = tuple(rules.best_possible(row[0], length) for row in sums)
    if any(map(math.isnan, best_possible)):
        raise ValueError(f"step {beam.step}: log-probabilities are not numbers (NaN)")
    is_open = tuple(
        was and rules.goes_on(*now) for was, *now in zip(beam.is_open, best_possible, finished, strict=True)
    )
    return Choice(
        parent, token, token_log_prob, log_prob, kept[:, :n_kept], running[:, :n_kept],
        entered, finished, best_possible, is_open,
    )  # fmt: skip


def _rank(beam: Beam[FrontierT], count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Parent, token, token's log p and Σ log p of the best `count` candidates, each [sentence, candidate]."""
    log_probs = beam.frontier.log_probs
    token = None
    if log_probs.shape[-1] > _RANK_ALL:
        log_probs, token = log_probs.topk(min(count, log_probs.shape[-1]), dim=-1)
    width = log_probs.shape[-1]
    sums = (beam.log_prob[..., None] + log_probs).flatten(1)  # [sentence, beam · width]
    log_prob, order = sums.sort(dim=-1, descending=True, stable=True)
    log_prob, order = log_prob[:, :count], order[:, :count]
    token_id = order % width if token is None else token.flatten(1).gather(1, order)
    return order // width, token_id, log_probs.flatten(1).gather(1, order), log_prob


def _finish(
    beam: Beam[FrontierT], rules: BeamRules, ends: Tensor, parent: Tensor, token: Tensor, log_prob: Tensor
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[Hypothesis, ...], ...]]:
    """Ranks that enter the pool of each sentence, and the pools after that. The first `beam_size` ranks may."""
    entered: list[tuple[int, ...]] = [()] * len(ends)
    finished = list(beam.finished)
    may_enter = ends[:, : rules.beam_size] & log_prob[:, : rules.beam_size].isfinite()
    for sentence in may_enter.any(dim=-1).nonzero().flatten().tolist():
        if not beam.is_open[sentence]:
            continue
        new = {}
        for rank in may_enter[sentence].nonzero().flatten().tolist():
            past, last = beam.tokens[sentence, parent[sentence, rank]].tolist(), int(token[sentence, rank])
            total = float(log_prob[sentence, rank])
            score = rules.penalty.score(total, len(past) + 1)
            new[rank] = Hypothesis((*past, last), total, score, finished=last == rules.end_id)
        merged = sorted((*finished[sentence], *new.values()), key=lambda h: h.score, reverse=True)
        finished[sentence] = tuple(merged[: rules.beam_size])
        entered[sentence] = tuple(rank for rank, h in new.items() if any(h is kept for kept in finished[sentence]))
    return tuple(entered), tuple(finished)
