"""Positions: what tells the model the order of the words (Vaswani et al. 2017, §3.5)."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from explainer.model.config import TransformerConfig


def sinusoidal_positions(n_positions: int, d_model: int) -> Float[Tensor, "position d_model"]:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same angle).

    `i` counts pairs of dimensions: 2i and 2i+1 share one frequency. Interleaved as in the paper; Tensor2Tensor
    puts all sines before all cosines.
    """
    positions = torch.arange(n_positions, dtype=torch.float64)[:, None]
    pairs = torch.arange(d_model // 2, dtype=torch.float64)[None]
    angles = positions / 10000 ** (2 * pairs / d_model)  # [position, pair]
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).float()


class Positions(nn.Module):
    """The vector that is added to the embedding of a token because of where it stands."""

    table: Tensor

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.max_positions = config.max_positions
        shape = (config.max_positions, config.d_model)
        if config.positions == "learned":
            self.table = nn.Parameter(torch.randn(shape) * 0.02)
        else:
            fixed = sinusoidal_positions(*shape) if config.positions == "sinusoidal" else torch.zeros(shape)
            self.register_buffer("table", fixed, persistent=False)

    def forward(self, first: int, count: int) -> Float[Tensor, "position d_model"]:
        """The vectors of positions first … first + count − 1, counted from 0.

        Raises:
            ValueError: the last position is beyond the table.
        """
        if first + count > self.max_positions:
            raise ValueError(f"{first + count} tokens: this model has positions for {self.max_positions}")
        return self.table[first : first + count]
