"""Norms of weighted vectors against loops, and against the tensors of a model."""

import numpy as np
import pytest
import torch

from explainer.capture.record import record
from explainer.measures.heads import weighted_outputs, weighted_values, without_specials
from explainer.model.transformer import Transformer

KEYS = ("<s>", " dog", ".", "</s>")
HEADS, QUERIES, N_KEYS, D_HEAD, D_MODEL = 2, 3, 4, 5, 10


@pytest.fixture
def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(6)
    weights = generator.dirichlet(np.ones(N_KEYS), size=(HEADS, QUERIES))
    return weights, generator.normal(size=(HEADS, N_KEYS, D_HEAD)), generator.normal(size=(D_MODEL, D_MODEL))


def test_both_norms_against_a_loop(drawn: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    weights, v, output = drawn
    values, outputs = weighted_values(weights, v), weighted_outputs(weights, v, output)
    for head, i, j in np.ndindex(weights.shape):
        own = output[:, head * D_HEAD : (head + 1) * D_HEAD]
        added = weights[head, i, j] * v[head, j]
        assert values[head, i, j] == pytest.approx(np.sqrt(sum(c * c for c in added)))
        assert outputs[head, i, j] == pytest.approx(np.sqrt(sum(c * c for c in own @ added)))


def test_a_large_weight_on_a_short_value_adds_little() -> None:
    """Kobayashi et al. 2020, Figure 1: the weight alone would rank the keys the other way round."""
    weights, v = np.array([[[0.8, 0.2]]]), np.array([[[0.1, 0.0], [0.0, 2.0]]])
    np.testing.assert_allclose(weighted_values(weights, v), [[[0.08, 0.4]]])


def test_with_all_weight_on_one_key_the_norm_is_that_of_the_heads_output(tiny_model: Transformer) -> None:
    """Then z is the value itself, and the model's own output is Σ_h z_h W_O^h + b_O."""
    path = "encoder.layers.0.self_attention"

    def all_on_the_third(weights: torch.Tensor) -> torch.Tensor:
        return torch.zeros_like(weights).index_fill(-1, torch.tensor(2), 1.0)

    def only_the_second_head(mixed: torch.Tensor) -> torch.Tensor:
        return mixed * torch.tensor([0.0, 1.0, 0.0])[:, None, None]

    seen = record(
        tiny_model,
        torch.tensor([[5, 6, 7, 2]]),
        torch.tensor([[1, 7]]),
        interventions={
            f"{path}.attend.hook_weights": all_on_the_third,
            f"{path}.attend.hook_mixed": only_the_second_head,
        },
    ).under(path)
    layer = tiny_model.get_submodule(f"{path}.output")
    weight, bias = (parameter.numpy() for parameter in layer.parameters())
    norms = weighted_outputs(seen["attend.hook_weights"], seen["hook_v"], weight)
    np.testing.assert_allclose(norms[1, :, 2], np.linalg.norm(seen["hook_output"] - bias, axis=-1), rtol=1e-4)
    assert np.all(norms[:, :, [0, 1, 3]] == 0)


def test_without_special_tokens_the_others_share_the_weight() -> None:
    weights = np.array([[0.5, 0.3, 0.1, 0.1], [0.0, 0.0, 0.0, 1.0]], dtype=np.float32)
    left = without_specials(weights, KEYS)
    np.testing.assert_allclose(left, [[0, 0.75, 0.25, 0], [0, 0, 0, 0]], rtol=1e-6)
    assert left.dtype == np.float32
    both = without_specials(np.stack([weights, weights]), KEYS)
    np.testing.assert_array_equal(both[1], left)


def test_bytes_and_typed_markup_are_no_special_tokens() -> None:
    even = np.full((1, 3), 1 / 3)
    np.testing.assert_allclose(without_specials(even, ["<0xF0>", " <", "</s>"]), [[0.5, 0.5, 0]])


def test_one_key_per_column() -> None:
    with pytest.raises(ValueError, match="3 keys for 4 columns"):
        without_specials(np.full((1, 4), 0.25), KEYS[:3])
