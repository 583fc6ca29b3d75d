"""The decoder's arithmetic without its hook points: the same numbers for a search that nobody listens to."""

import math
from typing import NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import embedding, layer_norm, scaled_dot_product_attention

from explainer.decode.cache import NodeCache
from explainer.model.attention import KeysValues, MultiHeadAttention
from explainer.model.blocks import DecoderLayer, LayerNorm
from explainer.model.transformer import Transformer


class FusedDecoder:
    """log p of the next tokens, as `Decoder` and `OutputHead` compute it.

    A step reads a handful of tokens, and calling some hundred modules for them takes longer than the products. This
    refers to the model's weights and copies none, so it never goes stale. Tested equal to the modules.
    """

    def __init__(self, model: Transformer) -> None:
        """Look up the weights of `model`."""
        self.embedding = model.target_embedding
        self.layers = [FusedLayer(cast(DecoderLayer, layer)) for layer in model.decoder.layers]
        norm = model.decoder.norm
        self.norm = Norm.of(norm) if isinstance(norm, LayerNorm) else None
        self.table = model.head.table.t()

    def __call__(
        self,
        tokens: Int[Tensor, "sentence beam"],
        position: int,
        cache: NodeCache,
        may_look_back: Float[Tensor, "sentence 1 beam node"] | None,
        may_look_across: Float[Tensor, "sentence 1 1 source"] | None,
    ) -> Float[Tensor, "sentence beam vocab"]:
        """Read `tokens`, all at one position, and add them to the cache.

        Args:
            tokens: The newest token of each hypothesis.
            position: Where they stand, from 0.
            cache: Keys and values of all tokens that were read before.
            may_look_back: 0 where a hypothesis may attend to a node, −∞ elsewhere; None: it may to all.
            may_look_across: The same for the source.
        """
        place = self.embedding.positions(position, 1)
        x = embedding(tokens.flatten(), self.embedding.table) * self.embedding.scale + place
        places = cache.add(tokens.shape[1])
        for layer, memory, (nodes, new) in zip(self.layers, cache.memory, places, strict=True):
            x = layer(x, memory, nodes, new, may_look_back, may_look_across)
        if self.norm is not None:
            x = self.norm(x)
        return (x @ self.table).log_softmax(dim=-1).view(*tokens.shape, -1)


class Affine(NamedTuple):
    """x Wᵀ + b on rows, without `nn.Linear`'s checks."""

    bias: Tensor
    weight: Tensor  # Wᵀ: [in, out]

    @classmethod
    def of(cls, linear: nn.Linear) -> "Affine":
        """Those of a linear layer."""
        return cls(linear.bias, linear.weight.t())

    def __call__(self, x: Float[Tensor, "row in"]) -> Float[Tensor, "row out"]:
        """Return x Wᵀ + b."""
        return torch.addmm(self.bias, x, self.weight)


class Norm(NamedTuple):
    """The layer norm of rows."""

    weight: Tensor
    bias: Tensor
    eps: float

    @classmethod
    def of(cls, norm: LayerNorm) -> "Norm":
        """Those of a layer norm."""
        return cls(norm.weight, norm.bias, norm.eps)

    def __call__(self, x: Float[Tensor, "row d_model"]) -> Float[Tensor, "row d_model"]:
        """Normalise each row."""
        return layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)


class Projections(NamedTuple):
    """W_Q, W_K, W_V and W_O of one attention."""

    query: Affine
    key: Affine
    value: Affine
    output: Affine

    @classmethod
    def of(cls, attention: MultiHeadAttention) -> "Projections":
        """Those of an attention."""
        parts = (attention.query, attention.key, attention.value, attention.output)
        return cls(*(Affine.of(part) for part in parts))


class FusedLayer:
    """One decoder layer: the equations of `DecoderLayer`, on rows of shape [sentence · beam, d_model]."""

    def __init__(self, layer: DecoderLayer) -> None:
        """Look up the weights of `layer`."""
        self.pre_norm = layer.feed_forward_residual.pre_norm
        self.back = Projections.of(layer.self_attention)
        self.back_norm = Norm.of(layer.self_attention_residual.norm)
        self.across = Projections.of(layer.cross_attention)
        self.across_norm = Norm.of(layer.cross_attention_residual.norm)
        self.inner, self.outer = Affine.of(layer.feed_forward.inner), Affine.of(layer.feed_forward.outer)
        self.feed_forward_norm = Norm.of(layer.feed_forward_residual.norm)

    def __call__(
        self,
        x: Float[Tensor, "row d_model"],
        memory: KeysValues,
        nodes: KeysValues,
        new: KeysValues,
        may_look_back: Float[Tensor, "sentence 1 beam node"] | None,
        may_look_across: Float[Tensor, "sentence 1 1 source"] | None,
    ) -> Float[Tensor, "row d_model"]:
        """Return the residual stream after this layer; the keys and values of `x` go to `new`, a part of `nodes`."""
        sentences, heads, beam, d_head = new.keys.shape

        def split_heads(rows: Tensor) -> Tensor:  # [sentence, head, beam, d_head]
            return rows.view(sentences, beam, heads, d_head).transpose(1, 2)

        def attend(q: Tensor, kv: KeysValues, allowed: Tensor | None) -> Tensor:
            mixed = scaled_dot_product_attention(split_heads(q), kv.keys, kv.values, attn_mask=allowed)
            return mixed.transpose(1, 2).reshape(x.shape)

        h = self._before(x, self.back_norm)
        new.keys.copy_(split_heads(self.back.key(h)))
        new.values.copy_(split_heads(self.back.value(h)))
        change = self.back.output(attend(self.back.query(h), nodes, may_look_back))
        x = self._after(x, change, self.back_norm)
        h = self._before(x, self.across_norm)
        change = self.across.output(attend(self.across.query(h), memory, may_look_across))
        x = self._after(x, change, self.across_norm)
        h = self._before(x, self.feed_forward_norm)
        return self._after(x, self.outer(self.inner(h).relu_()), self.feed_forward_norm)

    def _before(self, x: Tensor, norm: Norm) -> Tensor:
        """What a sublayer reads."""
        return norm(x) if self.pre_norm else x

    def _after(self, x: Tensor, change: Tensor, norm: Norm) -> Tensor:
        """The residual stream after a sublayer."""
        return x + change if self.pre_norm else norm(change.add_(x))


def as_bias(allowed: Bool[Tensor, "sentence query key"]) -> Float[Tensor, "sentence 1 query key"]:
    """A mask as what is added to the scores of every head: 0 where a query may attend, −∞ elsewhere."""
    return torch.where(allowed[:, None], 0.0, -math.inf)
