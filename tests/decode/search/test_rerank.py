"""A search under another penalty, told from the recorded steps, is the search itself."""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from torch import Tensor

from explainer.decode.search.beam import beam_search, force
from explainer.decode.search.rerank import continued, reranked, rescored
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.search.step import BeamStep
from explainer.decode.sources.transformer import CachedFrontier, CachedModel
from tests.decode.references import EARLY_STOPPING, rules_of
from tests.decode.search.test_table import random_table
from tests.peers import random_model, random_sources

PENALTIES = [
    LengthPenalty(),
    *(LengthPenalty("huggingface", alpha) for alpha in (-1.0, 0.6, 1.0, 2.0, 4.0)),
    *(LengthPenalty("gnmt", alpha) for alpha in (-1.0, 0.6, 4.0)),
]


def assert_same(ours: Sequence[BeamStep], theirs: Sequence[BeamStep]) -> None:
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.finished == other.finished
        assert one.is_last == other.is_last
        assert one.best_possible == other.best_possible
        np.testing.assert_array_equal(one.fates, other.fates)
        np.testing.assert_array_equal(one.scores, other.scores)


def kind_of(found: Sequence[BeamStep], recorded: Sequence[BeamStep]) -> str:
    if not found[-1].is_last:
        return "on"
    return "earlier" if len(found) < len(recorded) else "same"


@pytest.mark.parametrize("early_stopping", EARLY_STOPPING)
@pytest.mark.parametrize("first", [PENALTIES[0], PENALTIES[4], PENALTIES[8]])
def test_equals_a_search_under_that_penalty(early_stopping: bool, first: LengthPenalty) -> None:
    kinds = set()
    for seed in (1, 3, 4):
        table = random_table(seed)
        for beam_size in (1, 3):
            rules = rules_of(beam_size, 9, first, early_stopping, table.end_id)
            steps = list(beam_search(table, rules))
            for penalty in PENALTIES[::2]:
                expected = list(beam_search(table, dataclasses.replace(rules, penalty=penalty)))
                found = reranked(steps, penalty)
                kinds.add(kind_of(found, steps))
                assert_same([*found, *continued(table, found)], expected)
    if early_stopping is True:  # the pool is full when it is full, whatever its scores
        assert kinds == {"same"}
    else:
        assert "same" in kinds
        assert len(kinds) > 1


def test_all_ways_of_stopping_occur() -> None:
    """Under some penalty a search stops earlier, under some later, and with other hypotheses."""
    table = random_table(3)
    rules = BeamRules(beam_size=3, max_new_tokens=12, penalty=LengthPenalty("gnmt", 0.6), end_id=table.end_id)
    steps = list(beam_search(table, rules))
    found = [reranked(steps, penalty) for penalty in PENALTIES]
    assert {kind_of(one, steps) for one in found} >= {"on", "earlier"}
    assert len({frozenset(h.tokens for h in one[-1].finished) for one in found}) > 1


class Counting(CachedModel):
    calls = 0

    def extend(self, after: CachedFrontier, parents: Tensor, tokens: Tensor) -> CachedFrontier:
        self.calls += 1
        return super().extend(after, parents, tokens)


def test_nothing_is_read_twice() -> None:
    model = random_model(seed=2)
    source = Counting(model, random_sources(6))
    rules = BeamRules(beam_size=3, max_new_tokens=8, end_id=6)
    steps = list(beam_search(source, rules))
    read = source.calls
    assert read == len(steps) - 1
    far = reranked(steps, LengthPenalty("huggingface", 4.0))
    assert source.calls == read
    more = list(continued(source, far))
    assert source.calls == read + len(more)


def test_an_untouched_penalty_changes_nothing() -> None:
    table = random_table(1)
    rules = BeamRules(beam_size=2, max_new_tokens=8, penalty=LengthPenalty("gnmt", 0.6), end_id=table.end_id)
    steps = list(beam_search(table, rules))
    found = reranked(steps, rules.penalty)
    assert kind_of(found, steps) == "same"
    assert_same(found, steps)


def test_rescored_is_worked_out_by_hand() -> None:
    """The worked check of the three formulas: −0.5 · 4 against −0.45 · 8."""
    table = random_table(0)
    found = next(beam_search(table, BeamRules(beam_size=1, max_new_tokens=1, end_id=table.end_id))).finished
    short = dataclasses.replace(found[0], tokens=(0,) * 4, log_prob=-2.0, score=-2.0, finished=True)
    long = dataclasses.replace(found[0], tokens=(0,) * 8, log_prob=-3.6, score=-3.6, finished=True)
    assert [h.score for h in rescored((short, long), LengthPenalty("huggingface", 1.0))] == [-0.45, -0.5]
    flat = rescored((short, long), LengthPenalty("gnmt", 1.0))
    assert [h.score for h in flat] == pytest.approx([-2 / 1.5, -3.6 / (13 / 6)])
    assert [h.tokens for h in rescored((long, short), LengthPenalty())] == [short.tokens, long.tokens]


def test_steps_after_a_forced_token_can_be_reranked() -> None:
    table = random_table(4)
    rules = BeamRules(beam_size=2, max_new_tokens=8, end_id=table.end_id)
    start = force(table, next(beam_search(table, rules)).beam, row=0, token=1)
    other = LengthPenalty("huggingface", 2.0)
    found = reranked(list(beam_search(table, rules, start=start)), other)
    expected = beam_search(table, dataclasses.replace(rules, penalty=other), start=start)
    assert_same([*found, *continued(table, found)], list(expected))


def test_what_cannot_be_reranked_is_refused() -> None:
    with pytest.raises(ValueError, match="no steps"):
        reranked([], LengthPenalty())
    table = random_table(3)
    rules = BeamRules(beam_size=1, max_new_tokens=12, penalty=LengthPenalty("huggingface", 4.0), end_id=4)
    steps = list(beam_search(table, rules))
    full = next(step for step in steps[1:] if step.beam.finished[0])
    with pytest.raises(ValueError, match=f"step {full.step}: the pool of finished hypotheses is full"):
        reranked(steps[full.step :], LengthPenalty())
