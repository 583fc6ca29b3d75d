"""What a key/value cache saves, in rows that are multiplied by a projection, and what it costs, in bytes.

A row is one token's vector, multiplied by one matrix W_Q, W_K or W_V of one layer: d_model² products.
"""

from typing import Literal

import numpy as np
from jaxtyping import Int

BYTES = 4  # of a float32


def self_attention_rows(
    mode: Literal["re-feed", "cache"], n_steps: int, n_layers: int
) -> Int[np.ndarray, " step"]:
    """Rows that the decoder's self-attention projects to Q, K and V at each step.

    Step t (from 1) feeds t tokens, or the newest one alone: 3 · N · t against 3 · N.
    """
    steps = np.arange(1, n_steps + 1)
    return 3 * n_layers * (steps if mode == "re-feed" else np.ones_like(steps))


def cross_attention_rows(
    mode: Literal["re-feed", "cache"], n_steps: int, n_layers: int, n_source: int
) -> Int[np.ndarray, " step"]:
    """Rows that cross-attention projects at each step: a query for each token that is fed, K and V of the memory.

    Without a cache the memory is projected again at every step, with one at the first step only.
    """
    steps = np.arange(1, n_steps + 1)
    if mode == "re-feed":
        return n_layers * steps + 2 * n_layers * n_source
    return n_layers + np.where(steps == 1, 2 * n_layers * n_source, 0)


def cache_bytes(n_layers: int, n_tokens: int, d_model: int) -> int:
    """Memory of K and V of `n_tokens` tokens in all layers: 2 · N · t · d_model · 4."""
    return 2 * n_layers * n_tokens * d_model * BYTES
