"""A listener that counts what a search computes, and a stopwatch for its steps."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from explainer.capture.record import Intervention, Recorder
from explainer.equations.output import LOGIT
from explainer.measures.anatomy import KINDS, Kind, cross_weights, place_of
from explainer.model.hooks import HookPoint, hook_names
from explainer.model.transformer import Transformer

LETTERS = ("Q", "K", "V")
_PROJECTIONS = tuple(f"attention.hook_{letter.lower()}" for letter in LETTERS)


@dataclass(frozen=True)
class Work:
    """What one step computed.

    Attributes:
        rows: How many rows were multiplied by W_Q, W_K, W_V: by kind of attention and letter, over all its layers.
        seconds: How long the step took on this machine.
    """

    rows: Mapping[tuple[Kind, str], int]
    seconds: float


class Meter(Recorder):
    """Listens to a search: counts the rows of each projection, keeps the last logits and cross-attention."""

    def __init__(self, model: Transformer, interventions: Mapping[str, Intervention] | None = None) -> None:
        super().__init__(model, _is_watched, interventions)
        self.rows: Counter[tuple[Kind, str]] = Counter()
        self._projections: dict[HookPoint, tuple[Kind, str]] = {
            hook: (place[0], name[-1].upper())
            for name, hook in hook_names(model).items()
            if name.endswith(_PROJECTIONS) and (place := place_of(name))
        }

    def hear(self, hook: HookPoint, value: Tensor) -> Tensor:
        """As a `Recorder` does, and count: Q, K and V are [batch, head, row, d_head]."""
        if hook in self._projections:
            self.rows[self._projections[hook]] += value.shape[0] * value.shape[2]
        return super().hear(hook, value)

    def across(self) -> Float[np.ndarray, "layer head source"]:
        """The newest row of cross-attention in every layer."""
        weights = [value[0, :, -1] for name, value in self.heard.items() if cross_weights(name)]
        return torch.stack(weights).numpy(force=True)

    def logits(self) -> Float[np.ndarray, " vocab"]:
        """Of the newest row."""
        return self.heard[LOGIT].flatten(0, -2)[-1].numpy(force=True)

    def taken(self, seconds: float) -> Work:
        """What was counted since the last call."""
        rows: dict[tuple[Kind, str], int] = {
            (kind, letter): self.rows[kind, letter] for kind in KINDS for letter in LETTERS
        }
        self.rows.clear()
        return Work(rows, seconds)


def _is_watched(name: str) -> bool:
    return name == LOGIT or cross_weights(name) or name.endswith(_PROJECTIONS)
