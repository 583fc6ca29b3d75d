"""Independent implementations with our weights in them: what our model must agree with.

The traps are in shared/PERFORMANCE.md: torch's Transformer adds a norm after each post-norm stack and its masks are
True = masked; Marian orders its sinusoids differently and has its own defaults.
"""

import warnings
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from transformers import MarianConfig, MarianMTModel

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID, PAD_ID, START_ID


def random_model(*, spread: float = 1.0, seed: int = 0, **fields: Any) -> Transformer:
    """A small model with random weights, in eval mode.

    Args:
        spread: Factor on the embeddings: the larger, the more peaked the predictions.
        seed: Two models of one seed and one configuration are equal.
        **fields: Of the configuration; the others are tiny.
    """
    tiny: dict[str, Any] = {
        "vocab_size": 50,
        "d_model": 32,
        "n_heads": 4,
        "d_ff": 64,
        "n_encoder_layers": 2,
        "n_decoder_layers": 2,
    }
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(**(tiny | fields))).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias") or "norm.weight" in name:
                parameter.add_(0.1 * torch.randn_like(parameter))  # so that a forgotten one is noticed
            elif name.endswith("embedding.table") or name == "head.table":
                parameter.mul_(spread)
        last: Any = (
            model.decoder if model.config.norm == "pre" else model.decoder.layers[-1].feed_forward_residual
        )
        last.norm.weight.normal_()  # without it tied embeddings make every token predict itself
    return model.requires_grad_(False)


def random_sources(*lengths: int, vocab_size: int = 50, seed: int = 0) -> Int[Tensor, "batch source"]:
    """Random sentences of these lengths in one batch, each ending in `</s>`, padded at the end."""
    generator = torch.Generator().manual_seed(seed)
    batch = torch.full((len(lengths), max(lengths)), PAD_ID)
    for row, length in zip(batch, lengths, strict=True):
        row[: length - 1] = torch.randint(END_ID + 1, vocab_size, (length - 1,), generator=generator)
        row[length - 1] = END_ID
    return batch


def to_marian(model: Transformer) -> MarianMTModel:
    """The same function of source and target as Hugging Face's MarianMTModel (post-norm, sinusoidal, tied)."""
    config = model.config
    if (config.norm, config.positions, config.tie_embeddings) != ("post", "sinusoidal", True):
        raise ValueError(f"Marian is post-norm, sinusoidal and tied; this model is {config}")
    peer: Any = MarianMTModel(_marian_config(config)).eval().requires_grad_(False)
    peer.model.shared.weight.copy_(model.head.table)
    for stack in (peer.model.encoder, peer.model.decoder):
        stack.embed_positions.weight.copy_(model.source_embedding.positions.table)
    for ours, theirs in zip(model.encoder.layers, peer.model.encoder.layers, strict=True):
        _copy_attention(ours.self_attention, theirs.self_attn)
        _copy_linear(ours.self_attention_residual.norm, theirs.self_attn_layer_norm)
        _copy_feed_forward(ours, theirs)
    for ours, theirs in zip(model.decoder.layers, peer.model.decoder.layers, strict=True):
        _copy_attention(ours.self_attention, theirs.self_attn)
        _copy_linear(ours.self_attention_residual.norm, theirs.self_attn_layer_norm)
        _copy_attention(ours.cross_attention, theirs.encoder_attn)
        _copy_linear(ours.cross_attention_residual.norm, theirs.encoder_attn_layer_norm)
        _copy_feed_forward(ours, theirs)
    return peer


def _marian_config(config: TransformerConfig) -> MarianConfig:
    return MarianConfig(
        vocab_size=config.vocab_size,
        decoder_vocab_size=config.vocab_size,
        d_model=config.d_model,
        encoder_layers=config.n_encoder_layers,
        decoder_layers=config.n_decoder_layers,
        encoder_attention_heads=config.n_heads,
        decoder_attention_heads=config.n_heads,
        encoder_ffn_dim=config.d_ff,
        decoder_ffn_dim=config.d_ff,
        max_position_embeddings=config.max_positions,
        activation_function="relu",
        scale_embedding=True,
        dropout=config.dropout,
        pad_token_id=PAD_ID,
        bos_token_id=START_ID,
        eos_token_id=END_ID,
        decoder_start_token_id=START_ID,
        forced_eos_token_id=None,
    )


def _copy_linear(ours: Any, theirs: Any) -> None:
    theirs.weight.copy_(ours.weight)
    theirs.bias.copy_(ours.bias)


def _copy_attention(ours: Any, theirs: Any) -> None:
    _copy_linear(ours.query, theirs.q_proj)
    _copy_linear(ours.key, theirs.k_proj)
    _copy_linear(ours.value, theirs.v_proj)
    _copy_linear(ours.output, theirs.out_proj)


def _copy_feed_forward(ours: Any, theirs: Any) -> None:
    _copy_linear(ours.feed_forward.inner, theirs.fc1)
    _copy_linear(ours.feed_forward.outer, theirs.fc2)
    _copy_linear(ours.feed_forward_residual.norm, theirs.final_layer_norm)


class TorchPeer(nn.Module):
    """The same function of source and target, by `torch.nn.Transformer`."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        config = model.config
        self.embed = nn.Embedding.from_pretrained(model.source_embedding.table)
        self.embed_target = nn.Embedding.from_pretrained(model.target_embedding.table)
        self.table = model.head.table
        self.positions = model.source_embedding.positions.table, model.target_embedding.positions.table
        self.scale = config.d_model**0.5
        self.transformer = _torch_transformer(config)
        with torch.no_grad():
            self._copy(model)
        self.eval().requires_grad_(False)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocab"]:
        """Log-probabilities, as `Transformer.forward` returns them."""
        source_padding, target_padding = source == PAD_ID, target == PAD_ID
        n_target = target.shape[1]
        out = self.transformer(
            self.embed(source) * self.scale + self.positions[0][: source.shape[1]],
            self.embed_target(target) * self.scale + self.positions[1][:n_target],
            tgt_mask=torch.ones(n_target, n_target, dtype=torch.bool).triu(1),
            src_key_padding_mask=source_padding,
            tgt_key_padding_mask=target_padding,
            memory_key_padding_mask=source_padding,
        )
        return (out @ self.table.T).log_softmax(dim=-1)

    def _copy(self, model: Transformer) -> None:
        encoder, decoder = self.transformer.encoder, self.transformer.decoder
        for ours, theirs in zip(model.encoder.layers, encoder.layers, strict=True):
            _pack_attention(ours.self_attention, theirs.self_attn)
            _copy_feed_forward_torch(ours, theirs)
            _copy_norms(theirs, ours.self_attention_residual, ours.feed_forward_residual)
        for ours, theirs in zip(model.decoder.layers, decoder.layers, strict=True):
            _pack_attention(ours.self_attention, theirs.self_attn)
            _pack_attention(ours.cross_attention, theirs.multihead_attn)
            _copy_feed_forward_torch(ours, theirs)
            _copy_norms(
                theirs,
                ours.self_attention_residual,
                ours.cross_attention_residual,
                ours.feed_forward_residual,
            )
        if model.config.norm == "pre":
            _copy_linear(model.encoder.norm, encoder.norm)
            _copy_linear(model.decoder.norm, decoder.norm)


def _torch_transformer(config: TransformerConfig) -> nn.Transformer:
    pre_norm = config.norm == "pre"
    sizes = (config.d_model, config.n_heads, config.d_ff)
    options: dict[str, Any] = {"batch_first": True, "norm_first": pre_norm}

    def final() -> nn.Module | None:  # torch adds one after a post-norm stack, too; the paper does not
        return nn.LayerNorm(config.d_model) if pre_norm else None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about nested tensors, which nobody asked for
        encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(*sizes, **options),
            config.n_encoder_layers,
            final(),
            enable_nested_tensor=False,
        )
        decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(*sizes, **options), config.n_decoder_layers, final()
        )
        return nn.Transformer(*sizes[:2], custom_encoder=encoder, custom_decoder=decoder, batch_first=True)


def _pack_attention(ours: Any, theirs: Any) -> None:
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    _copy_linear(ours.output, theirs.out_proj)


def _copy_feed_forward_torch(ours: Any, theirs: Any) -> None:
    _copy_linear(ours.feed_forward.inner, theirs.linear1)
    _copy_linear(ours.feed_forward.outer, theirs.linear2)


def _copy_norms(theirs: Any, *ours: Any) -> None:
    for number, residual in enumerate(ours, start=1):
        _copy_linear(residual.norm, getattr(theirs, f"norm{number}"))
