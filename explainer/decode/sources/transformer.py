"""The Transformer as a source of next-token log-probabilities: with a key/value cache, and without one."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from explainer.decode.search.prefixes import Frontier
from explainer.decode.sources.cache import NodeCache
from explainer.decode.sources.fused import FusedDecoder, as_bias
from explainer.decode.sources.source import source_of
from explainer.model.hooks import listened_to
from explainer.model.masks import look_ahead_mask, padding_mask
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import PAD_ID, START_ID


@dataclass(frozen=True, eq=False)
class CachedFrontier(Frontier):
    """Attributes beyond `log_probs`: the cache, each hypothesis's nodes in it, and how many tokens it has read."""

    cache: NodeCache
    nodes: Bool[Tensor, "sentence beam node"]
    n_read: int


class CachedModel:
    """Reads only the newest token of each hypothesis; keys and values of the others come from the cache.

    The encoder runs once, and so do the cross-attention's projections of its output. The decoder's hook points fire
    at every step; the hypotheses of a sentence stand on the query axis, the nodes of its search tree on the key axis of
    the self-attention. In a greedy search those are one query and its past.
    """

    def __init__(self, model: Transformer, sources: Int[Tensor, "sentence source"]) -> None:
        """Prepare to translate `sources`: each ends in `</s>`, all are padded to one length.

        Raises:
            ValueError: the model is in training mode, or has no look-ahead mask: then every new token changes the keys
                and values of the earlier ones.
        """
        self.model = _evaluating(model)
        if not model.config.look_ahead_mask:
            raise ValueError("a model without a look-ahead mask has nothing to cache: use PlainModel")
        self.sources = sources
        self._fused = FusedDecoder(model)

    @torch.inference_mode()
    def start(self) -> CachedFrontier:
        """Run the encoder, then the decoder on `<s>`."""
        memory = self.model.decoder.keys_values(self.model.encode(self.sources))
        cache = NodeCache(memory, self.sources)
        n_sentences = len(self.sources)
        tokens = self.sources.new_full((n_sentences, 1), START_ID)
        return self._read(cache, tokens, torch.ones_like(tokens, dtype=torch.bool)[..., None], n_read=0)

    @torch.inference_mode()
    def extend(
        self,
        after: CachedFrontier,
        parents: Int[Tensor, "sentence beam"],
        tokens: Int[Tensor, "sentence beam"],
    ) -> CachedFrontier:
        """Run the decoder on `tokens`, which attend to the nodes of their parents and to themselves."""
        return self._read(after.cache, tokens, _nodes(after, parents), after.n_read)

    def rewind(self, after: CachedFrontier) -> None:
        """Forget the tokens that were read after this frontier: a depth-first search leaves them behind."""
        after.cache.rewind(after.nodes.shape[-1])

    def select(self, after: CachedFrontier, sentences: Sequence[int]) -> CachedFrontier:
        """The same frontier for these sentences only."""
        chosen = list(sentences)
        return CachedFrontier(
            after.log_probs[chosen], after.cache.select(chosen), after.nodes[chosen], after.n_read
        )

    def _read(
        self,
        cache: NodeCache,
        tokens: Int[Tensor, "sentence beam"],
        nodes: Bool[Tensor, "sentence beam node"],
        n_read: int,
    ) -> CachedFrontier:
        """One pass of the decoder over the newest tokens, all of which stand at position `n_read`."""
        if not listened_to():
            back = None if _is_alone(cache, tokens, n_read) else as_bias(nodes)
            across = as_bias(cache.may_look_across) if cache.is_padded else None
            return CachedFrontier(self._fused(tokens, n_read, cache, back, across), cache, nodes, n_read + 1)
        x = self.model.target_embedding(tokens.reshape(-1, 1), first=n_read)  # [sentence · beam, 1, d_model]
        hidden = self.model.decoder(
            x.view(*tokens.shape, -1),
            cache.memory,
            nodes,
            cache.may_look_across.expand(-1, tokens.shape[1], -1),
            [places.write for places in cache.add(tokens.shape[1])],
        )
        return CachedFrontier(self.model.head(hidden), cache, nodes, n_read + 1)


def _evaluating(model: Transformer) -> Transformer:
    if model.training:
        raise ValueError(
            "the model is in training mode, dropout would decode at random: call model.eval() first"
        )
    return model


def _is_alone(cache: NodeCache, tokens: Tensor, n_read: int) -> bool:
    """Whether a single hypothesis is extended that consists of all nodes: nothing needs to be masked."""
    return tokens.shape[1] == 1 and cache.n_nodes == n_read


def _nodes(after: CachedFrontier, parents: Tensor) -> Tensor:
    """Which nodes each longer hypothesis consists of: those of its parent, and itself. [sentence, beam, node]."""
    n_nodes, (n_sentences, n_new) = after.cache.n_nodes, parents.shape
    if _is_alone(after.cache, parents, after.n_read):
        return after.nodes.new_ones(n_sentences, 1, n_nodes + 1)
    past = after.nodes.gather(1, parents[..., None].expand(-1, -1, after.nodes.shape[-1]))
    if past.shape[-1] < n_nodes:  # nodes of other branches were added since
        past = torch.nn.functional.pad(past, (0, n_nodes - past.shape[-1]))
    itself = torch.eye(n_new, dtype=torch.bool, device=past.device).expand(n_sentences, -1, -1)
    return torch.cat([past, itself], dim=-1)


@dataclass(frozen=True, eq=False)
class PlainFrontier(Frontier):
    """Attributes beyond `log_probs`: the sources, their memory, each hypothesis's tokens from `<s>` on."""

    sources: Int[Tensor, "sentence source"]
    memory: Float[Tensor, "sentence source d_model"]
    tokens: Int[Tensor, "sentence beam position"]


class PlainModel:
    """Feeds every hypothesis from its first token at every step, as the equations are written; slow."""

    def __init__(self, model: Transformer, sources: Int[Tensor, "sentence source"]) -> None:
        """Prepare to translate `sources`: each ends in `</s>`, all are padded to one length.

        Raises:
            ValueError: the model is in training mode.
        """
        self.model = _evaluating(model)
        self.sources = sources

    @torch.inference_mode()
    def start(self) -> PlainFrontier:
        """Run the encoder, then the decoder on `<s>`."""
        tokens = self.sources.new_full((len(self.sources), 1, 1), START_ID)
        return self._read(self.sources, self.model.encode(self.sources), tokens)

    @torch.inference_mode()
    def extend(
        self,
        after: PlainFrontier,
        parents: Int[Tensor, "sentence beam"],
        tokens: Int[Tensor, "sentence beam"],
    ) -> PlainFrontier:
        """Run the decoder on the parents' tokens and `tokens` after them."""
        past = after.tokens.gather(1, parents[..., None].expand(-1, -1, after.tokens.shape[-1]))
        return self._read(after.sources, after.memory, torch.cat([past, tokens[..., None]], dim=-1))

    def select(self, after: PlainFrontier, sentences: Sequence[int]) -> PlainFrontier:
        """The same frontier for these sentences only."""
        chosen = list(sentences)
        parts = (after.log_probs, after.sources, after.memory, after.tokens)
        return PlainFrontier(*(part[chosen] for part in parts))

    def _read(
        self,
        sources: Int[Tensor, "sentence source"],
        memory: Float[Tensor, "sentence source d_model"],
        tokens: Int[Tensor, "sentence beam position"],
    ) -> PlainFrontier:
        """One pass of the decoder over all tokens of each hypothesis, as if it were a sentence of its own."""
        n_beam, n_positions = tokens.shape[1:]
        rows = tokens.flatten(0, 1)  # [sentence · beam, position]
        may_look_across = padding_mask(sources, n_positions, PAD_ID).repeat_interleave(n_beam, dim=0)
        may_look_back = look_ahead_mask(n_positions, rows.device)
        if not self.model.config.look_ahead_mask:
            may_look_back = torch.ones_like(may_look_back)
        hidden = self.model.decoder(
            self.model.target_embedding(rows),
            self.model.decoder.keys_values(memory.repeat_interleave(n_beam, dim=0)),
            may_look_back.expand(len(rows), -1, -1),
            may_look_across,
        )
        log_probs = self.model.head(hidden[:, -1:])  # [sentence · beam, 1, vocab]
        return PlainFrontier(log_probs.view(*tokens.shape[:2], -1), sources, memory, tokens)


@source_of.register
def _(
    model: Transformer, sources: Int[Tensor, "sentence source"], *, anew: bool = False
) -> CachedModel | PlainModel:
    """With a cache, unless it has no look-ahead mask: then every token changes what is before it."""
    kind = PlainModel if anew or not model.config.look_ahead_mask else CachedModel
    return kind(model, sources)
