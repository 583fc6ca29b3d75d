"""What the search reports, what it refuses, and how it is taken back and forced."""

import itertools
import math

import numpy as np
import pytest
import torch
from torch import Tensor

from explainer.decode.search.beam import BeamRules, beam_search, best_hypotheses, force, greedy
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.step import BeamStep
from explainer.decode.search.tree import SearchTree
from explainer.decode.sources.transformer import CachedFrontier, CachedModel, PlainModel
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import START_ID
from tests.decode.conftest import VOCAB
from tests.peers import random_model, random_sources

END = 6


@pytest.fixture(scope="module")
def rules(model: Transformer, source: Tensor) -> BeamRules:
    said = greedy(CachedModel(model, source), max_new_tokens=8, end_id=VOCAB).tokens
    return BeamRules(beam_size=3, max_new_tokens=8, penalty=LengthPenalty("gnmt", 0.6), end_id=said[3])


@pytest.fixture(scope="module")
def steps(model: Transformer, source: Tensor, rules: BeamRules) -> list[BeamStep]:
    return list(beam_search(CachedModel(model, source), rules))


def test_the_pool_holds_the_best_of_all_candidates(steps: list[BeamStep], rules: BeamRules) -> None:
    for step in steps:
        rows = step.beam.frontier.log_probs[0].numpy()  # [beam, vocab]
        sums = step.beam.log_prob[0].numpy()[:, None] + rows
        assert step.n_considered == sums.size
        best = np.sort(sums.ravel())[::-1][: 2 * rules.beam_size]
        np.testing.assert_allclose(step.log_probs, best, rtol=1e-6)
        np.testing.assert_allclose(sums[step.parents, step.tokens], step.log_probs, rtol=1e-6)
        np.testing.assert_allclose(rows[step.parents, step.tokens], step.token_log_probs)


def test_sums_and_scores_add_up(steps: list[BeamStep], rules: BeamRules) -> None:
    for step in steps:
        parents = step.beam.log_prob[0].numpy()[step.parents]
        np.testing.assert_allclose(step.log_probs, parents + step.token_log_probs, rtol=1e-6)
        np.testing.assert_allclose(step.scores, step.log_probs / ((5 + step.step + 1) / 6) ** 0.6, rtol=1e-6)


def test_fates(steps: list[BeamStep], rules: BeamRules) -> None:
    assert [step.step for step in steps] == list(range(len(steps)))
    for step, following in itertools.pairwise(steps):
        kept = step.fates == "kept"
        assert kept.sum() == rules.beam_size
        assert (step.tokens[kept] != rules.end_id).all()
        np.testing.assert_array_equal(following.beam.log_prob[0], step.log_probs[kept])
        np.testing.assert_array_equal(following.beam.tokens[0, :, -1], step.tokens[kept])
        finished = step.fates == "finished"
        assert (step.tokens[finished] == rules.end_id).all()
        assert not finished[rules.beam_size :].any()  # only the first `beam_size` may enter the pool
    assert "finished" in {fate for step in steps for fate in step.fates}
    assert set(steps[-1].fates) <= {"kept", "pruned", "finished", "cut"}
    assert [step.is_last for step in steps] == [False] * (len(steps) - 1) + [True]


def test_what_is_cut_at_the_limit(model: Transformer, source: Tensor) -> None:
    *_, last = beam_search(CachedModel(model, source), BeamRules(beam_size=3, max_new_tokens=4, end_id=VOCAB))
    assert last.fates.tolist() == ["cut"] * 3 + ["pruned"] * 3
    assert [(len(h), h.finished, len(h.words)) for h in last.finished] == [(4, False, 4)] * 3


def test_the_pool_of_finished_hypotheses(steps: list[BeamStep], rules: BeamRules) -> None:
    for before, after in itertools.pairwise(steps):
        scores = [h.score for h in after.finished]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) <= rules.beam_size
        entered = set(after.finished) - set(before.finished)
        assert len(entered) == ((after.fates == "finished") | (after.fates == "cut")).sum()
    last = steps[-1]
    assert len(last.finished) == rules.beam_size
    assert last.step + 1 == rules.max_new_tokens or last.best_possible <= last.finished[-1].score
    assert all(step.best_possible > step.finished[-1].score for step in steps[:-1] if len(step.finished) == 3)


def test_arrays_are_made_on_demand_and_read_only(steps: list[BeamStep]) -> None:
    step = steps[1]
    assert step.parents is step.parents
    for array in (step.parents, step.tokens, step.token_log_probs, step.log_probs, step.fates):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_a_step_is_reported_before_the_next_is_computed(source: Tensor, model: Transformer) -> None:
    class Counting(CachedModel):
        calls = 0

        def extend(self, after: CachedFrontier, parents: Tensor, tokens: Tensor) -> CachedFrontier:
            Counting.calls += 1
            return super().extend(after, parents, tokens)

    search = beam_search(Counting(model, source), BeamRules(max_new_tokens=5, end_id=VOCAB))
    for expected, _ in enumerate(search):
        assert Counting.calls == expected
    assert Counting.calls == 4  # nothing is read after the last step


def test_stepping_back_and_going_on_again(
    model: Transformer, source: Tensor, rules: BeamRules, steps: list[BeamStep]
) -> None:
    searched = CachedModel(model, source)
    reports = list(beam_search(searched, rules))
    again = list(beam_search(searched, rules, start=reports[2].beam))
    assert [step.step for step in again] == list(range(2, len(reports)))
    assert [h.tokens for h in again[-1].finished] == [h.tokens for h in reports[-1].finished]
    for one, other in zip(again, reports[2:], strict=True):
        np.testing.assert_allclose(one.log_probs, other.log_probs, atol=1e-5)


def test_a_forced_token(model: Transformer, source: Tensor, rules: BeamRules) -> None:
    searched = CachedModel(model, source)
    reports = list(beam_search(searched, rules))
    row, token = 2, 77
    beam = force(searched, reports[2].beam, row=row, token=token)
    forced = list(beam_search(searched, rules, start=beam))
    prefix = (*reports[2].beam.tokens[0, row].tolist(), token)
    assert len(prefix) == 3
    assert all(h.tokens[:3] == prefix for h in forced[-1].finished)
    for hypothesis in forced[-1].finished:
        read = torch.tensor([[START_ID, *hypothesis.tokens[:-1]]])
        log_probs = model(source, read)[0]
        expected = sum(float(log_probs[i, token]) for i, token in enumerate(hypothesis.tokens))
        assert hypothesis.log_prob == pytest.approx(expected, abs=1e-4)


def test_a_search_cannot_start_behind_the_end(model: Transformer, source: Tensor, rules: BeamRules) -> None:
    searched = CachedModel(model, source)
    first = next(iter(beam_search(searched, rules))).beam
    with pytest.raises(ValueError, match="has reached the limit or the end token"):
        next(beam_search(searched, rules, start=force(searched, first, row=0, token=rules.end_id)))
    once = BeamRules(max_new_tokens=1)
    with pytest.raises(ValueError, match=r"start = \[\[77\]\]: has reached the limit"):
        next(beam_search(searched, once, start=force(searched, first, row=0, token=77)))


def test_log_prob_is_the_teacher_forced_one(
    model: Transformer, source: Tensor, steps: list[BeamStep]
) -> None:
    for hypothesis in steps[-1].finished:
        log_probs = model(source, torch.tensor([[START_ID, *hypothesis.tokens[:-1]]]))[0]
        expected = sum(float(log_probs[i, token]) for i, token in enumerate(hypothesis.tokens))
        assert hypothesis.log_prob == pytest.approx(expected, abs=1e-4)


def test_without_a_cache_the_search_is_the_same(
    model: Transformer, source: Tensor, rules: BeamRules, steps: list[BeamStep]
) -> None:
    plain = list(beam_search(PlainModel(model, source), rules))
    assert len(plain) == len(steps)
    for one, other in zip(plain, steps, strict=True):
        np.testing.assert_allclose(one.log_probs, other.log_probs, atol=2e-5)
        np.testing.assert_array_equal(one.tokens, other.tokens)
        np.testing.assert_array_equal(one.fates, other.fates)


def test_nothing_is_converted_unless_it_is_asked_for(model: Transformer, source: Tensor) -> None:
    step = next(iter(beam_search(CachedModel(model, source), BeamRules())))
    assert not {"parents", "tokens", "token_log_probs", "log_probs", "fates"} & vars(step).keys()


def test_tree(steps: list[BeamStep], rules: BeamRules) -> None:
    tree = SearchTree.of(steps)
    assert len(tree.nodes) == 1 + sum(len(step.tokens) for step in steps)
    assert [node.number for node in tree.nodes] == list(range(len(tree.nodes)))
    for node in tree.nodes[1:]:
        assert node.parent is not None
        parent = tree.nodes[node.parent]
        assert parent.step == node.step - 1
        assert parent.fate in ("kept", "root")
        assert node.log_prob == pytest.approx(parent.log_prob + node.token_log_prob, abs=1e-5)
        assert node in tree.children(parent)
        assert tree.find(tree.tokens(node)) is node
        assert sum(n.token_log_prob for n in tree.path(node)) == pytest.approx(node.log_prob, abs=1e-5)
    for hypothesis in steps[-1].finished:
        node = tree.find(hypothesis.tokens)
        assert node is not None
        assert node.fate == ("finished" if hypothesis.finished else "cut")
        assert node.score == pytest.approx(hypothesis.score, abs=1e-6)
    assert tree.find((VOCAB, 1)) is None


def test_tree_with_a_forced_branch(model: Transformer, source: Tensor, rules: BeamRules) -> None:
    searched = CachedModel(model, source)
    reports = list(beam_search(searched, rules))
    tree = SearchTree.of(reports)
    token = next(t for t in range(VOCAB) if tree.find((*reports[2].beam.tokens[0, 1].tolist(), t)) is None)
    beam = force(searched, reports[2].beam, row=1, token=token)
    first = next(iter(beam_search(searched, rules, start=beam)))
    new = tree.add(first)
    forced = tree.find(beam.tokens[0, 0].tolist())
    assert forced is not None
    assert (forced.fate, forced.token, forced.step) == ("forced", token, 2)
    assert forced.token_log_prob == pytest.approx(
        float(reports[2].beam.frontier.log_probs[0, 1, token]), abs=1e-4
    )
    assert {node.parent for node in new if node is not forced} == {forced.number}
    with pytest.raises(ValueError, match="add earlier steps first"):
        SearchTree().add(first)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"beam_size": 0}, "beam_size = 0: must be at least 1"),
        ({"max_new_tokens": 0}, "max_new_tokens = 0: must be at least 1"),
        ({"beam_size": True}, "beam_size = True: must be a whole number"),
        ({"end_id": -1}, "end_id = -1: must be at least 0"),
    ],
)
def test_rules_are_checked(fields: dict[str, int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        BeamRules(**fields)  # type: ignore[arg-type]


def test_early_stopping_is_checked() -> None:
    with pytest.raises((ValueError, TypeError), match=r"early_stopping|sometimes"):
        BeamRules(early_stopping="sometimes")  # type: ignore[arg-type]


def test_several_sentences_need_translate_batch(model: Transformer) -> None:
    with pytest.raises(ValueError, match="2 sentences: beam_search takes 1"):
        best_hypotheses(CachedModel(model, random_sources(3, 4, vocab_size=VOCAB)), BeamRules())


def test_a_model_that_says_nan_is_refused(source: Tensor) -> None:
    broken = random_model(vocab_size=VOCAB)
    broken.head.table.fill_(math.nan)
    with pytest.raises(ValueError, match=r"step 0: log-probabilities are not numbers"):
        best_hypotheses(CachedModel(broken, source), BeamRules())


def test_more_tokens_than_the_model_has_positions_for(source: Tensor) -> None:
    short = random_model(vocab_size=VOCAB, max_positions=6)
    with pytest.raises(ValueError, match="7 tokens: this model has positions for 6"):
        best_hypotheses(CachedModel(short, source), BeamRules(end_id=VOCAB))
