"""Models that the package does not know, built of its parts under attribute names of their own."""

from typing import cast

import torch
from torch import Tensor, nn

from explainer.model.attention import MultiHeadAttention
from explainer.model.blocks import FeedForward, Residual
from explainer.model.config import TransformerConfig
from explainer.model.embedding import InputEmbedding
from explainer.model.transformer import OutputHead


class OnlyEncoder(nn.Module):
    """A foreign model: an encoder alone, with attribute names of its own."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        table = nn.Parameter(torch.randn(config.vocab_size, config.d_model))
        self.words, self.says = InputEmbedding(config, table), OutputHead(table)
        self.looks = nn.ModuleList(MultiHeadAttention(config) for _ in range(2))
        self.adds = nn.ModuleList(Residual(config) for _ in range(2))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.says(self.stack(self.words(tokens), self.mask(tokens)))

    def stack(self, x: Tensor, may_attend: Tensor) -> Tensor:
        looks, adds = cast(list[MultiHeadAttention], self.looks), cast(list[Residual], self.adds)
        for look, add in zip(looks, adds, strict=True):
            x = add(x, lambda h, look=look: look(h, look.keys_values(h), may_attend))
        return x

    def mask(self, tokens: Tensor) -> Tensor:
        return torch.ones(len(tokens), tokens.shape[1], tokens.shape[1], dtype=torch.bool)


class OnlyDecoder(OnlyEncoder):
    """The same, each position looking back only, with a feed-forward layer at the end."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.last = FeedForward(config)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.says(self.stack(self.last(self.words(tokens)), self.mask(tokens)))

    def mask(self, tokens: Tensor) -> Tensor:
        return super().mask(tokens).tril()
