"""The key/value cache of a search: what was computed for each token that was read, never to be computed again."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from explainer.model.attention import KeysValues
from explainer.model.masks import padding_mask
from explainer.text.tokenizer import PAD_ID

_FIRST_CAPACITY = 32  # nodes; doubled when it is used up


class Places(NamedTuple):
    """One layer's part of the cache while a step adds to it.

    Attributes:
        nodes: Keys and values of all nodes, the new ones last.
        new: Those of the new nodes, which wait to be written.
    """

    nodes: KeysValues
    new: KeysValues

    def write(self, new: KeysValues) -> KeysValues:
        """Put keys and values where they are waited for; returns those of all nodes."""
        self.new.keys.copy_(new.keys)
        self.new.values.copy_(new.values)
        return self.nodes


class NodeCache:
    """Keys and values of every token that was read: the nodes of the search tree, layer by layer.

    Nodes are only ever added, so that any frontier can be extended again, unless a search goes back for good
    (`rewind`). A hypothesis attends to the nodes that it
    consists of; the other branches are masked. That costs what reordering a cache at every step would.
    """

    def __init__(self, memory: list[KeysValues], sources: Int[Tensor, "sentence source"]) -> None:
        """Make an empty cache.

        Args:
            memory: K and V of each decoder layer's cross-attention, computed once.
            sources: The source sentences, for their padding.
        """
        self.memory = memory
        self.sources = sources
        self.may_look_across = padding_mask(sources, 1, PAD_ID)  # [sentence, 1, source]
        self.is_padded = not bool(self.may_look_across.all())
        self.n_nodes = 0
        self._store = self._room(_FIRST_CAPACITY)

    def add(self, n_new: int) -> list[Places]:
        """Make room for `n_new` nodes of each sentence: the places in each layer."""
        first, self.n_nodes = self.n_nodes, self.n_nodes + n_new
        capacity = self._store.shape[3]
        if self.n_nodes > capacity:
            larger = self._room(max(2 * capacity, self.n_nodes))
            larger.narrow(3, 0, first).copy_(self._store.narrow(3, 0, first))
            self._store = larger
        every = self._store.narrow(3, 0, self.n_nodes).unbind()
        new = self._store.narrow(3, first, n_new).unbind()
        return [
            Places(KeysValues(*every[i : i + 2]), KeysValues(*new[i : i + 2]))
            for i in range(0, len(every), 2)
        ]

    def rewind(self, n_nodes: int) -> None:
        """Forget all nodes but the first `n_nodes`; frontiers that hold others must not be extended any more."""
        self.n_nodes = n_nodes

    @property
    def n_bytes(self) -> int:
        """What K and V of all nodes take, and those of the source."""
        per_node = self._store[:, :, :, :1].numel() * self._store.element_size()
        memory = sum(part.numel() * part.element_size() for layer in self.memory for part in layer)
        return self.n_nodes * per_node + memory

    def select(self, sentences: Sequence[int]) -> "NodeCache":
        """A cache of these sentences only."""
        rows = torch.tensor(sentences, device=self.sources.device)
        memory = [KeysValues(layer.keys[rows], layer.values[rows]) for layer in self.memory]
        chosen = NodeCache(memory, self.sources[rows])
        chosen._store = self._store[:, rows]
        chosen.n_nodes = self.n_nodes
        return chosen

    def _room(self, capacity: int) -> Float[Tensor, "layer_kv sentence head node d_head"]:
        """Space for K and V of each layer in turn, in memory in the order in which the projections write them."""
        sentences, heads, _, d_head = self.memory[0].keys.shape
        shape = (2 * len(self.memory), sentences, capacity, heads, d_head)
        return self.memory[0].keys.new_empty(shape).transpose(2, 3)
