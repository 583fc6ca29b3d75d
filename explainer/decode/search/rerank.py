"""Another length penalty for a search that is over: what changes, without reading anything again.

What runs on is ranked by Σ log p, whatever the penalty; so the recorded steps hold the pools of all other penalties.
Only two things depend on it: which finished hypotheses stay in their pool, and when the search stops. It may stop
earlier, which the recorded steps tell, or later: then it has to be continued.
"""

import dataclasses
from collections.abc import Iterator, Sequence

from explainer.decode.search.beam import beam_search, decide, follow
from explainer.decode.search.prefixes import FrontierT, Hypothesis, NextLogProbs
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.step import BeamStep


def reranked(steps: Sequence[BeamStep[FrontierT]], penalty: LengthPenalty) -> tuple[BeamStep[FrontierT], ...]:
    """The search that `steps` recorded, under another length penalty and otherwise by the same rules.

    Exact: the steps are those that `beam_search` would report, as far as it was recorded. Nothing is read and no
    candidate is ranked again. Unless the last step `is_last`, the search has to be `continued`.

    Args:
        steps: All steps of a search, from the first on.
        penalty: What makes scores of log-probabilities now.

    Raises:
        ValueError: there are no steps, or they begin in the middle of a search, where hypotheses may have been dropped
            that the other penalty would have kept.
    """
    if not steps:
        raise ValueError("no steps: there is nothing to rank")
    rules = dataclasses.replace(steps[0].rules, penalty=penalty)
    if len(steps[0].beam.finished[0]) >= rules.beam_size:
        raise ValueError(f"step {steps[0].step}: the pool of finished hypotheses is full, add earlier steps")
    finished = rescored(steps[0].beam.finished[0], penalty)
    found: list[BeamStep[FrontierT]] = []
    for step in steps:
        beam = dataclasses.replace(step.beam, finished=(finished,))
        found.append(BeamStep(beam, decide(beam, step.choice.pool, rules), rules))
        if found[-1].is_last:
            break
        finished = found[-1].finished
    return tuple(found)


def rescored(finished: Sequence[Hypothesis], penalty: LengthPenalty) -> tuple[Hypothesis, ...]:
    """These hypotheses with their scores under another penalty, best first.

    They are the result of a search under that penalty only if it stops at the same step and keeps the same ones:
    `reranked` finds out.
    """
    scored = [dataclasses.replace(h, score=penalty.score(h.log_prob, len(h))) for h in finished]
    return tuple(sorted(scored, key=lambda h: h.score, reverse=True))


def continued(
    source: NextLogProbs[FrontierT], under: Sequence[BeamStep[FrontierT]]
) -> Iterator[BeamStep[FrontierT]]:
    """The steps of `source` that follow those `reranked` found; none if it stops there. Only they are read."""
    last = under[-1]
    if not last.is_last:
        yield from beam_search(source, last.rules, start=follow(source, last.beam, last.choice))
