"""Token embeddings, scaled and given a position (Vaswani et al. 2017, §3.4 and §3.5)."""

import math

from jaxtyping import Float, Int
from torch import Tensor, nn

from explainer.model.config import TransformerConfig
from explainer.model.dropout import Dropout
from explainer.model.hooks import HookPoint
from explainer.model.positions import Positions


class InputEmbedding(nn.Module):
    """X = √d_model · E[tokens] + PE, where PE is a table of its own (or zero)."""

    def __init__(self, config: TransformerConfig, table: nn.Parameter) -> None:
        super().__init__()
        self.table = table  # E: [vocab, d_model]
        self.scale = math.sqrt(config.d_model)
        self.positions = Positions(config)
        self.dropout = Dropout(config.dropout)
        self.hook_token = HookPoint()  # E[tokens]
        self.hook_scaled = HookPoint()  # √d_model · E[tokens]
        self.hook_position = HookPoint()  # PE, the same for every sentence of the batch
        self.hook_sum = HookPoint()  # X, before dropout

    def forward(
        self, tokens: Int[Tensor, "batch position"], first: int = 0
    ) -> Float[Tensor, "batch position d_model"]:
        """Return X. `first` is the position of the first token: not 0 when a decoder goes on from a cache."""
        scaled = self.hook_scaled(self.hook_token(nn.functional.embedding(tokens, self.table)) * self.scale)
        position = self.hook_position(self.positions(first, tokens.shape[1]).expand_as(scaled))
        return self.dropout(self.hook_sum(scaled + position))


class SinusoidalEmbedding(InputEmbedding):
    """The same with the sinusoids of §3.5 as PE: these have a formula."""


def input_embedding(config: TransformerConfig, table: nn.Parameter) -> InputEmbedding:
    """The embedding that the configuration asks for, with this table E."""
    return (SinusoidalEmbedding if config.positions == "sinusoidal" else InputEmbedding)(config, table)
