"""Masks: who may attend to whom. Boolean, True = may attend, always the full [batch, query, key]."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def padding_mask(
    tokens: Int[Tensor, "batch key"], n_queries: int, pad_id: int
) -> Bool[Tensor, "batch query key"]:
    """Every query may attend to every key that is not padding.

    Raises:
        ValueError: a sentence is empty (all padding); its softmax would be 0/0.
    """
    is_token = tokens != pad_id  # [batch, key]
    if not bool(is_token.any(dim=-1).all()):
        empty = int((~is_token.any(dim=-1)).nonzero()[0])
        raise ValueError(f"sentence {empty} has no token to attend to: every position is padding")
    return is_token[:, None].expand(-1, n_queries, -1)


def look_ahead_mask(n_positions: int, device: torch.device | None = None) -> Bool[Tensor, "query key"]:
    """A position may attend to itself and to what is before it (Vaswani et al. 2017, §3.2.3)."""
    return torch.ones(n_positions, n_positions, dtype=torch.bool, device=device).tril()


def unordered_mask(tokens: Int[Tensor, "batch position"], pad_id: int) -> Bool[Tensor, "batch query key"]:
    """Every position may attend to every other, later ones too; only padding is hidden."""
    return padding_mask(tokens, tokens.shape[-1], pad_id)


def decoder_mask(tokens: Int[Tensor, "batch position"], pad_id: int) -> Bool[Tensor, "batch query key"]:
    """Look-ahead mask and padding mask together. Sentences are padded at the end."""
    n_positions = tokens.shape[-1]
    return padding_mask(tokens, n_positions, pad_id) & look_ahead_mask(n_positions, tokens.device)
