"""Changes of what flows around attention: words, positions, residual additions, layer norms."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from explainer.capture.interventions import Memory
from explainer.capture.record import Intervention
from explainer.config import TransformerConfig
from explainer.whatif.change import Change, ImpossibleError, Lengths, counted

SIDES = {"source": "English", "target": "German"}
SUBLAYERS = {
    "self_attention": "self-attention",
    "cross_attention": "cross-attention",
    "feed_forward": "feed-forward",
}
_SUBLAYER = re.compile(r"(encoder|decoder)\.(\d+)\.(\w+)")


@dataclass(frozen=True)
class NoPositions(Change):
    """Nothing says where a token stands: PE is 0 on one side."""

    code = "unplaced"
    side: str

    @property
    def arguments(self) -> tuple[str, ...]:
        return (self.side,)

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        (side,) = arguments
        if side not in SIDES:
            raise ValueError(f"{side!r}: expected one of {', '.join(SIDES)}")
        return cls(side)

    def words(self, piece: Callable[[int], str]) -> str:
        return f"no positions: {SIDES[self.side]} side"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        return {f"{self.side}_embedding.hook_position": torch.zeros_like}


@dataclass(frozen=True)
class _AtSublayer(Change):
    side: str  # "encoder" or "decoder"
    layer: int
    sublayer: str

    @property
    def arguments(self) -> tuple[str, ...]:
        return (f"{self.side}.{self.layer + 1}.{self.sublayer}",)

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        (text,) = arguments
        found = _SUBLAYER.fullmatch(text)
        if not found or found[3] not in SUBLAYERS or (found[1], found[3]) == ("encoder", "cross_attention"):
            raise ValueError(f"{text!r}: expected encoder or decoder, layer, sublayer")
        return cls(found[1], counted(found[2]), found[3])

    @property
    def place(self) -> str:
        """In words."""
        return f"{self.side} layer {self.layer + 1}, {SUBLAYERS[self.sublayer]}"

    @property
    def residual(self) -> str:
        """Module path."""
        return f"{self.side}.layers.{self.layer}.{self.sublayer}_residual"

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        n_layers = config.n_encoder_layers if self.side == "encoder" else config.n_decoder_layers
        if self.layer >= n_layers:
            raise ImpossibleError(f"there is no layer {self.layer + 1} in the {self.side}: 1 to {n_layers}")


@dataclass(frozen=True)
class NoResidual(_AtSublayer):
    """The sublayer's output replaces the stream instead of being added to it."""

    code = "unadded"

    def words(self, piece: Callable[[int], str]) -> str:
        return f"no residual: {self.place}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        memory = Memory()
        return {
            f"{self.residual}.hook_update": memory.remember,
            f"{self.residual}.hook_sum": memory.instead,
        }


@dataclass(frozen=True)
class NoNorm(_AtSublayer):
    """The layer norm passes its input through."""

    code = "unnormed"

    def words(self, piece: Callable[[int], str]) -> str:
        return f"no layer norm: {self.place}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        memory = Memory()
        return {
            f"{self.residual}.norm.hook_x": memory.remember,
            f"{self.residual}.norm.hook_output": memory.instead,
        }


@dataclass(frozen=True)
class Replace(Change):
    """Another vocabulary entry's embedding stands at one place of the source."""

    code = "replace"
    position: int
    token: int

    @property
    def arguments(self) -> tuple[str, ...]:
        return str(self.position + 1), str(self.token)

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        position, token = arguments
        if not (token.isascii() and token.isdigit() and len(token) < 10):
            raise ValueError(f"{token[:20]!r}: expected a token id")
        return cls(counted(position), int(token))

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        check_word(self.position, lengths)
        if not 3 <= self.token < config.vocab_size:
            raise ImpossibleError(
                f"token {self.token} cannot stand in a sentence: 3 to {config.vocab_size - 1} can"
            )

    def words(self, piece: Callable[[int], str]) -> str:
        return f"embedding {self.position + 1} is that of “{piece(self.token).strip()}”"

    def edited(self, source_ids: list[int]) -> list[int]:
        changed = list(source_ids)
        changed[self.position] = self.token
        return changed


@dataclass(frozen=True)
class Swap(Change):
    """Two tokens of the source change places."""

    code = "swap"
    one: int
    other: int

    @property
    def arguments(self) -> tuple[str, ...]:
        return (f"{self.one + 1}.{self.other + 1}",)

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        (text,) = arguments
        one, other = text.split(".")
        return cls(counted(one), counted(other))

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        check_word(self.one, lengths)
        check_word(self.other, lengths)
        if self.one == self.other:
            raise ImpossibleError(f"token {self.one + 1} cannot be swapped with itself")

    def words(self, piece: Callable[[int], str]) -> str:
        return f"tokens {self.one + 1} and {self.other + 1} swapped"

    def edited(self, source_ids: list[int]) -> list[int]:
        changed = list(source_ids)
        changed[self.one], changed[self.other] = changed[self.other], changed[self.one]
        return changed


def check_word(position: int, lengths: Lengths) -> None:
    """Raise ImpossibleError if the source has no token there; `</s>`, its last, stays where it is."""
    if position >= lengths.source - 1:
        raise ImpossibleError(f"there is no token {position + 1} before </s>: 1 to {lengths.source - 1}")
