"""Masks: True = may attend."""

from collections.abc import Callable

import pytest
import torch

from explainer.model.masks import decoder_mask, look_ahead_mask, padding_mask

PAD = 0
TOKENS = torch.tensor([[5, 6, 7, 8], [5, 6, PAD, PAD]])


def test_padding_mask() -> None:
    mask = padding_mask(TOKENS, 3, PAD)
    assert mask.shape == (2, 3, 4)
    for query in range(3):
        assert mask[0, query].tolist() == [True] * 4
        assert mask[1, query].tolist() == [True, True, False, False]


def test_look_ahead_mask() -> None:
    mask = look_ahead_mask(5)
    assert all(bool(mask[query, key]) == (key <= query) for query in range(5) for key in range(5))


def test_decoder_mask_is_both() -> None:
    mask = decoder_mask(TOKENS, PAD)
    assert mask[0].int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert mask[1].int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]


@pytest.mark.parametrize(
    "make", [lambda tokens: padding_mask(tokens, 4, PAD), lambda tokens: decoder_mask(tokens, PAD)]
)
def test_a_sentence_of_padding_only_is_an_error(make: Callable[[torch.Tensor], torch.Tensor]) -> None:
    with pytest.raises(ValueError, match="sentence 1 has no token to attend to"):
        make(torch.tensor([[5, 6, 7, 8], [PAD] * 4]))
