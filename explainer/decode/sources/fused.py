"""The decoder's arithmetic without its hook points: the same numbers for a search that nobody listens to."""

import math
from typing import NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import embedding, scaled_dot_product_attention

from explainer.decode.sources.cache import NodeCache, Places
from explainer.model.attention import KeysValues
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
        place = self.embedding.positions.forward(position, 1)
        x = place.add(embedding(tokens.flatten(), self.embedding.table), alpha=self.embedding.scale)
        places = cache.add(tokens.shape[1])
        for layer, memory, place in zip(self.layers, cache.memory, places, strict=True):
            x = layer(x, memory, place, may_look_back, may_look_across)
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

    shape: tuple[int, ...]
    weight: Tensor
    bias: Tensor
    eps: float

    @classmethod
    def of(cls, norm: LayerNorm) -> "Norm":
        """That of a module."""
        return cls(norm.normalized_shape, norm.weight, norm.bias, norm.eps)

    def __call__(self, x: Float[Tensor, "row d_model"]) -> Float[Tensor, "row d_model"]:
        """Normalise each row."""
        return torch.layer_norm(x, *self)


class FusedLayer:
    """One decoder layer: the equations of `DecoderLayer`, on rows of shape [sentence · beam, d_model]."""

    def __init__(self, layer: DecoderLayer) -> None:
        """Look up the weights of `layer`."""
        back, across, residual = layer.self_attention, layer.cross_attention, layer.feed_forward_residual
        self.pre_norm = residual.pre_norm
        self.query, self.key, self.value = map(Affine.of, (back.query, back.key, back.value))
        self.back_output = Affine.of(back.output)
        self.back_norm = Norm.of(layer.self_attention_residual.norm)
        self.across_query, self.across_output = Affine.of(across.query), Affine.of(across.output)
        self.across_norm = Norm.of(layer.cross_attention_residual.norm)
        self.inner, self.outer = Affine.of(layer.feed_forward.inner), Affine.of(layer.feed_forward.outer)
        self.feed_forward_norm = Norm.of(residual.norm)

    def __call__(
        self,
        x: Float[Tensor, "row d_model"],
        memory: KeysValues,
        places: Places,
        may_look_back: Float[Tensor, "sentence 1 beam node"] | None,
        may_look_across: Float[Tensor, "sentence 1 1 source"] | None,
    ) -> Float[Tensor, "row d_model"]:
        """Return the residual stream after this layer; the keys and values of `x` go to their places."""
        sentences, heads, beam, d_head = places.new.keys.shape
        by_head = (sentences, beam, heads, d_head)  # transposed: [sentence, head, beam, d_head]
        h = self.back_norm(x) if self.pre_norm else x
        places.new.keys.copy_(self.key(h).view(by_head).transpose(1, 2))
        places.new.values.copy_(self.value(h).view(by_head).transpose(1, 2))
        q = self.query(h).view(by_head).transpose(1, 2)
        mixed = scaled_dot_product_attention(q, *places.nodes, may_look_back)
        x = self._after(x, self.back_output(mixed.transpose(1, 2).reshape(x.shape)), self.back_norm)
        h = self.across_norm(x) if self.pre_norm else x
        q = self.across_query(h).view(by_head).transpose(1, 2)
        mixed = scaled_dot_product_attention(q, *memory, may_look_across)
        x = self._after(x, self.across_output(mixed.transpose(1, 2).reshape(x.shape)), self.across_norm)
        h = self.feed_forward_norm(x) if self.pre_norm else x
        return self._after(x, self.outer(self.inner(h).relu_()), self.feed_forward_norm)

    def _after(self, x: Tensor, change: Tensor, norm: Norm) -> Tensor:
        """The residual stream after a sublayer."""
        return x + change if self.pre_norm else norm(change.add_(x))


def as_bias(allowed: Bool[Tensor, "sentence query key"]) -> Float[Tensor, "sentence 1 query key"]:
    """A mask as what is added to the scores of every head: 0 where a query may attend, −∞ elsewhere."""
    return torch.where(allowed[:, None], 0.0, -math.inf)
