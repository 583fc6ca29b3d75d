"""Strategies side by side: each finds what it finds alone, the costs are counted, the verdict is right."""

from collections.abc import Callable

import pytest
import torch

from explainer.decode.search.beam import best_hypotheses, greedy
from explainer.decode.search.exact import ExactRules, exact_search
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.search.table import ProbabilityTable
from explainer.decode.sources.transformer import CachedModel, PlainModel
from explainer.decode.sources.wrappers import Tally
from explainer.decode.watched.comparison import Comparison
from explainer.text.tokenizer import START_ID
from tests.decode.search.test_table import random_table
from tests.peers import random_model, random_sources

MUCH = 100_000


def finished(make: Callable[[], Tally], rules: BeamRules, budget: int = MUCH, **more: tuple) -> Comparison:
    compared = Comparison(make, rules, **more)
    for _ in range(100_000):
        if compared.is_done(budget):
            return compared
        compared.advance(0.0, budget)
    raise AssertionError("does not end")


def test_each_strategy_finds_what_it_finds_alone() -> None:
    for seed in range(6):
        table = random_table(seed)
        rules = BeamRules(max_new_tokens=7, penalty=LengthPenalty("gnmt", 0.6), end_id=table.end_id)
        compared = finished(lambda: Tally(table), rules, widths=(1, 2, 5))  # noqa: B023
        alone = greedy(table, 7, table.end_id)
        assert compared.beams[1].hypothesis.tokens == alone.tokens
        for width in (2, 5):
            expected = best_hypotheses(table, BeamRules(**{**vars(rules), "beam_size": width}))[0]
            assert compared.beams[width].hypothesis == expected
        *_, exact = exact_search(
            table, ExactRules(max_new_tokens=7, penalty=rules.penalty, end_id=table.end_id)
        )
        assert exact.best is not None
        assert compared.proof is not None
        assert compared.proof.hypothesis.score == pytest.approx(exact.best.score)
        assert compared.best is not None
        assert compared.best.tokens == exact.best.tokens


def test_greedy_misses_what_a_wider_beam_finds() -> None:
    """p(a) = 0.6, then nothing is likely; p(b) = 0.4, then the end is nearly certain: 0.36 against 0.18."""
    rows = {(): [0.6, 0.4, 0.0], ("a",): [0.4, 0.3, 0.3], ("b",): [0.05, 0.05, 0.9]}
    table = ProbabilityTable(("a", "b", "."), lambda prefix: rows.get(prefix, [0.3, 0.3, 0.4]), end=".")
    compared = finished(lambda: Tally(table), BeamRules(max_new_tokens=4, end_id=2), widths=(1, 2))
    assert compared.verdict(compared.beams[1].hypothesis, MUCH) == "search error"
    assert compared.verdict(compared.beams[2].hypothesis, MUCH) == "found"
    assert compared.behind(compared.beams[2].hypothesis) == 0
    one, two = compared.beams[1].hypothesis, compared.beams[2].hypothesis
    assert compared.behind(one) == pytest.approx(two.log_prob - one.log_prob)
    assert compared.empty is not None
    assert compared.empty.log_prob == -float("inf")


def test_the_empty_sentence_may_be_the_most_probable() -> None:
    """No other sentence has 0.2, though no greedy step would end there: the model is wrong, not the search."""
    table = ProbabilityTable(
        ("a", "b", "."), lambda prefix: [0.45, 0.35, 0.2] if len(prefix) < 3 else [0.0, 0.0, 1.0], end="."
    )
    compared = finished(lambda: Tally(table), BeamRules(max_new_tokens=6, end_id=2), widths=(1, 8))
    assert compared.best is not None
    assert compared.best.words == ()
    assert compared.empty is not None
    assert compared.best.tokens == compared.empty.tokens
    assert compared.verdict(compared.beams[1].hypothesis, MUCH) == "search error"


def test_without_budget_nothing_is_known() -> None:
    table = random_table(3, "abcdefgh.")
    rules = BeamRules(max_new_tokens=9, penalty=LengthPenalty("huggingface", 4.0), end_id=8)
    compared = finished(lambda: Tally(table), rules, budget=30, widths=(1, 4))
    assert compared.state(30) == "budget"
    assert compared.best is not None
    assert compared.verdict(compared.best, 30) == "unknown"
    before = compared.exact
    assert before is not None
    compared.advance(0.0, 60)  # the budget was raised: it goes on where it was
    assert compared.exact is not None
    assert compared.exact.n_expanded > before.n_expanded


def test_before_anything_is_done() -> None:
    table = random_table(1)
    compared = Comparison(lambda: Tally(table), BeamRules(max_new_tokens=5, end_id=table.end_id))
    assert (compared.best, compared.proof, compared.empty) == (None, None, None)
    assert compared.state(MUCH) == "beams"
    compared.advance(0.0, MUCH)
    assert compared.empty is not None
    assert compared.beams == {}


def test_costs() -> None:
    """Greedy search reads one prefix for each token, beam search at most B; the cache grows by as many rows."""
    model, source = random_model(), random_sources(6)
    rules = BeamRules(max_new_tokens=5, end_id=49)
    compared = finished(lambda: Tally(CachedModel(model, source)), rules, budget=40, widths=(1, 3))
    one, three = compared.beams[1], compared.beams[3]
    assert len(one.hypothesis) == 5  # cut
    assert (one.n_read, one.n_passes) == (5, 5)
    assert (three.n_read, three.n_passes) == (1 + 3 * 4, 5)
    config = model.config
    row = 2 * config.n_decoder_layers * config.d_model * 4  # K and V of every layer, float32
    assert one.n_bytes == (5 + 6) * row  # five tokens, six English ones
    assert three.n_bytes == (13 + 6) * row
    assert compared.proof is not None
    assert compared.proof.n_read == compared.exact.n_expanded  # type: ignore[union-attr]
    assert compared.proof.n_bytes is not None
    assert compared.proof.n_bytes <= (1 + 16 * 4 + 6) * row
    plain = finished(lambda: Tally(PlainModel(model, source)), rules, budget=1, widths=(1,))
    assert plain.beams[1].n_bytes is None
    assert plain.beams[1].hypothesis.tokens == one.hypothesis.tokens


def test_the_empty_sentence_has_the_models_probability() -> None:
    model, source = random_model(), random_sources(6)
    compared = Comparison(lambda: Tally(CachedModel(model, source)), BeamRules(end_id=5))
    compared.advance(0.0, 1)
    expected = float(model(source, torch.tensor([[START_ID]]))[0, 0, 5])
    assert compared.empty is not None
    assert compared.empty.log_prob == pytest.approx(expected, abs=1e-5)
