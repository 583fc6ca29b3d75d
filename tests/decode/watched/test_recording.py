"""Searches that are kept: nothing is read twice, and forced tokens stand where they were put."""

import math
import threading

import numpy as np
import pytest
import torch
from torch import Tensor

from explainer.decode.search.beam import beam_search, best_hypotheses, first_beam, force, greedy
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.search.table import ProbabilityTable
from explainer.decode.sources.transformer import CachedModel, PlainModel
from explainer.decode.sources.wrappers import Remembered
from explainer.decode.watched.recording import Forced, Recording, greedy_path, recorded
from explainer.model.transformer import Transformer
from tests.decode.conftest import VOCAB
from tests.decode.references import rules_of

PENALTIES = [LengthPenalty("gnmt", 0.6), *(LengthPenalty("huggingface", alpha) for alpha in (4.0, -1.0))]


@pytest.fixture(scope="module")
def rules(model: Transformer, source: Tensor) -> BeamRules:
    said = greedy(CachedModel(model, source), max_new_tokens=8, end_id=VOCAB).tokens
    return BeamRules(beam_size=3, max_new_tokens=12, end_id=said[3])


@pytest.fixture
def kept(model: Transformer, source: Tensor) -> Remembered:
    return Remembered(CachedModel(model, source))


def same(one: Recording, other: Recording) -> bool:
    pairs = zip(one.tree.nodes, other.tree.nodes, strict=True)
    return all(a == b for a, b in pairs) and one.finished == other.finished


def test_a_recording_is_the_search(
    model: Transformer, source: Tensor, kept: Remembered, rules: BeamRules
) -> None:
    recording = recorded(kept, rules)
    steps = list(beam_search(CachedModel(model, source), rules))
    assert len(recording.moments) == len(steps)
    for moment, step in zip(recording.moments, steps, strict=True):
        assert [node.token for node in moment.nodes] == step.tokens.tolist()
        assert [node.fate for node in moment.nodes] == step.fates.tolist()
        assert [node.log_prob for node in moment.nodes] == step.log_probs.tolist()
        assert moment.finished == step.finished
    assert recording.finished == best_hypotheses(CachedModel(model, source), rules)


def test_the_same_search_reads_nothing(kept: Remembered, rules: BeamRules) -> None:
    first = recorded(kept, rules)
    passes = kept.n_passes
    assert passes == len(first.moments)  # one for each step that was extended, and one to begin
    assert same(recorded(kept, rules), first)
    assert kept.n_passes == passes


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("early_stopping", [True, False, "never"])
def test_another_penalty_ranks_anew_and_reads_only_what_is_new(
    model: Transformer, source: Tensor, rules: BeamRules, penalty: LengthPenalty, early_stopping: bool
) -> None:
    plain, under = (rules_of(3, 12, one, early_stopping, rules.end_id) for one in (LengthPenalty(), penalty))
    kept = Remembered(CachedModel(model, source))
    known = recorded(kept, plain)
    passes = kept.n_passes
    found = recorded(kept, under, known=known)
    fresh = best_hypotheses(CachedModel(model, source), under)
    assert [h.tokens for h in found.finished] == [h.tokens for h in fresh]
    assert [h.score for h in found.finished] == pytest.approx([h.score for h in fresh], abs=1e-5)
    assert kept.n_passes - passes == max(0, len(found.moments) - len(known.moments))


def test_a_forced_token(kept: Remembered, rules: BeamRules) -> None:
    plain = recorded(kept, rules)
    node = next(node for node in plain.moments[1].nodes if node.fate == "kept")
    prefix = plain.tree.tokens(node)
    found = recorded(kept, rules, [Forced(prefix, (77,))])
    assert [moment.nodes for moment in found.moments[:2]] == [moment.nodes for moment in plain.moments[:2]]
    (forced,) = found.moments[2].nodes
    assert (forced.fate, found.tree.tokens(forced)) == ("forced", (*prefix, 77))
    assert forced.token_log_prob == pytest.approx(float(plain.read(prefix)[77]), abs=1e-5)
    assert all(h.tokens[:3] == (*prefix, 77) for h in found.finished)
    beam = first_beam(kept)
    for token in (*prefix, 77):
        beam = force(kept, beam, 0, token)
    *_, last = beam_search(kept, rules, start=beam)
    assert [h.tokens for h in found.finished] == [h.tokens for h in last.finished]
    assert [h.log_prob for h in found.finished] == pytest.approx(
        [h.log_prob for h in last.finished], abs=1e-5
    )


def test_pieces_are_forced_after_what_was_pruned_and_again_later(kept: Remembered, rules: BeamRules) -> None:
    plain = recorded(kept, rules)
    nodes = plain.moments[1].nodes
    pruned = next(node for node in nodes if node.fate == "pruned" and node.token != rules.end_id)
    prefix = plain.tree.tokens(pruned)
    once = recorded(kept, rules, [Forced(prefix, (50, 51, 52))])
    assert [moment.nodes[0].token for moment in once.moments[2:5]] == [50, 51, 52]
    assert [len(moment.nodes) for moment in once.moments[2:5]] == [1, 1, 1]
    later = once.tree.tokens(next(node for node in once.moments[5].nodes if node.fate == "kept"))
    twice = recorded(kept, rules, [Forced(prefix, (50, 51, 52)), Forced(later, (60,))])
    assert all(h.tokens[:7] == (*prefix, 50, 51, 52, later[5], 60) for h in twice.finished)


def test_a_forced_end(kept: Remembered, rules: BeamRules) -> None:
    found = recorded(kept, rules, [Forced((), (40, rules.end_id))])
    (only,) = found.finished
    assert (only.tokens, only.finished, len(found.moments)) == ((40, rules.end_id), True, 2)
    expected = float(found.read(())[40] + found.read((40,))[rules.end_id])
    assert only.log_prob == pytest.approx(expected, abs=1e-5)


def test_forced_up_to_the_limit_is_cut(kept: Remembered, rules: BeamRules) -> None:
    found = recorded(kept, rules, [Forced((), (40,) * rules.max_new_tokens)])
    assert [(len(h), h.finished) for h in found.finished] == [(rules.max_new_tokens, False)]


@pytest.mark.parametrize(
    ("forced", "says"),
    [
        ([Forced((1, 2, 3), (4,))], "never looked at"),
        ([Forced((), ())], "no token is forced"),
        ([Forced((), (40,) * 13)], "13 tokens: the limit is 12"),
        ([Forced((), (40,)), Forced((), (41,))], "another branch"),
    ],
)
def test_what_cannot_be_forced(kept: Remembered, rules: BeamRules, forced: list[Forced], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        recorded(kept, rules, forced)


def test_nothing_is_forced_behind_the_end(kept: Remembered, rules: BeamRules) -> None:
    with pytest.raises(ValueError, match="nothing follows the end"):
        recorded(kept, rules, [Forced((), (rules.end_id, 4))])


def test_the_path_of_greedy_search(
    model: Transformer, source: Tensor, kept: Remembered, rules: BeamRules
) -> None:
    tokens, log_prob = greedy_path(recorded(kept, rules))
    expected = greedy(CachedModel(model, source), rules.max_new_tokens, rules.end_id)
    assert tokens == expected.tokens
    assert log_prob == pytest.approx(expected.log_prob, abs=1e-5)


def test_what_is_read_is_what_a_plain_pass_says(
    model: Transformer, source: Tensor, kept: Remembered, rules: BeamRules
) -> None:
    recording, plain = recorded(kept, rules), PlainModel(model, source)
    for node in recording.moments[2].nodes:
        frontier = plain.start()
        for token in recording.tree.tokens(node):
            frontier = plain.extend(frontier, torch.tensor([[0]]), torch.tensor([[token]]))
        np.testing.assert_allclose(
            recording.read(recording.tree.tokens(node)), frontier.log_probs[0, 0], atol=2e-5
        )


def test_a_frontier_of_another_source_is_refused(
    model: Transformer, source: Tensor, kept: Remembered
) -> None:
    with pytest.raises(KeyError, match="another source"):
        kept.extend(CachedModel(model, source).start(), torch.tensor([[0]]), torch.tensor([[5]]))


def test_many_at_once_read_everything_once(kept: Remembered, rules: BeamRules) -> None:
    found: list[Recording] = []
    visitors = [threading.Thread(target=lambda: found.append(recorded(kept, rules))) for _ in range(6)]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()
    assert len(found) == 6
    assert all(same(one, found[0]) for one in found)
    assert kept.n_passes == len(found[0].moments)


def test_a_table_can_be_remembered() -> None:
    table = ProbabilityTable(("a", "."), {(): [0.75, 0.25], ("a",): [0.0, 1.0]}, end=".")
    found = recorded(Remembered(table), BeamRules(beam_size=2, max_new_tokens=3, end_id=1))
    assert [(h.tokens, math.exp(h.log_prob)) for h in found.finished] == [
        ((0, 1), pytest.approx(0.75)),
        ((1,), pytest.approx(0.25)),
    ]
