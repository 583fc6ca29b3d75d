"""Beam search equals transformers' `generate`: the same tokens, the same scores."""

import functools
import random
from collections.abc import Sequence

import pytest
import torch
from torch import Tensor
from transformers import MarianMTModel

from explainer.decode.search.beam import BeamRules, best_hypotheses, greedy
from explainer.decode.search.prefixes import Hypothesis, NextLogProbs
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.table import ProbabilityTable
from explainer.decode.sources.batch import search_all
from explainer.decode.sources.transformer import CachedModel
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import START_ID
from tests.decode.references import EARLY_STOPPING, Result, TableModel, generate, generate_greedily, rules_of
from tests.peers import random_model, random_sources, to_marian

LIMIT = 8
LETTERS = tuple("abcdefgh.")  # "." ends
BEGINNING = torch.tensor([[START_ID]])
SEEDS = {2: 1, 4: 3, 5: 1}  # of model and sentence: which token of the greedy search is made the end token
ALPHAS = (-1.0, 0.0, 0.6, 1.0, 2.0, 4.0)
by = functools.partial(LengthPenalty, "huggingface")


@functools.cache
def case(seed: int) -> tuple[Transformer, MarianMTModel, Tensor, int]:
    """A model, its peer, a sentence, and a token to end with: `</s>` never gets likely without training."""
    model = random_model(seed=seed, n_encoder_layers=1, n_decoder_layers=1)
    source = random_sources(6, seed=seed)
    said = greedy(CachedModel(model, source), max_new_tokens=LIMIT, end_id=model.config.vocab_size).tokens
    return model, to_marian(model), source, said[SEEDS[seed]]


def assert_same(ours: Sequence[Hypothesis], theirs: Result) -> None:
    assert [h.tokens for h in ours] == [tokens for tokens, _ in theirs]
    assert [h.score for h in ours] == pytest.approx([score for _, score in theirs], rel=1e-6, abs=1e-5)


def check(model: NextLogProbs, peer: MarianMTModel | TableModel, source: Tensor, rules: BeamRules) -> None:
    """One sentence, by both. With one beam transformers always searches greedily."""
    ours = best_hypotheses(model, rules)
    if rules.beam_size > 1:
        assert_same(ours, generate(peer, source, rules)[0])
    elif rules.early_stopping is True:
        assert ours[0].tokens == generate_greedily(peer, source, rules)
    assert all(h.finished == (h.tokens[-1] == rules.end_id) for h in ours)


@pytest.mark.parametrize("beam_size", range(1, 11))
@pytest.mark.parametrize("early_stopping", EARLY_STOPPING)
@pytest.mark.parametrize("seed", SEEDS)
def test_agrees_with_generate(beam_size: int, early_stopping: bool, seed: int) -> None:
    model, peer, source, end_id = case(seed)
    for alpha in ALPHAS[beam_size % 3 :: 3]:  # each with some of the beams
        check(
            CachedModel(model, source),
            peer,
            source,
            rules_of(beam_size, LIMIT, by(alpha), early_stopping, end_id),
        )


def test_the_cases_are_not_all_alike() -> None:
    """The models above finish early and late, are cut, and have different best hypotheses by different rules."""
    lengths, best = set(), set()
    for seed in SEEDS:
        model, _, source, end_id = case(seed)
        for alpha in ALPHAS:
            found = best_hypotheses(
                CachedModel(model, source), rules_of(4, LIMIT, by(alpha), "never", end_id)
            )
            lengths |= {(len(h), h.finished) for h in found}
            best.add((seed, found[0].tokens))
    assert {finished for _, finished in lengths} == {True, False}
    assert len(lengths) >= 8
    assert len(best) >= 8


@pytest.mark.parametrize("beam_size", [2, 5, 10])
@pytest.mark.parametrize("early_stopping", EARLY_STOPPING)
@pytest.mark.parametrize("alpha", [-1.0, 0.6, 4.0])
def test_a_padded_batch_agrees_with_generate(beam_size: int, early_stopping: bool, alpha: float) -> None:
    model, peer, _, end_id = case(4)
    sources = random_sources(7, 2, 4, 5, seed=3)
    rules = rules_of(beam_size, LIMIT, by(alpha), early_stopping, end_id)
    expected = generate(peer, sources, rules)
    for ours, theirs in zip(search_all(CachedModel(model, sources), rules), expected, strict=True):
        assert_same(ours, theirs)


@pytest.mark.parametrize("beam_size", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("early_stopping", EARLY_STOPPING)
def test_a_random_table_agrees_with_generate(beam_size: int, early_stopping: bool) -> None:
    for seed in range(3):
        table, peer = possible_table(seed)
        for alpha in ALPHAS[seed % 3 :: 3]:
            check(table, peer, BEGINNING, rules_of(beam_size, 6, by(alpha), early_stopping, table.end_id))


def possible_table(seed: int) -> tuple[ProbabilityTable, TableModel]:
    """A random table without zeros, and the same as a model of transformers."""

    def row(prefix: tuple[str, ...]) -> list[float]:
        chance = random.Random(f"{seed} {''.join(prefix)}")
        weights = [0.02 + chance.random() ** 3 for _ in LETTERS]
        return [weight / sum(weights) for weight in weights]

    table = ProbabilityTable(LETTERS, row, end=LETTERS[-1])
    return table, TableModel(table)
