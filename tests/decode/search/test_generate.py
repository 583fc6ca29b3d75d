"""Beam search equals transformers' `generate`: the same tokens, the same scores."""

import functools
import random

import pytest
import torch
from torch import Tensor
from transformers import MarianMTModel

from explainer.decode.search.beam import BeamRules, best_hypotheses, greedy
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.table import ProbabilityTable
from explainer.decode.sources.batch import search_all
from explainer.decode.sources.transformer import CachedModel
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import START_ID
from tests.decode.references import EARLY_STOPPING, TableModel, generate, generate_greedily
from tests.peers import random_model, random_sources, to_marian

LIMIT = 8
LETTERS = tuple("abcdefgh.")  # "." ends
BEGINNING = torch.tensor([[START_ID]])
SEEDS = {
    2: 1,
    4: 3,
    5: 1,
}  # of the model and sentence: which token of the greedy search is made the end token
ALPHAS = (-1.0, 0.0, 0.6, 1.0, 2.0, 4.0)


@functools.cache
def case(seed: int) -> tuple[Transformer, MarianMTModel, Tensor, int]:
    """A model, its peer, a sentence, and a token to end with: `</s>` never gets likely without training."""
    model = random_model(seed=seed, n_encoder_layers=1, n_decoder_layers=1)
    source = random_sources(6, seed=seed)
    said = greedy(CachedModel(model, source), max_new_tokens=LIMIT, end_id=model.config.vocab_size).tokens
    return model, to_marian(model), source, said[SEEDS[seed]]


@pytest.mark.parametrize("beam_size", range(1, 11))
@pytest.mark.parametrize("early_stopping", EARLY_STOPPING)
@pytest.mark.parametrize("seed", SEEDS)
def test_agrees_with_generate(beam_size: int, early_stopping: bool, seed: int) -> None:
    model, peer, source, end_id = case(seed)
    for alpha in ALPHAS:
        rules = BeamRules(
            beam_size=beam_size,
            max_new_tokens=LIMIT,
            penalty=LengthPenalty("huggingface", alpha),
            early_stopping=early_stopping,
            end_id=end_id,
        )
        ours = best_hypotheses(CachedModel(model, source), rules)
        if beam_size == 1:  # there, transformers always searches greedily
            if early_stopping is True:
                assert ours[0].tokens == generate_greedily(peer, source, rules)
            continue
        expected = generate(peer, source, rules)[0]
        assert [h.tokens for h in ours] == [tokens for tokens, _ in expected]
        assert [h.score for h in ours] == pytest.approx([score for _, score in expected], rel=1e-6, abs=1e-5)
        assert all(h.finished == (h.tokens[-1] == end_id) for h in ours)


def test_the_cases_are_not_all_alike() -> None:
    """The models above finish early and late, are cut, and have different best hypotheses by different rules."""
    lengths, best = set(), set()
    for seed in SEEDS:
        model, _, source, end_id = case(seed)
        for alpha in ALPHAS:
            penalty = LengthPenalty("huggingface", alpha)
            rules = BeamRules(beam_size=4, max_new_tokens=LIMIT, penalty=penalty, end_id=end_id)
            found = best_hypotheses(CachedModel(model, source), rules)
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
    rules = BeamRules(
        beam_size=beam_size,
        max_new_tokens=LIMIT,
        penalty=LengthPenalty("huggingface", alpha),
        early_stopping=early_stopping,
        end_id=end_id,
    )
    expected = generate(peer, sources, rules)
    for ours, theirs in zip(search_all(CachedModel(model, sources), rules), expected, strict=True):
        assert [h.tokens for h in ours] == [tokens for tokens, _ in theirs]
        assert [h.score for h in ours] == pytest.approx([score for _, score in theirs], rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("beam_size", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("early_stopping", EARLY_STOPPING)
def test_a_random_table_agrees_with_generate(beam_size: int, early_stopping: bool) -> None:
    for seed in range(3):
        table, peer = possible_table(seed)
        for alpha in ALPHAS:
            rules = BeamRules(
                beam_size=beam_size,
                max_new_tokens=6,
                penalty=LengthPenalty("huggingface", alpha),
                early_stopping=early_stopping,
                end_id=table.end_id,
            )
            ours = best_hypotheses(table, rules)
            if beam_size == 1:  # there, transformers always searches greedily
                if early_stopping is True:
                    assert ours[0].tokens == generate_greedily(peer, BEGINNING, rules)
                continue
            expected = generate(peer, BEGINNING, rules)[0]
            assert [h.tokens for h in ours] == [tokens for tokens, _ in expected]
            assert [h.score for h in ours] == pytest.approx([s for _, s in expected], rel=1e-6, abs=1e-5)


def possible_table(seed: int) -> tuple[ProbabilityTable, TableModel]:
    """A random table without zeros, and the same as a model of transformers."""

    def row(prefix: tuple[str, ...]) -> list[float]:
        chance = random.Random(f"{seed} {''.join(prefix)}")
        weights = [0.02 + chance.random() ** 3 for _ in LETTERS]
        return [weight / sum(weights) for weight in weights]

    table = ProbabilityTable(LETTERS, row, end=LETTERS[-1])
    return table, TableModel(table)
