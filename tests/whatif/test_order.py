"""The encoder is blind to order without positions, and only then."""

import dataclasses

import numpy as np
import pytest
import torch

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.whatif.order import order_test, shuffled_order

CONFIG = TransformerConfig(
    vocab_size=31, d_model=24, n_heads=3, d_ff=20, n_encoder_layers=2, n_decoder_layers=1
)
IDS = (7, 9, 11, 9, 13)
ORDER = (3, 0, 4, 2, 1)


def made(**fields: str) -> Transformer:
    torch.manual_seed(5)
    return Transformer(dataclasses.replace(CONFIG, **fields)).eval().requires_grad_(False)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_without_positions_order_means_nothing(norm: str) -> None:
    found = order_test(made(norm=norm), IDS, ORDER)
    assert found.without_positions.largest < 1e-5
    assert found.with_positions.largest > 0.01


def test_the_shuffle_is_undone() -> None:
    """A model that was built without positions, given both orders by hand."""
    model = made(positions="none")
    typed = model.encode(torch.tensor([[*IDS, 2]]))[0]
    shuffled = model.encode(torch.tensor([[*(IDS[place] for place in ORDER), 2]]))[0]
    found = order_test(model, IDS, ORDER).with_positions
    np.testing.assert_array_equal(found.typed, typed.numpy())
    for place, token in enumerate((*ORDER, len(IDS))):
        np.testing.assert_array_equal(found.shuffled[token], shuffled[place].numpy())
    assert found.largest < 1e-5


def test_the_typed_order_changes_nothing() -> None:
    assert order_test(made(), IDS, range(len(IDS))).with_positions.largest == 0.0


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 0, 1, 2, 3), (0, 1, 2, 3, 5)])
def test_what_is_no_order_is_refused(order: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="not a permutation of 5 tokens"):
        order_test(made(), IDS, order)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 40])
def test_shuffles_are_permutations_other_than_the_typed_order(count: int) -> None:
    for seed in range(20):
        order = shuffled_order(count, seed)
        assert sorted(order) == list(range(count))
        assert order == shuffled_order(count, seed)
        assert count < 2 or order != tuple(range(count))
