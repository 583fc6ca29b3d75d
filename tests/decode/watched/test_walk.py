"""Greedy decoding watched: the numbers are those of the model, the counts those of its real products."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from explainer.decode.search.beam import greedy
from explainer.decode.sources.transformer import CachedModel
from explainer.decode.watched.meter import LETTERS
from explainer.decode.watched.walk import MODES, Mode, detour, measured, walk
from explainer.equations.decoding import cache_bytes, cross_attention_rows, self_attention_rows
from explainer.measures.anatomy import KINDS
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID, START_ID
from tests.peers import random_model, random_sources

LIMIT = 9


@pytest.fixture(scope="module")
def model() -> Transformer:
    return random_model(n_encoder_layers=2, n_decoder_layers=3, spread=2.0)


@pytest.fixture(scope="module")
def source() -> Tensor:
    return random_sources(6)


def all_at_once(model: Transformer, source: Tensor, tokens: tuple[int, ...]) -> Tensor:
    """Teacher forcing: what one pass says after each prefix of `tokens`. [step, vocab]."""
    return model(source, torch.tensor([[START_ID, *tokens[:-1]]]))[0]


@pytest.mark.parametrize("mode", MODES)
def test_every_step_says_what_one_pass_over_the_whole_target_says(
    model: Transformer, source: Tensor, mode: Mode
) -> None:
    found = walk(model, source, mode, limit=LIMIT)
    rows = all_at_once(model, source, found.tokens)
    np.testing.assert_allclose(found.log_probs, rows, atol=1e-5)
    np.testing.assert_allclose(torch.tensor(found.logits).log_softmax(-1), rows, atol=1e-5)
    assert list(found.tokens) == rows.argmax(dim=-1).tolist()
    chosen = rows.gather(1, torch.tensor(found.tokens)[:, None]).flatten()
    np.testing.assert_allclose(found.sums, chosen.cumsum(0), atol=1e-4)
    np.testing.assert_allclose(found.across.sum(axis=-1), 1.0, atol=1e-5)
    expected = greedy(CachedModel(model, source), LIMIT)
    assert (found.tokens, found.finished) == (expected.tokens, expected.finished)


def test_the_cross_attention_of_a_step_is_that_of_its_row(model: Transformer, source: Tensor) -> None:
    from explainer.capture.record import record

    one, other = (walk(model, source, mode, limit=LIMIT).across for mode in MODES)
    np.testing.assert_allclose(one, other, atol=1e-5)
    tokens = walk(model, source, "cache", limit=LIMIT).tokens
    trace = record(model, source, torch.tensor([[START_ID, *tokens[:-1]]]))
    for layer in range(3):
        weights = trace[
            f"decoder.layers.{layer}.cross_attention.attend.hook_weights"
        ]  # [head, query, source]
        np.testing.assert_allclose(one[:, layer], weights.swapaxes(0, 1), atol=1e-5)


def test_what_is_said_can_be_prescribed(model: Transformer, source: Tensor) -> None:
    tokens = (7, 11, 13, END_ID)
    for mode in MODES:
        found = walk(model, source, mode, tokens=tokens)
        assert found.tokens == tokens
        np.testing.assert_allclose(found.log_probs, all_at_once(model, source, tokens), atol=1e-5)


class Products:
    """Stands in for `torch.nn.functional.linear` and counts the rows that each weight is multiplied with."""

    def __init__(self, model: Transformer) -> None:
        self.names = {id(value): name for name, value in model.named_parameters()}
        self.rows: Counter[str] = Counter()
        self._linear = torch.nn.functional.linear

    def __call__(self, x: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
        self.rows[self.names[id(weight)]] += x.shape[:-1].numel()
        return self._linear(x, weight, bias)


@pytest.mark.parametrize("mode", MODES)
def test_the_counted_rows_are_those_of_the_products_and_of_the_formulas(
    model: Transformer, source: Tensor, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    products = Products(model)
    monkeypatch.setattr(torch.nn.functional, "linear", products)
    found = walk(model, source, mode, limit=LIMIT)
    parts = {"encoder": "encoder.layers", "decoder": "self_attention", "cross": "cross_attention"}
    names = {"Q": "query", "K": "key", "V": "value"}
    for kind in KINDS:
        for letter in LETTERS:
            multiplied = sum(
                rows
                for name, rows in products.rows.items()
                if name.endswith(f"{names[letter]}.weight")
                and parts[kind] in name
                and (kind == "encoder") == name.startswith("encoder")
            )
            assert found.rows(kind, letter).sum() == multiplied
    n_steps, n_source = len(found.tokens), source.shape[1]
    assert n_steps == LIMIT
    np.testing.assert_array_equal(found.rows("decoder"), self_attention_rows(mode, n_steps, 3))
    np.testing.assert_array_equal(found.rows("cross"), cross_attention_rows(mode, n_steps, 3, n_source))
    assert found.rows("encoder").tolist() == [3 * 2 * n_source] + [0] * (n_steps - 1)  # it runs once


def test_the_memory_of_the_cache_is_that_of_its_tensors(model: Transformer, source: Tensor) -> None:
    frontier = (cached := CachedModel(model, source)).start()
    for token in (7, 11):
        frontier = cached.extend(frontier, torch.tensor([[0]]), torch.tensor([[token]]))
    held = [part for places in frontier.cache.add(0) for part in places.nodes]
    across = [part for layer in frontier.cache.memory for part in layer]
    for tensors, n_tokens in ((held, 3), (across, source.shape[1])):
        assert sum(part.numel() * part.element_size() for part in tensors) == cache_bytes(3, n_tokens, 32)


def test_an_intervention_acts_in_both_modes(model: Transformer, source: Tensor) -> None:
    name = "decoder.layers.1.cross_attention.hook_output"
    plain = walk(model, source, "re-feed", limit=LIMIT)
    changed = [
        walk(model, source, mode, tokens=plain.tokens, interventions={name: torch.zeros_like})
        for mode in MODES
    ]
    assert np.abs(changed[0].log_probs - plain.log_probs).max() > 0.1
    np.testing.assert_allclose(changed[0].log_probs, changed[1].log_probs, atol=1e-5)


def test_without_a_look_ahead_mask_there_is_nothing_to_cache(source: Tensor) -> None:
    model = random_model(look_ahead_mask=False)
    with pytest.raises(ValueError, match="without a look-ahead mask has nothing to cache"):
        walk(model, source, "cache")
    assert walk(model, source, "re-feed", limit=3).tokens


@pytest.mark.parametrize("anew", [False, True])
def test_a_detour_is_greedy_from_where_it_leaves(model: Transformer, source: Tensor, anew: bool) -> None:
    found = walk(model, source, "re-feed", limit=LIMIT)
    other = int(np.argsort(found.log_probs[2])[-2])
    prefix = (*found.tokens[:2], other)
    gone = detour(model, source, prefix, anew=anew, limit=LIMIT)
    assert gone.tokens[:3] == prefix
    rows = all_at_once(model, source, gone.tokens)
    assert list(gone.tokens[3:]) == rows.argmax(dim=-1).tolist()[3:]
    chosen = rows.gather(1, torch.tensor(gone.tokens)[:, None])
    assert gone.log_prob == pytest.approx(float(chosen.sum()), abs=1e-4)
    same = detour(model, source, found.tokens[:2], anew=anew, limit=LIMIT)
    assert same.tokens == found.tokens


def test_a_detour_may_end_at_once(model: Transformer, source: Tensor) -> None:
    ended = detour(model, source, (7, END_ID), limit=LIMIT)
    assert (ended.tokens, ended.finished) == ((7, END_ID), True)
    cut = detour(model, source, (7, 11, 13), limit=3)
    assert (cut.tokens, cut.finished) == ((7, 11, 13), False)


def test_time_is_measured_for_every_step_of_every_mode(model: Transformer, source: Tensor) -> None:
    seconds = measured(model, source, (7, 11, 13), rounds=2)
    assert seconds.shape == (2, 3)
    assert (seconds > 0).all()
