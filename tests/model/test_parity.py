"""Our Transformer against two independent ones with the same weights."""

from typing import Any

import pytest
import torch
from torch import Tensor

from explainer.model.transformer import Transformer
from explainer.text.tokenizer import PAD_ID, START_ID
from tests.peers import TorchPeer, random_model, random_sources, to_marian

LAYERS = [(3, 3), (4, 2)]


def batch() -> tuple[Tensor, Tensor]:
    """Three sentence pairs, padded: sources and decoder inputs."""
    source = random_sources(7, 3, 5)
    target = random_sources(4, 6, 1, seed=1).roll(1, dims=1)
    target[:, 0] = START_ID
    target[2, 1:] = PAD_ID
    return source, target


def model_of(layers: tuple[int, int], **fields: Any) -> Transformer:
    return random_model(n_encoder_layers=layers[0], n_decoder_layers=layers[1], spread=2.0, **fields)


def assert_same(ours: Tensor, theirs: Tensor, target: Tensor) -> None:
    real = target != PAD_ID
    torch.testing.assert_close(ours[real], theirs[real], rtol=0, atol=1e-5)


@pytest.mark.parametrize("layers", LAYERS)
def test_agrees_with_marian(layers: tuple[int, int]) -> None:
    model = model_of(layers)
    source, target = batch()
    logits = to_marian(model)(
        input_ids=source,
        attention_mask=source != PAD_ID,
        decoder_input_ids=target,
        decoder_attention_mask=target != PAD_ID,
    ).logits
    assert_same(model(source, target), logits.log_softmax(dim=-1), target)


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none"])
@pytest.mark.parametrize("tied", [True, False])
def test_agrees_with_torch(layers: tuple[int, int], norm: str, positions: str, tied: bool) -> None:
    model = model_of(layers, norm=norm, positions=positions, tie_embeddings=tied)
    source, target = batch()
    assert_same(model(source, target), TorchPeer(model)(source, target), target)


def test_padding_changes_nothing() -> None:
    model = model_of((3, 3))
    source, target = batch()
    together = model(source, target)
    for row in range(len(source)):
        one_source = source[row][source[row] != PAD_ID][None]
        one_target = target[row][target[row] != PAD_ID][None]
        alone = model(one_source, one_target)
        torch.testing.assert_close(together[row, : one_target.shape[1]], alone[0], rtol=0, atol=1e-5)
