"""Scaled dot-product attention and its several heads, every step observable (Vaswani et al. 2017, §3.2)."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from explainer.model.config import TransformerConfig
from explainer.model.hooks import HookPoint, heard, listened_to
from explainer.model.linear import Linear


class KeysValues(NamedTuple):
    """What a memory offers to the queries of one layer: K to be matched, V to be mixed."""

    keys: Float[Tensor, "batch head key d_head"]
    values: Float[Tensor, "batch head key d_head"]


class Attend(nn.Module):
    """Mix values by how well each query matches each key: Z = softmax(Q Kᵀ / √d_head + M) V (eq. 1)."""

    def __init__(self) -> None:
        super().__init__()
        self.hook_dots = HookPoint()  # Q Kᵀ
        self.hook_scores = HookPoint()  # S = Q Kᵀ / √d_head, before the mask
        self.hook_mask = HookPoint()  # M as Bool: True adds 0 to the score, False adds −∞
        self.hook_masked = HookPoint()  # S + M
        self.hook_weights = HookPoint()  # A = softmax(S + M): each row sums to 1
        self.hook_mixed = HookPoint()  # Z = A V

    def forward(
        self,
        q: Float[Tensor, "batch head query d_head"],
        k: Float[Tensor, "batch head key d_head"],
        v: Float[Tensor, "batch head key d_head"],
        may_attend: Bool[Tensor, "batch query key"],
    ) -> Float[Tensor, "batch head query d_head"]:
        """Return Z, one row per query. `may_attend` is shared by all heads."""
        if not (listened_to() and heard(*self.observed())):
            return self.hook_mixed(self.fused(q, k, v, may_attend[:, None]))
        dots = self.hook_dots(q @ k.mT)  # [batch, head, query, key]
        scores = self.hook_scores(dots / math.sqrt(q.shape[-1]))
        allowed = self.hook_mask(may_attend[:, None].expand_as(scores))
        weights = self.hook_weights(self.hook_masked(scores.masked_fill(~allowed, -math.inf)).softmax(dim=-1))
        return self.hook_mixed(weights @ v)

    def observed(self) -> tuple[HookPoint, ...]:
        """The hook points of what a fused kernel does not show."""
        return self.hook_dots, self.hook_scores, self.hook_mask, self.hook_masked, self.hook_weights

    @staticmethod
    def fused(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> Tensor:
        """The same Z without the steps in between, by the kernel that is fastest for the occasion."""
        idle = not torch.is_grad_enabled() and bool(allowed.all())  # without a mask it takes half the time
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=None if idle else allowed)


class MultiHeadAttention(nn.Module):
    """MultiHead(X, Y) = Concat(Z₁ … Z_h) W_O; head j attends with X W_Q, Y W_K, Y W_V (§3.2.2).

    Every head reads the full d_model vector through its own columns of W_Q, W_K, W_V. As usual (and unlike the
    paper's text) the projections have biases.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        self.query = Linear(config.d_model, config.d_model)  # W_Q of all heads side by side
        self.key = Linear(config.d_model, config.d_model)
        self.value = Linear(config.d_model, config.d_model)
        self.output = Linear(config.d_model, config.d_model)  # W_O
        self.attend = Attend()
        self.hook_x = HookPoint()  # X, of which the queries are made
        self.hook_y = HookPoint()  # Y, of which the keys and values are made
        self.hook_q = HookPoint()  # Q
        self.hook_k = HookPoint()  # K
        self.hook_v = HookPoint()  # V
        self.hook_concat = HookPoint()  # Concat(Z₁ … Z_h)
        self.hook_output = HookPoint()  # Concat(Z₁ … Z_h) W_O

    def keys_values(self, memory: Float[Tensor, "batch key d_model"]) -> KeysValues:
        """K and V of `memory` for every head; they do not depend on the queries, so decoding can cache them."""
        y = self.hook_y(memory)
        return KeysValues(
            self.hook_k(self.split_heads(self.key(y))), self.hook_v(self.split_heads(self.value(y)))
        )

    def forward(
        self,
        x: Float[Tensor, "batch query d_model"],
        memory: KeysValues,
        may_attend: Bool[Tensor, "batch query key"],
    ) -> Float[Tensor, "batch query d_model"]:
        """What each position of `x` collects from the memory."""
        q = self.hook_q(self.split_heads(self.query(self.hook_x(x))))  # [batch, head, query, d_head]
        mixed = self.attend(q, memory.keys, memory.values, may_attend)
        return self.hook_output(self.output(self.hook_concat(mixed.transpose(1, 2).flatten(2))))

    def split_heads(
        self, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch head position d_head"]:
        """Cut the last axis into heads: head j takes dimensions j·d_head … (j+1)·d_head − 1."""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
