"""The Transformer as a source of next-token log-probabilities: with a key/value cache, and without one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from explainer.decode.prefixes import Frontier
from explainer.model.attention import KeysValues
from explainer.model.masks import look_ahead_mask, padding_mask
from explainer.model.transformer import PAD_ID, START_ID, Transformer


class NodeCache:
    """Keys and values of every token that was read: the nodes of the search tree, layer by layer.

    Nodes are only ever added, so any frontier can be extended again. A hypothesis attends to the nodes that it
    consists of; the other branches are masked. That costs what reordering a cache at every step would.
    """

    def __init__(self, memory: list[KeysValues], sources: Int[Tensor, "sentence source"]) -> None:
        """Make an empty cache.

        Args:
            memory: K and V of each decoder layer's cross-attention.
            sources: The source sentences, for their padding.
        """
        self.memory = memory
        self.sources = sources
        self.may_look_across = padding_mask(sources, 1, PAD_ID)
        self.n_nodes = 0
        self.nodes = [KeysValues(keys[:, :, :0], values[:, :, :0]) for keys, values in memory]

    def add(self, n_new: int) -> list[Callable[[KeysValues], KeysValues]]:
        """Make room for `n_new` nodes of each sentence.

        Returns:
            For each layer a function that takes the new nodes' keys and values and returns those of all nodes.
        """
        first, last = self.n_nodes, self.n_nodes + n_new
        self.n_nodes = last
        capacity = self.nodes[0].keys.shape[2]
        if last > capacity:
            self.nodes = [self._grown(layer, max(2 * capacity, 16 * n_new)) for layer in self.nodes]

        def store(layer: KeysValues) -> Callable[[KeysValues], KeysValues]:
            def extend(new: KeysValues) -> KeysValues:
                layer.keys[:, :, first:last] = new.keys
                layer.values[:, :, first:last] = new.values
                return KeysValues(layer.keys[:, :, :last], layer.values[:, :, :last])

            return extend

        return [store(layer) for layer in self.nodes]

    def select(self, sentences: Sequence[int]) -> "NodeCache":
        """A cache of these sentences only."""
        rows = torch.tensor(sentences, device=self.sources.device)
        chosen = NodeCache([_of_sentences(layer, rows) for layer in self.memory], self.sources[rows])
        chosen.nodes = [_of_sentences(layer, rows) for layer in self.nodes]
        chosen.n_nodes = self.n_nodes
        return chosen

    @staticmethod
    def _grown(layer: KeysValues, capacity: int) -> KeysValues:
        sentences, heads, used, d_head = layer.keys.shape
        larger = KeysValues(*(part.new_empty(sentences, heads, capacity, d_head) for part in layer))
        for old, new in zip(layer, larger, strict=True):
            new[:, :, :used] = old
        return larger


def _of_sentences(layer: KeysValues, rows: Tensor) -> KeysValues:
    return KeysValues(layer.keys[rows], layer.values[rows])


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
        """Prepare to translate `sources`: each ends in `</s>`, all are padded to one length."""
        self.model = model
        self.sources = sources

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
        self, after: CachedFrontier, parents: Int[Tensor, "sentence beam"], tokens: Int[Tensor, "sentence beam"]
    ) -> CachedFrontier:
        """Run the decoder on `tokens`, which attend to the nodes of their parents and to themselves."""
        n_nodes, n_new = after.cache.n_nodes, tokens.shape[1]
        past = after.nodes.gather(1, parents[..., None].expand(-1, -1, after.nodes.shape[-1]))
        nodes = past.new_zeros(*tokens.shape, n_nodes + n_new)
        nodes[..., : past.shape[-1]] = past
        nodes[..., n_nodes:].diagonal(dim1=1, dim2=2).fill_(True)
        return self._read(after.cache, tokens, nodes, after.n_read)

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
        x = self.model.target_embedding(tokens.reshape(-1, 1), first=n_read)  # [sentence · beam, 1, d_model]
        x = x.view(*tokens.shape, -1)
        may_look_across = cache.may_look_across.expand(-1, tokens.shape[1], -1)
        hidden = self.model.decoder(x, cache.memory, nodes, may_look_across, cache.add(tokens.shape[1]))
        return CachedFrontier(self.model.head(hidden), cache, nodes, n_read + 1)


@dataclass(frozen=True, eq=False)
class PlainFrontier(Frontier):
    """Attributes beyond `log_probs`: the sources, their memory, each hypothesis's tokens from `<s>` on."""

    sources: Int[Tensor, "sentence source"]
    memory: Float[Tensor, "sentence source d_model"]
    tokens: Int[Tensor, "sentence beam position"]


class PlainModel:
    """Feeds every hypothesis from its first token at every step, as the equations are written; slow."""

    def __init__(self, model: Transformer, sources: Int[Tensor, "sentence source"]) -> None:
        """Prepare to translate `sources`: each ends in `</s>`, all are padded to one length."""
        self.model = model
        self.sources = sources

    @torch.inference_mode()
    def start(self) -> PlainFrontier:
        """Run the encoder, then the decoder on `<s>`."""
        tokens = self.sources.new_full((len(self.sources), 1, 1), START_ID)
        return self._read(self.sources, self.model.encode(self.sources), tokens)

    @torch.inference_mode()
    def extend(
        self, after: PlainFrontier, parents: Int[Tensor, "sentence beam"], tokens: Int[Tensor, "sentence beam"]
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
        hidden = self.model.decoder(
            self.model.target_embedding(rows),
            self.model.decoder.keys_values(memory.repeat_interleave(n_beam, dim=0)),
            look_ahead_mask(n_positions, rows.device).expand(len(rows), -1, -1),
            may_look_across,
        )
        log_probs = self.model.head(hidden[:, -1:])  # [sentence · beam, 1, vocab]
        return PlainFrontier(log_probs.view(*tokens.shape[:2], -1), sources, memory, tokens)
