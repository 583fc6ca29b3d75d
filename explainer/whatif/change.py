"""What every change has: a place, a text for the link, words for the visitor, and what it does to the pass."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from explainer.capture.record import Intervention
from explainer.config import TransformerConfig
from explainer.equations.places import KINDS, Kind, attention_path

KIND_WORDS: Mapping[str, str] = {
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "cross-attention",
}


class ImpossibleError(ValueError):
    """A change that cannot be made; the message says why and what can."""


@dataclass(frozen=True)
class Lengths:
    """How many tokens a change can point at: those of the source (with `</s>`) and of the decoder's input."""

    source: int
    target: int

    def rows(self, kind: Kind) -> int:
        """Queries of an attention of this kind."""
        return self.source if kind == "encoder" else self.target

    def columns(self, kind: Kind) -> int:
        """Keys of an attention of this kind."""
        return self.target if kind == "decoder" else self.source


class Change:
    """One "What if?". Subclasses are frozen dataclasses, so that equal changes are equal."""

    code: ClassVar[str]  # its name in the link
    turn: ClassVar[int] = (
        0  # at one hook point, changes act in the order of their turns, however they were made
    )

    @property
    def arguments(self) -> tuple[str, ...]:
        """What stands after the code in the link; `parse` of the same class reads it."""
        raise NotImplementedError

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        """The change that a link names. Raises ValueError if the arguments are none of its."""
        raise NotImplementedError

    @property
    def spec(self) -> str:
        """Its text in the link."""
        return ":".join((self.code, *self.arguments))

    def words(self, piece: Callable[[int], str]) -> str:
        """What it does, in a few words; `piece` spells a token id."""
        raise NotImplementedError

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        """Raise ImpossibleError if the model or the sentence has no such place."""

    def edited(self, source_ids: list[int]) -> list[int]:
        """The source after the change."""
        return source_ids

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        """What stands in place of which tensors; made anew for every pass, because some remember a tensor."""
        return {}

    @property
    def needs_rows(self) -> bool:
        """Whether it points at a decoder row: then every step of the search feeds all rows again, without a cache."""
        return False


@dataclass(frozen=True)
class Where:
    """Attention of one kind, in one layer or all, in one head or all; layers and heads count from 0."""

    kind: Kind
    layer: int | None = None
    head: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Where":
        """Read `cross`, `cross.3` or `cross.3.2`, counted from 1."""
        kind, *numbers = text.split(".")
        for known in KINDS:
            if kind == known and len(numbers) <= 2:
                return cls(known, *(counted(number) for number in numbers))
        raise ValueError(f"{text!r}: expected {', '.join(KINDS)} and perhaps .layer.head")

    @property
    def text(self) -> str:
        """As `parse` reads it."""
        numbers = (n + 1 for n in (self.layer, self.head) if n is not None)
        return ".".join((self.kind, *map(str, numbers)))

    @property
    def words(self) -> str:
        """In words."""
        layer = "all layers" if self.layer is None else f"layer {self.layer + 1}"
        head = "" if self.head is None else f", head {self.head + 1}"
        return f"{KIND_WORDS[self.kind]}, {layer}{head}"

    def check(self, config: TransformerConfig) -> None:
        """Raise ImpossibleError if the model has no such place."""
        n_layers = count_layers(config, self.kind)
        if self.layer is not None and self.layer >= n_layers:
            raise ImpossibleError(
                f"there is no layer {self.layer + 1} of {KIND_WORDS[self.kind]}: 1 to {n_layers}"
            )
        if self.head is not None and self.head >= config.n_heads:
            raise ImpossibleError(f"there is no head {self.head + 1}: 1 to {config.n_heads}")

    def at(self, hook: str, config: TransformerConfig, act: Intervention) -> dict[str, Intervention]:
        """`act` at this hook of the attention of every layer meant."""
        layers = range(count_layers(config, self.kind)) if self.layer is None else (self.layer,)
        return {f"{attention_path(self.kind, layer)}.{hook}": act for layer in layers}


def count_layers(config: TransformerConfig, kind: Kind) -> int:
    """How many layers have attention of this kind."""
    return config.n_encoder_layers if kind == "encoder" else config.n_decoder_layers


def counted(text: str) -> int:
    """A number of a link, which counts from 1, as the code counts. Raises ValueError if it is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= 9999):
        raise ValueError(f"{text[:20]!r}: expected a whole number from 1")
    return int(text) - 1
