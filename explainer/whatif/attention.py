"""Changes inside attention: heads off, other scores, other masks."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from explainer.capture.interventions import (
    last_row_for_all,
    levelled,
    multiplied,
    with_mask_flipped,
    with_score,
    without_heads,
)
from explainer.capture.record import Intervention
from explainer.language import _, mark
from explainer.measures.anatomy import KIND_NAMES, Anatomy, Kind
from explainer.whatif.change import (
    Change,
    Head,
    Heads,
    ImpossibleError,
    Lengths,
    Where,
    choice,
    dotted,
    real_field,
    whole_field,
)

_ROW = whole_field(
    mark("there is no row {n} in {change.where.words}: {low} to {high}"),
    lambda change, __, lengths: range(lengths.rows(change.where.kind)),
)
_COLUMN = whole_field(
    mark("there is no column {n} in {change.where.words}: {low} to {high}"),
    lambda change, __, lengths: range(lengths.columns(change.where.kind)),
)
_MASKS = replace(
    choice(
        {**KIND_NAMES},
        lambda __, model: model.attentions,
        mark("one of {names}: a mask is the same in all layers and heads"),
    ),
    words=lambda kind, piece: Where(kind).words,
)


class _InAttention(Change):
    """One act at one hook point of every attention that is meant."""

    hook: ClassVar[str]
    has_row: ClassVar[bool] = False
    where: Where

    def act(self, n_heads: int, d_head: int) -> Intervention:
        raise NotImplementedError

    def check(self, anatomy: Anatomy, lengths: Lengths) -> None:
        if self.where.kind not in anatomy.attentions:
            raise ImpossibleError(_("the model has no {kind}").format(kind=_(KIND_NAMES[self.where.kind])))
        super().check(anatomy, lengths)

    def interventions(self, anatomy: Anatomy) -> dict[str, Intervention]:
        paths = self.where.attentions(anatomy)
        return {f"{path}.attend.{self.hook}": self.act(*anatomy.heads[path]) for path in paths}

    @property
    def needs_rows(self) -> bool:
        return self.has_row and self.where.kind != "encoder"


@dataclass(frozen=True)
class HeadOff(_InAttention):
    """One head is switched off: its Z is 0."""

    code, hook, says = "off", "hook_mixed", mark("head off: {where}")
    where: Head

    def off(self, n_heads: int) -> set[int]:
        """The heads that are off."""
        return {head for head in range(n_heads) if head == self.where.head}

    def act(self, n_heads: int, d_head: int) -> Intervention:
        return without_heads(*self.off(n_heads))


@dataclass(frozen=True)
class OnlyHead(HeadOff):
    """All other heads of the layer are switched off."""

    code, says = "only", mark("all heads off but one: {where}")

    def off(self, n_heads: int) -> set[int]:
        return {head for head in range(n_heads) if head != self.where.head}


@dataclass(frozen=True)
class Unscaled(_InAttention):
    """The scores are not divided by √d_k."""

    code, hook, says = "unscaled", "hook_scores", mark("no √d_k: {where}")
    where: Heads

    def act(self, n_heads: int, d_head: int) -> Intervention:
        return multiplied(math.sqrt(d_head), self.where.head)


@dataclass(frozen=True)
class Temperature(_InAttention):
    """The scores are divided by a temperature before the softmax."""

    code, hook, says = "temperature", "hook_scores", mark("temperature {temperature}: {where}")
    turn = 1
    where: Heads
    temperature: Annotated[
        float, real_field(mark("temperature {value}: must be from {low} to {high}"), 0.05, 20.0)
    ]

    def act(self, n_heads: int, d_head: int) -> Intervention:
        return multiplied(1 / self.temperature, self.where.head)


@dataclass(frozen=True)
class Uniform(_InAttention):
    """Every key that is not masked gets the same weight."""

    code, hook, says = "uniform", "hook_masked", mark("uniform attention: {where}")
    where: Heads

    def act(self, n_heads: int, d_head: int) -> Intervention:
        return levelled(self.where.head)


@dataclass(frozen=True)
class Score(_InAttention):
    """One scaled score is replaced by a number."""

    code, hook, says = "score", "hook_scores", mark("score {row}, {column} = {value}: {where}")
    turn = 2  # what is set stands, whatever the scale
    has_row = True
    where: Head
    row: Annotated[int, _ROW]
    column: Annotated[int, dotted(_COLUMN)]
    value: Annotated[float, real_field(mark("score {value}: must be from {low} to {high}"), -1000.0, 1000.0)]

    def act(self, n_heads: int, d_head: int) -> Intervention:
        return with_score(self.where.head, self.row, self.column, self.value)


@dataclass(frozen=True)
class MaskCell(_InAttention):
    """One cell of a mask is flipped, in all layers."""

    code, hook, says = "mask", "hook_mask", mark("mask cell {row}, {column} flipped: {kind}")
    turn = 1
    has_row = True
    kind: Annotated[Kind, _MASKS]
    row: Annotated[int, _ROW]
    column: Annotated[int, dotted(_COLUMN)]

    @property
    def where(self) -> Where:  # pyright: ignore[reportIncompatibleVariableOverride]
        return Where(self.kind)

    def act(self, n_heads: int, d_head: int) -> Intervention:
        return with_mask_flipped(self.row, self.column)


@dataclass(frozen=True)
class NoLookAheadMask(_InAttention):
    """The decoder's self-attention sees later positions, where there are some; padding stays hidden."""

    code, hook, says = "ahead", "hook_mask", mark("no look-ahead mask")
    has_row = True
    where = Where("decoder")

    def act(self, n_heads: int, d_head: int) -> Intervention:
        return last_row_for_all
