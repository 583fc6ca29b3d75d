"""The blocks of encoder and decoder: residual additions, layer norm, feed-forward (Vaswani et al. 2017, §3.1, §3.3)."""

from collections.abc import Callable

from jaxtyping import Bool, Float
from torch import Tensor, nn

from explainer.model.attention import KeysValues, MultiHeadAttention
from explainer.model.config import TransformerConfig
from explainer.model.dropout import Dropout
from explainer.model.hooks import HookPoint, heard, listened_to
from explainer.model.linear import Linear


class LayerNorm(nn.LayerNorm):
    """(x − mean) / √(biased variance + ε) · gain + bias, per token over its d_model features (Ba et al. 2016)."""

    def __init__(self, d_model: int) -> None:
        super().__init__(d_model)
        self.hook_x = HookPoint()
        self.hook_mean = HookPoint()  # one number per token
        self.hook_scale = HookPoint()  # √(variance + ε), one number per token
        self.hook_normalized = HookPoint()  # (x − mean) / scale
        self.hook_output = HookPoint()  # normalized · gain + bias

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]: x, as in the equation
        self, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Normalise each token's vector."""
        x = self.hook_x(x)
        if not (listened_to() and heard(self.hook_mean, self.hook_scale, self.hook_normalized)):
            return self.hook_output(super().forward(x))
        mean = self.hook_mean(x.mean(dim=-1, keepdim=True))
        scale = self.hook_scale((x.var(dim=-1, correction=0, keepdim=True) + self.eps).sqrt())
        return self.hook_output(self.hook_normalized((x - mean) / scale) * self.weight + self.bias)


class FeedForward(nn.Module):
    """FFN(x) = max(0, x W₁ + b₁) W₂ + b₂, the same at every position (eq. 2)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.inner = Linear(config.d_model, config.d_ff)
        self.outer = Linear(config.d_ff, config.d_model)
        self.hook_x = HookPoint()
        self.hook_pre = HookPoint()  # x W₁ + b₁
        self.hook_post = HookPoint()  # max(0, …)
        self.hook_output = HookPoint()

    def forward(self, x: Float[Tensor, "batch position d_model"]) -> Float[Tensor, "batch position d_model"]:
        """Apply the two layers to each position."""
        return self.hook_output(self.outer(self.hook_post(self.hook_pre(self.inner(self.hook_x(x))).relu())))


class Residual(nn.Module):
    """Add a sublayer to the residual stream: norm(x + f(x)) as in the paper, or x + f(norm(x)) for pre-norm."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.norm = LayerNorm(config.d_model)
        self.dropout = Dropout(config.dropout)
        self.hook_before = HookPoint()  # x
        self.hook_update = HookPoint()  # f(·), what the sublayer adds
        self.hook_sum = HookPoint()  # x + f(·)
        self.hook_after = HookPoint()  # what the next sublayer receives

    def forward(
        self, x: Float[Tensor, "batch position d_model"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the residual stream after `sublayer`."""
        x = self.hook_before(x)
        if self.pre_norm:
            update = self.hook_update(self.dropout(sublayer(self.norm(x))))
            return self.hook_after(self.hook_sum(x + update))
        update = self.hook_update(self.dropout(sublayer(x)))
        return self.hook_after(self.norm(self.hook_sum(x + update)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each added to the residual stream."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.self_attention_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config)
        self.hook_resid_pre = HookPoint()
        self.hook_resid_post = HookPoint()

    def forward(
        self, x: Float[Tensor, "batch position d_model"], may_attend: Bool[Tensor, "batch position position"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the residual stream after this layer."""

        def look_around(h: Tensor) -> Tensor:
            return self.self_attention(h, self.self_attention.keys_values(h), may_attend)

        x = self.self_attention_residual(self.hook_resid_pre(x), look_around)
        return self.hook_resid_post(self.feed_forward_residual(x, self.feed_forward))


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention to the encoder's memory, feed-forward."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.self_attention_residual = Residual(config)
        self.cross_attention = MultiHeadAttention(config)
        self.cross_attention_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config)
        self.hook_resid_pre = HookPoint()
        self.hook_resid_post = HookPoint()

    def forward(
        self,
        x: Float[Tensor, "batch query d_model"],
        memory: KeysValues,
        may_look_back: Bool[Tensor, "batch query past"],
        may_look_across: Bool[Tensor, "batch query source"],
        extend: Callable[[KeysValues], KeysValues] = lambda new: new,
    ) -> Float[Tensor, "batch query d_model"]:
        """Return the residual stream after this layer for `x`: all positions, or the newest if the past is cached.

        `memory` is K and V that its cross-attention makes of the encoder's output; `extend` maps the keys and values
        of `x` to those of the past and `x` together.
        """

        def look_back(h: Tensor) -> Tensor:
            return self.self_attention(h, extend(self.self_attention.keys_values(h)), may_look_back)

        def look_across(h: Tensor) -> Tensor:
            return self.cross_attention(h, memory, may_look_across)

        x = self.self_attention_residual(self.hook_resid_pre(x), look_back)
        x = self.cross_attention_residual(x, look_across)
        return self.hook_resid_post(self.feed_forward_residual(x, self.feed_forward))
