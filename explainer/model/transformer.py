"""The encoder-decoder Transformer (Vaswani et al. 2017, Figure 1)."""

from collections.abc import Callable, Sequence
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from explainer.model.attention import KeysValues
from explainer.model.blocks import DecoderLayer, EncoderLayer, LayerNorm
from explainer.model.config import TransformerConfig
from explainer.model.embedding import input_embedding
from explainer.model.families import register_family
from explainer.model.hooks import HookPoint
from explainer.model.masks import decoder_mask, padding_mask, unordered_mask
from explainer.text.tokenizer import PAD_ID


class Encoder(nn.Module):
    """Read the source: N layers, each position looks at all others."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_encoder_layers))
        self.norm = LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()
        self.hook_memory = HookPoint()

    def forward(
        self, x: Float[Tensor, "batch source d_model"], may_attend: Bool[Tensor, "batch source source"]
    ) -> Float[Tensor, "batch source d_model"]:
        """Return the memory that the decoder's cross-attention reads."""
        for layer in self.layers:
            x = layer(x, may_attend)
        return self.hook_memory(self.norm(x))


class Decoder(nn.Module):
    """Write the target: N layers, each position looks back at the target and across at the memory."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_decoder_layers))
        self.norm = LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()
        self.hook_final = HookPoint()

    def keys_values(self, memory: Float[Tensor, "batch source d_model"]) -> list[KeysValues]:
        """Every layer makes its own K and V of the same memory."""
        layers = cast(list[DecoderLayer], self.layers)
        return [layer.cross_attention.keys_values(memory) for layer in layers]

    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        memory: list[KeysValues],
        may_look_back: Bool[Tensor, "batch target past"],
        may_look_across: Bool[Tensor, "batch target source"],
        extend: Sequence[Callable[[KeysValues], KeysValues]] | None = None,
    ) -> Float[Tensor, "batch target d_model"]:
        """Return what the output head makes logits of; with the newest tokens alone, `extend` adds past K, V."""
        for layer, keys_values, *cached in zip(
            self.layers, memory, *([extend] if extend else []), strict=True
        ):
            x = layer(x, keys_values, may_look_back, may_look_across, *cached)
        return self.hook_final(self.norm(x))


class OutputHead(nn.Module):
    """logits = x Wᵀ, log p = log softmax(logits). W is the embedding table when weights are tied (§3.4)."""

    def __init__(self, table: nn.Parameter) -> None:
        super().__init__()
        self.table = table  # W: [vocab, d_model]
        self.hook_x = HookPoint()
        self.hook_logits = HookPoint()
        self.hook_log_probs = HookPoint()

    def forward(self, x: Float[Tensor, "batch target d_model"]) -> Float[Tensor, "batch target vocab"]:
        """Log-probabilities (nats) of every token of the vocabulary."""
        return self.hook_log_probs(self.hook_logits(self.hook_x(x) @ self.table.T).log_softmax(dim=-1))


class Transformer(nn.Module):
    """p(target | source), one factor per target position."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        source, target, output = self.tables(config)
        self.source_embedding = input_embedding(config, source)
        self.encoder = Encoder(config)
        self.target_embedding = input_embedding(config, target)
        self.decoder = Decoder(config)
        self.head = OutputHead(output)
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1 and not name.endswith("table"):
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    @staticmethod
    def tables(config: TransformerConfig) -> tuple[nn.Parameter, nn.Parameter, nn.Parameter]:
        """Source, target and output embeddings: three names for one matrix when tied. Entries ~ N(0, 1/d_model)."""
        count = 1 if config.tie_embeddings else 3
        size = (config.vocab_size, config.d_model)
        made = [nn.Parameter(torch.randn(size) * config.d_model**-0.5) for _ in range(count)]
        return (made * 3)[0], (made * 3)[1], (made * 3)[2]

    @property
    def is_causal(self) -> bool:
        """Whether no row of the decoder sees a later one."""
        return self.config.look_ahead_mask

    def encode(self, source: Int[Tensor, "batch source"]) -> Float[Tensor, "batch source d_model"]:
        """Run the encoder once; every decoding step reads this memory."""
        may_attend = padding_mask(source, source.shape[1], PAD_ID)
        return self.encoder(self.source_embedding(source), may_attend)

    def hidden(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target d_model"]:
        """The decoder's output vectors, of which `head` makes log-probabilities."""
        memory = self.decoder.keys_values(self.encode(source))
        may_look_across = padding_mask(source, target.shape[1], PAD_ID)
        return self.decoder(
            self.target_embedding(target), memory, self.may_look_back(target), may_look_across
        )

    def may_look_back(self, target: Int[Tensor, "batch target"]) -> Bool[Tensor, "batch query key"]:
        """Who may attend to whom in the decoder: what is before, unless the model was built without that mask."""
        return (decoder_mask if self.config.look_ahead_mask else unordered_mask)(target, PAD_ID)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocab"]:
        """Teacher forcing: row t holds log p(next token | target tokens 0 … t, source), all rows at once.

        `source` ends in `</s>`, `target` begins with `<s>`; both are padded at the end with `<pad>`.
        """
        return self.head(self.hidden(source, target))


register_family("transformer", TransformerConfig, Transformer)
