"""Changes of what flows around attention: words, positions, residual additions, layer norms."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import torch

from explainer.capture.interventions import Memory
from explainer.capture.record import Intervention
from explainer.language import _, mark
from explainer.measures.anatomy import NAMES, Anatomy
from explainer.whatif.change import Change, ImpossibleError, Lengths, choice, dotted, whole_field

LANGUAGES = {"source": mark("English"), "target": mark("German")}
_PLACE = whole_field(
    mark("there is no token {n} before </s>: {low} to {high}"),
    lambda change, model, lengths: range(lengths.source - 1),
)
_WORD = whole_field(
    mark("token {n} cannot stand in a sentence: {low} to {high} can"),
    lambda change, model, lengths: model.words,
    0,
)
_SIDES = {"encoder": mark("encoder"), "decoder": mark("decoder")}
_SIDE = choice(_SIDES, lambda __, model: model.sublayers)
_LAYER = whole_field(
    mark("there is no layer {n} in the {change.side_words}: {low} to {high}"),
    lambda change, model, lengths: range(len(model.sublayers[change.side])),
)
_SUBLAYER = choice(NAMES, lambda change, model: model.sublayers[change.side][change.layer])


@dataclass(frozen=True)
class NoPositions(Change):
    """Nothing says where a token stands: PE is 0 on one side."""

    code, says = "unplaced", mark("no positions: {side} side")
    side: Annotated[str, choice(LANGUAGES, lambda __, model: model.positions)]

    def interventions(self, anatomy: Anatomy) -> dict[str, Intervention]:
        return {anatomy.positions[self.side]: torch.zeros_like}


@dataclass(frozen=True)
class _AtSublayer(Change):
    """What one hook point under the sublayer's residual addition holds stands in place of another."""

    hooks: ClassVar[tuple[str, str]]  # whose tensor, and in whose place
    side: Annotated[str, _SIDE]
    layer: Annotated[int, dotted(_LAYER)]
    sublayer: Annotated[str, dotted(_SUBLAYER)]

    @property
    def side_words(self) -> str:
        """The side in words."""
        return _(_SIDES[self.side])

    def interventions(self, anatomy: Anatomy) -> dict[str, Intervention]:
        residual, memory = anatomy.sublayers[self.side][self.layer][self.sublayer].residual, Memory()
        whose, instead = self.hooks
        return {f"{residual}.{whose}": memory.remember, f"{residual}.{instead}": memory.instead}


@dataclass(frozen=True)
class NoResidual(_AtSublayer):
    """The sublayer's output replaces the stream instead of being added to it."""

    code, says = "unadded", mark("no residual: {side} layer {layer}, {sublayer}")
    hooks = "hook_update", "hook_sum"


@dataclass(frozen=True)
class NoNorm(_AtSublayer):
    """The layer norm passes its input through."""

    code, says = "unnormed", mark("no layer norm: {side} layer {layer}, {sublayer}")
    hooks = "norm.hook_x", "norm.hook_output"


@dataclass(frozen=True)
class Replace(Change):
    """Another vocabulary entry's embedding stands at one place of the source."""

    code, says = "replace", mark("embedding {position} is that of “{token}”")
    position: Annotated[int, _PLACE]
    token: Annotated[int, replace(_WORD, words=lambda token, piece: piece(token).strip())]

    def edited(self, source_ids: list[int]) -> list[int]:
        changed = list(source_ids)
        changed[self.position] = self.token
        return changed


@dataclass(frozen=True)
class Swap(Change):
    """Two tokens of the source change places."""

    code, says = "swap", mark("tokens {one} and {other} swapped")
    one: Annotated[int, _PLACE]
    other: Annotated[int, dotted(_PLACE)]

    def check(self, anatomy: Anatomy, lengths: Lengths) -> None:
        super().check(anatomy, lengths)
        if self.one == self.other:
            told = _("token {n} cannot be swapped with itself")
            raise ImpossibleError(told.format(n=self.one + 1))

    def edited(self, source_ids: list[int]) -> list[int]:
        changed = list(source_ids)
        changed[self.one], changed[self.other] = changed[self.other], changed[self.one]
        return changed
