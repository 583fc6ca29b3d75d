"""Cached, uncached, fused and listened to: four ways to one number."""

from typing import Any

import pytest
import torch
from torch import Tensor

from explainer.decode.search.beam import BeamRules, best_hypotheses, greedy
from explainer.decode.search.prefixes import FrontierT, NextLogProbs
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.sources.batch import source_batch, translate_batch
from explainer.decode.sources.transformer import CachedModel, PlainModel
from explainer.model.hooks import HookPoint, hook_names, listening
from explainer.model.layout import column_major
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import START_ID
from tests.decode.references import rules_of
from tests.peers import random_model, random_sources

VARIANTS: list[dict[str, Any]] = [
    {},
    {"norm": "pre"},
    {"positions": "learned", "tie_embeddings": False},
    {"n_encoder_layers": 4, "n_decoder_layers": 2},
]


class Ears:
    """Hears everything, changes nothing unless told to."""

    def __init__(self, model: Transformer, change: str = "") -> None:
        self.names = {hook: name for name, hook in hook_names(model).items()}
        self.change = change
        self.shapes: list[tuple[str, tuple[int, ...]]] = []

    def wants(self, hook: HookPoint) -> bool:
        return True

    def hear(self, hook: HookPoint, value: Tensor) -> Tensor:
        self.shapes.append((self.names[hook], tuple(value.shape)))
        return torch.zeros_like(value) if self.names[hook] == self.change else value

    def heard(self, attention: str) -> list[tuple[int, ...]]:
        """The shapes of its weights, pass by pass."""
        return [shape for name, shape in self.shapes if name == f"{attention}.attend.hook_weights"]


def walk(source: NextLogProbs[FrontierT], steps: int = 5) -> list[Tensor]:
    """Log-probabilities of an arbitrary walk through prefixes: branching, crossing, reordering, going back."""
    chance = torch.Generator().manual_seed(0)
    frontiers = [source.start()]
    for step in range(steps):
        after = frontiers[-1 if step != 3 else -2]  # once, another branch grows from an older frontier
        n_sentences, n_rows, n_tokens = after.log_probs.shape
        parents = torch.randint(0, n_rows, (n_sentences, 3), generator=chance)
        tokens = torch.randint(0, n_tokens, (n_sentences, 3), generator=chance)
        frontiers.append(source.extend(after, parents, tokens))
    return [frontier.log_probs for frontier in frontiers]


@pytest.mark.parametrize("fields", VARIANTS)
def test_cached_equals_uncached(fields: dict[str, Any]) -> None:
    model = random_model(**fields)
    sources = random_sources(7, 3, 5)
    plain = walk(PlainModel(model, sources))
    fused = walk(CachedModel(model, sources))
    ears = Ears(model)
    with listening(ears):
        heard = walk(CachedModel(model, sources))
    assert len(ears.shapes) > 100
    for one, two, three in zip(plain, fused, heard, strict=True):
        torch.testing.assert_close(two, one, rtol=0, atol=1e-5)
        torch.testing.assert_close(three, one, rtol=0, atol=1e-5)


def test_uncached_equals_teacher_forcing() -> None:
    model, source = random_model(), random_sources(6)
    frontier = (plain := PlainModel(model, source)).start()
    tokens = [START_ID]
    for token in (7, 0, 9, 1):  # <pad> and <s> too: what was generated is always read
        frontier = plain.extend(frontier, torch.tensor([[0]]), torch.tensor([[token]]))
        tokens.append(token)
    hidden = model.decoder(
        model.target_embedding(torch.tensor([tokens])),
        model.decoder.keys_values(model.encode(source)),
        torch.ones(1, 5, 5, dtype=torch.bool).tril(),
        torch.ones(1, 5, 6, dtype=torch.bool),
    )
    torch.testing.assert_close(frontier.log_probs[0, 0], model.head(hidden)[0, -1], rtol=0, atol=1e-5)


def test_a_listener_hears_every_step() -> None:
    model, source = random_model(), random_sources(6)
    ears = Ears(model)
    with listening(ears):
        greedy(CachedModel(model, source), max_new_tokens=4, end_id=50)
    # [batch, head, query, key]: the newest token and its past
    assert ears.heard("decoder.layers.1.self_attention") == [(1, 4, 1, n) for n in (1, 2, 3, 4)]
    assert ears.heard("decoder.layers.0.cross_attention") == [(1, 4, 1, 6)] * 4
    once = [name for name, _ in ears.shapes if name[:8] == "encoder." or "cross_attention.hook_k" in name]
    assert len(once) == len(set(once))  # encoder and cross-attention's K run once
    ears.shapes.clear()
    with listening(ears):
        best_hypotheses(CachedModel(model, source), BeamRules(beam_size=3, max_new_tokens=3, end_id=50))
    found = ears.heard("decoder.layers.1.self_attention")
    assert found == [(1, 4, 1, 1), (1, 4, 3, 4), (1, 4, 3, 7)]  # hypotheses × nodes of the tree


def test_an_intervention_changes_the_search() -> None:
    model, source = random_model(), random_sources(6)
    rules = BeamRules(beam_size=2, max_new_tokens=5, end_id=50)
    before = best_hypotheses(CachedModel(model, source), rules)
    name = "decoder.layers.1.cross_attention.hook_output"
    with listening(Ears(model, change=name)):
        cached = best_hypotheses(CachedModel(model, source), rules)
        plain = best_hypotheses(PlainModel(model, source), rules)
    assert cached[0].log_prob != pytest.approx(before[0].log_prob, abs=1e-3)
    assert [h.tokens for h in cached] == [h.tokens for h in plain]
    assert [h.log_prob for h in cached] == pytest.approx([h.log_prob for h in plain], abs=1e-4)


def test_the_memory_layout_changes_no_number() -> None:
    model, same = random_model(), random_model()
    column_major(same)
    for (name, one), (other, two) in zip(model.named_parameters(), same.named_parameters(), strict=True):
        assert name == other
        assert torch.equal(one, two)
    sources = random_sources(7, 3)
    for one, two in zip(walk(CachedModel(model, sources)), walk(CachedModel(same, sources)), strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=1e-5)


@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize("early_stopping", [True, False, "never"])
def test_a_batch_equals_sentence_by_sentence(beam_size: int, early_stopping: bool) -> None:
    model = random_model(seed=2, n_encoder_layers=1, n_decoder_layers=1)
    chance = torch.Generator().manual_seed(1)
    sentences = [torch.randint(3, 50, (n,), generator=chance).tolist() for n in (5, 1, 9, 2, 5, 3, 12, 7)]
    said = [greedy(CachedModel(model, source_batch([ids])), 9, end_id=50).tokens for ids in sentences]
    rules = rules_of(beam_size, 9, LengthPenalty("gnmt", 0.6), early_stopping, said[0][3])
    together = translate_batch(model, sentences, rules, batch_size=6)
    alone = [best_hypotheses(CachedModel(model, source_batch([ids])), rules) for ids in sentences]
    assert len({len(found[0]) for found in alone}) > 1  # sentences end at different steps
    for one, other in zip(together, alone, strict=True):
        assert [h.tokens for h in one] == [h.tokens for h in other]
        assert [h.score for h in one] == pytest.approx([h.score for h in other], abs=1e-5)


@pytest.mark.parametrize("kind", [CachedModel, PlainModel])
def test_a_model_in_training_mode_is_refused(kind: type[CachedModel] | type[PlainModel]) -> None:
    with pytest.raises(ValueError, match=r"in training mode.*call model.eval\(\) first"):
        kind(random_model().train(), random_sources(3))


def test_batches_are_checked() -> None:
    model = random_model()
    assert translate_batch(model, [], BeamRules()) == []
    with pytest.raises(ValueError, match="batch_size = 0: must be at least 1"):
        translate_batch(model, [[5]], BeamRules(), batch_size=0)
    assert source_batch([[5, 6], []]).tolist() == [[5, 6, 2], [2, 0, 0]]
