"""The same words in another order: what the encoder makes of them with positions, and without.

Without positions a Transformer encoder is permutation-equivariant: attention is a sum over keys in any order, and all
else acts on each token alone. So the vectors come out the same, only in the other order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from explainer.capture.record import record
from explainer.measures.anatomy import MEMORY
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID
from explainer.whatif.changes import compiled
from explainer.whatif.stream import NoPositions


@dataclass(frozen=True)
class Memories:
    """The encoder's output of tokens as typed (`</s>` last), and of them shuffled, the shuffle undone afterwards."""

    typed: Float[np.ndarray, "token d_model"]
    shuffled: Float[np.ndarray, "token d_model"]

    @property
    def difference(self) -> Float[np.ndarray, "token d_model"]:
        """Shuffled − typed."""
        return self.shuffled - self.typed

    @property
    def largest(self) -> float:
        """Max |Δ| over all tokens and dimensions."""
        return float(np.abs(self.difference).max())


@dataclass(frozen=True)
class OrderTest:
    """What another order changes, with positions and without."""

    with_positions: Memories
    without_positions: Memories


def order_test(model: Transformer, ids: Sequence[int], order: Sequence[int]) -> OrderTest:
    """Encode tokens (without `</s>`: it stays last in both orders) in two orders, with and without positions.

    Place k of the shuffled sentence holds token `order[k]`, from 0.

    Raises:
        ValueError: `order` is no permutation of the tokens.
    """
    if sorted(order) != list(range(len(ids))):
        raise ValueError(f"{list(order)}: not a permutation of {len(ids)} tokens")
    places = [*order, len(ids)]  # `</s>` stays
    undo = np.argsort(places)
    shuffled = [ids[place] for place in order]
    pairs = [
        Memories(_memory(model, ids, placed=placed), _memory(model, shuffled, placed=placed)[undo])
        for placed in (True, False)
    ]
    return OrderTest(*pairs)


def shuffled_order(count: int, seed: int) -> tuple[int, ...]:
    """A permutation of `count` places that leaves the order as it was only where there is no other one."""
    draws = np.random.default_rng(seed)
    order = draws.permutation(count)
    while count > 1 and (order == np.arange(count)).all():
        order = draws.permutation(count)
    return tuple(order.tolist())


def _memory(model: Transformer, ids: Sequence[int], *, placed: bool) -> np.ndarray:
    changes = {} if placed else compiled((NoPositions("source"),), model)
    source = torch.tensor([[*ids, END_ID]])
    return record(model, source, wanted=MEMORY.__eq__, interventions=changes, run=model.encode)[MEMORY]
