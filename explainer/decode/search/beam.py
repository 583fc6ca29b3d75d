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

import torch
from torch import Tensor

from explainer.decode.search.prefixes import FrontierT, Hypothesis, NextLogProbs
from explainer.decode.search.rules import BeamRules
from explainer.decode.search.step import Beam, BeamStep, Choice, Pool
from explainer.text.tokenizer import END_ID

_STABLE = 256  # up to this vocabulary equals are ranked by token; above it `topk` decides, much faster


@torch.inference_mode()
def beam_search(
    source: NextLogProbs[FrontierT], rules: BeamRules, start: Beam[FrontierT] | None = None
) -> Iterator[BeamStep[FrontierT]]:
    """Search for the best hypotheses of one sentence; yields a report of every step, before the next is computed.

    Args:
        source: The model or table to search.
        rules: How to search.
        start: Where to begin: the beam of an earlier step, or one that `force` made. By default, with no token.

    Raises:
        ValueError: `source` holds more than one sentence, its log-probabilities are not numbers, or `start` has come
            to its end.
    """
    beam = first_beam(source) if start is None else start
    if len(beam.finished) != 1:
        raise ValueError(f"{len(beam.finished)} sentences: beam_search takes 1, translate_batch takes many")
    if beam.step >= rules.max_new_tokens or bool((beam.tokens == rules.end_id).any()):
        raise ValueError(f"start = {beam.tokens[0].tolist()}: has reached the limit or the end token")
    while True:
        choice = choose(beam, rules)
        yield BeamStep(beam, choice, rules)
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
    """What if it had said this? The beam of one hypothesis: `row` of a sentence's `beam`, followed by `token`."""
    device = beam.tokens.device
    parents, tokens = torch.tensor([[row]], device=device), torch.tensor([[token]], device=device)
    log_prob = beam.log_prob[:, [row]] + beam.frontier.log_probs[:, [row], token]
    longer = torch.cat([beam.tokens[:, row], tokens], dim=-1)[:, None]
    return Beam(source.extend(beam.frontier, parents, tokens), log_prob, longer, ((),), (True,))


def follow(source: NextLogProbs[FrontierT], beam: Beam[FrontierT], choice: Choice) -> Beam[FrontierT]:
    """The next beam: read the candidates that were kept."""
    kept = choice.kept
    past = beam.tokens
    if past.shape[1] > 1:
        past = past.gather(1, kept.parent.unsqueeze(-1).expand(-1, -1, beam.step))
    longer = torch.cat([past.expand(-1, kept.token.shape[1], -1), kept.token.unsqueeze(-1)], dim=-1)
    frontier = source.extend(beam.frontier, kept.parent, kept.token)
    return Beam(frontier, kept.log_prob, longer, choice.finished, choice.is_open)


def choose(beam: Beam[FrontierT], rules: BeamRules) -> Choice:
    """Rank the candidates of one step and decide their fates."""
    return decide(beam, rank(beam, 2 * rules.beam_size), rules)


def decide(beam: Beam[FrontierT], pool: Pool, rules: BeamRules) -> Choice:
    """The fates of candidates that are ranked: which finish, which run on, and whether that goes on."""
    length = beam.step + 1
    running = pool
    entered, finished = ((),) * len(beam.finished), beam.finished
    is_cut = length == rules.max_new_tokens
    if is_cut or any(rules.end_id in tokens for tokens in pool.token.tolist()):
        ends = (pool.token == rules.end_id) | is_cut
        running = pool.without(ends)
        entered, finished = _finish(beam, rules, pool, ends)
    log_probs = [row[: rules.beam_size] for row in running.log_prob.tolist()]
    n_kept = max(1, *(len(row) - row.count(-math.inf) for row in log_probs))
    best_possible = tuple(rules.best_possible(row[0], length) for row in log_probs)
    if any(map(math.isnan, best_possible)):
        raise ValueError(f"step {beam.step}: log-probabilities are not numbers (NaN)")
    is_open = tuple(
        was_open and rules.goes_on(best, ended)
        for was_open, best, ended in zip(beam.is_open, best_possible, finished, strict=True)
    )
    return Choice(pool, running.first(n_kept), entered, finished, best_possible, is_open)


def rank(beam: Beam[FrontierT], count: int) -> Pool:
    """The best `count` of all candidates of each sentence."""
    rows = beam.frontier.log_probs  # [sentence, beam, vocab]
    if rows.shape[-1] > _STABLE:  # of one hypothesis no more than `count` can be among the best
        token_log_prob, token = rows.topk(min(count, rows.shape[-1]), dim=-1)
    else:
        ranked = rows.sort(dim=-1, descending=True, stable=True)
        token_log_prob, token = ranked.values[..., :count], ranked.indices[..., :count]
    log_prob = beam.log_prob.unsqueeze(-1) + token_log_prob  # [sentence, beam, candidate of one hypothesis]
    token, token_log_prob, log_prob = token.flatten(1), token_log_prob.flatten(1), log_prob.flatten(1)
    if rows.shape[1] == 1:  # one hypothesis, whose candidates are ranked already
        return Pool(torch.zeros_like(token), token, token_log_prob, log_prob)
    each = token.shape[1] // rows.shape[1]  # candidates of one hypothesis
    log_prob, order = log_prob.sort(dim=-1, descending=True, stable=True)
    pool = Pool(order // each, token.gather(1, order), token_log_prob.gather(1, order), log_prob)
    return pool.first(min(count, order.shape[1]))


def _finish(
    beam: Beam[FrontierT], rules: BeamRules, pool: Pool, ends: Tensor
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[Hypothesis, ...], ...]]:
    """Ranks that enter each sentence's finished hypotheses, and these after that. The first `beam_size` ranks may."""
    entered: list[tuple[int, ...]] = [()] * len(ends)
    finished = list(beam.finished)
    may_enter = (ends & pool.log_prob.isfinite())[:, : rules.beam_size]
    for sentence in may_enter.any(dim=-1).nonzero().flatten().tolist():
        if not beam.is_open[sentence]:
            continue
        new = {
            rank: _hypothesis(beam, rules, pool, sentence, rank)
            for rank in may_enter[sentence].nonzero().flatten().tolist()
        }
        merged = sorted((*finished[sentence], *new.values()), key=lambda h: h.score, reverse=True)
        finished[sentence] = tuple(merged[: rules.beam_size])
        stayed = {id(hypothesis) for hypothesis in finished[sentence]}
        entered[sentence] = tuple(rank for rank, hypothesis in new.items() if id(hypothesis) in stayed)
    return tuple(entered), tuple(finished)


def _hypothesis(beam: Beam[FrontierT], rules: BeamRules, pool: Pool, sentence: int, rank: int) -> Hypothesis:
    """The candidate of this rank, which ends."""
    past, last = beam.tokens[sentence, pool.parent[sentence, rank]].tolist(), int(pool.token[sentence, rank])
    log_prob = float(pool.log_prob[sentence, rank])
    score = rules.penalty.score(log_prob, len(past) + 1)
    return Hypothesis((*past, last), log_prob, score, finished=last == rules.end_id)
