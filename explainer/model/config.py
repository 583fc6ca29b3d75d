"""Configurations: frozen, checked when made, saved as JSON beside the weights they describe."""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

NORMS = ("post", "pre")
POSITIONS = ("sinusoidal", "learned", "none")
MAX_STEP = 10**9 - 1  # of any training: nine digits name the folder of a saved step
# The largest sizes of a model: those of the largest published ones, so that a damaged file cannot fill the memory.
BOUNDS = {
    "vocab_size": 2**18, "d_model": 2**14, "n_heads": 2**10, "d_ff": 2**16, "n_encoder_layers": 100,
    "n_decoder_layers": 100, "max_positions": 2**13,
}  # fmt: skip


def _shown(value: object) -> str:
    """The value for a message; one of a file may have millions of digits."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:50]}… ({len(text):,} characters)"


def _between(name: str, value: float, low: float, high: float) -> None:
    if not value >= low:
        raise ValueError(f"{name} = {_shown(value)}: must be at least {low}")
    if not value <= high:
        raise ValueError(f"{name} = {_shown(value)}: must be at most {high}")


def one_of(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise ValueError naming the field, its value and the choices unless value is one of them."""
    if value not in choices:
        raise ValueError(f"{name} = {_shown(value)}: must be one of {', '.join(map(repr, choices))}")


def whole(name: str, value: object, low: int, high: float = math.inf) -> int:
    """The value, if it is a whole number from `low` to `high`; ValueError names the field, its value and the bound."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} = {_shown(value)}: must be a whole number")
    _between(name, value, low, high)
    return value


def real(name: str, value: object, low: float, high: float) -> float:
    """The value, if it is a number from `low` to `high`; ValueError names the field, its value and the bound."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"{name} = {_shown(value)}: must be a number")
    _between(name, value, low, high)
    return value


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """An encoder-decoder Transformer (Vaswani et al. 2017, Table 3 lists the same sizes for the paper's models).

    Attributes:
        vocab_size: Entries of the vocabulary that both languages share.
        d_model: Width of the residual stream.
        n_heads: Attention heads per layer; each works on d_head = d_model / n_heads dimensions.
        d_ff: Width of the feed-forward layer's hidden part.
        n_encoder_layers: Encoder layers; need not equal the decoder's.
        n_decoder_layers: Decoder layers.
        dropout: Probability of dropping an element of the embedded input and of each sublayer's output (§5.4).
        norm: "post" normalises after the residual addition (the paper), "pre" before the sublayer.
        positions: "sinusoidal" (§3.5), "learned" (a table), or "none".
        max_positions: Longest sequence in tokens.
        tie_embeddings: One matrix for source embedding, target embedding and output projection (§3.4).
        look_ahead_mask: Whether the decoder's self-attention hides later positions (§3.2.3). Without it a model reads
            in training what it shall predict: there is one to show that.
    """

    vocab_size: int
    d_model: int = 256
    n_heads: int = 4
    d_ff: int = 1024
    n_encoder_layers: int = 3
    n_decoder_layers: int = 3
    dropout: float = 0.1
    norm: Literal["post", "pre"] = "post"
    positions: Literal["sinusoidal", "learned", "none"] = "sinusoidal"
    max_positions: int = 512
    tie_embeddings: bool = True
    look_ahead_mask: bool = True

    def __post_init__(self) -> None:
        for name, most in BOUNDS.items():
            whole(name, getattr(self, name), 1, most)
        if not isinstance(self.dropout, int | float) or not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"dropout = {_shown(self.dropout)}: must be at least 0 and less than 1")
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model = {self.d_model}: must be a multiple of n_heads = {self.n_heads}")
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"d_model = {self.d_model}: must be even for sinusoidal positions")
        one_of("norm", self.norm, NORMS)
        one_of("positions", self.positions, POSITIONS)
        one_of("tie_embeddings", self.tie_embeddings, (True, False))
        one_of("look_ahead_mask", self.look_ahead_mask, (True, False))

    @property
    def d_head(self) -> int:
        """Width of one head, d_k = d_v in the paper."""
        return self.d_model // self.n_heads

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "TransformerConfig":
        """The configuration that `to_json` wrote; ValueError names a field that is unknown or missing."""
        known = {field.name for field in dataclasses.fields(cls)}
        for name in fields:
            one_of("field", name, tuple(sorted(known)))
        if "vocab_size" not in fields:
            raise ValueError("vocab_size: missing")
        return cls(**fields)

    def to_json(self) -> dict[str, Any]:
        """All fields as plain JSON values."""
        return dataclasses.asdict(self)

    def outline(self) -> tuple["TransformerConfig", dict[int, int]]:
        """The same build in tiny sizes, and for each length that an axis of its weights has the one it stands for."""
        tiny = {"d_model": 2, "vocab_size": 3, "d_ff": 5, "max_positions": 7}
        sizes = {small: getattr(self, name) for name, small in tiny.items()}
        return dataclasses.replace(self, n_heads=1, **tiny), sizes
