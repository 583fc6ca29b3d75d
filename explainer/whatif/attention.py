"""Changes inside attention: heads off, other scores, other masks."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from explainer.capture.interventions import (
    last_row_for_all,
    levelled,
    multiplied,
    with_mask_flipped,
    with_score,
    without_heads,
)
from explainer.capture.record import Intervention
from explainer.config import TransformerConfig
from explainer.equations.places import Kind
from explainer.whatif.change import Change, ImpossibleError, Lengths, Where, counted

LARGEST_SCORE = 1000.0
TEMPERATURES = (0.05, 20.0)  # lowest and highest


@dataclass(frozen=True)
class _InAttention(Change):
    where: Where

    @property
    def arguments(self) -> tuple[str, ...]:
        return (self.where.text,)

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        (text,) = arguments
        return cls(Where.parse(text))

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        self.where.check(config)


@dataclass(frozen=True)
class _OneHead(_InAttention):
    @property
    def head(self) -> int:
        """The head, from 0."""
        if self.where.layer is None or self.where.head is None:
            raise ImpossibleError(f"{self.code}: {self.where.text} names no single head")
        return self.where.head

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        super().check(config, lengths)
        _ = self.head


@dataclass(frozen=True)
class HeadOff(_OneHead):
    """One head is switched off: its Z is 0."""

    code = "off"

    def words(self, piece: Callable[[int], str]) -> str:
        return f"head off: {self.where.words}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        return self.where.at("attend.hook_mixed", config, without_heads(self.head))


@dataclass(frozen=True)
class OnlyHead(_OneHead):
    """All other heads of the layer are switched off."""

    code = "only"

    def words(self, piece: Callable[[int], str]) -> str:
        return f"all heads off but one: {self.where.words}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        others = (head for head in range(config.n_heads) if head != self.head)
        return self.where.at("attend.hook_mixed", config, without_heads(*others))


@dataclass(frozen=True)
class Unscaled(_InAttention):
    """The scores are not divided by √d_k."""

    code = "unscaled"

    def words(self, piece: Callable[[int], str]) -> str:
        return f"no √d_k: {self.where.words}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        act = multiplied(math.sqrt(config.d_head), self.where.head)
        return self.where.at("attend.hook_scores", config, act)


@dataclass(frozen=True)
class Temperature(_InAttention):
    """The scores are divided by a temperature before the softmax."""

    code = "temperature"
    turn = 1
    temperature: float = 1.0

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.where.text, f"{self.temperature:g}"

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        where, temperature = arguments
        return cls(Where.parse(where), finite(temperature))

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        super().check(config, lengths)
        low, high = TEMPERATURES
        if not low <= self.temperature <= high:
            raise ImpossibleError(f"temperature {self.temperature:g}: must be from {low:g} to {high:g}")

    def words(self, piece: Callable[[int], str]) -> str:
        return f"temperature {self.temperature:g}: {self.where.words}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        act = multiplied(1 / self.temperature, self.where.head)
        return self.where.at("attend.hook_scores", config, act)


@dataclass(frozen=True)
class Uniform(_InAttention):
    """Every key that is not masked gets the same weight."""

    code = "uniform"

    def words(self, piece: Callable[[int], str]) -> str:
        return f"uniform attention: {self.where.words}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        return self.where.at("attend.hook_masked", config, levelled(self.where.head))


@dataclass(frozen=True)
class Score(_OneHead):
    """One scaled score is replaced by a number."""

    code = "score"
    turn = 2  # what is set stands, whatever the scale
    row: int = 0
    column: int = 0
    value: float = 0.0

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.where.text, f"{self.row + 1}.{self.column + 1}", f"{self.value:g}"

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        where, cell, value = arguments
        return cls(Where.parse(where), *cell_of(cell), finite(value))

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        super().check(config, lengths)
        check_cell(self.where.kind, self.row, self.column, lengths)
        if abs(self.value) > LARGEST_SCORE:
            raise ImpossibleError(
                f"score {self.value:g}: must be from −{LARGEST_SCORE:g} to {LARGEST_SCORE:g}"
            )

    def words(self, piece: Callable[[int], str]) -> str:
        value = f"{self.value:g}".replace("-", "−")
        return f"score {self.row + 1}, {self.column + 1} = {value}: {self.where.words}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        act = with_score(self.where.head, self.row, self.column, self.value)
        return self.where.at("attend.hook_scores", config, act)

    @property
    def needs_rows(self) -> bool:
        return self.where.kind != "encoder"


@dataclass(frozen=True)
class MaskCell(Change):
    """One cell of a mask is flipped, in all layers."""

    code = "mask"
    turn = 1
    kind: Kind
    row: int
    column: int

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.kind, f"{self.row + 1}.{self.column + 1}"

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        kind, cell = arguments
        where = Where.parse(kind)
        if where.layer is not None:
            raise ValueError(f"{kind!r}: a mask is the same in all layers and heads")
        return cls(where.kind, *cell_of(cell))

    def check(self, config: TransformerConfig, lengths: Lengths) -> None:
        check_cell(self.kind, self.row, self.column, lengths)

    def words(self, piece: Callable[[int], str]) -> str:
        return f"mask cell {self.row + 1}, {self.column + 1} flipped: {Where(self.kind).words}"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        return Where(self.kind).at("attend.hook_mask", config, with_mask_flipped(self.row, self.column))

    @property
    def needs_rows(self) -> bool:
        return self.kind != "encoder"


@dataclass(frozen=True)
class NoLookAheadMask(Change):
    """The decoder's self-attention sees later positions, where there are some; padding stays hidden."""

    code = "ahead"

    @property
    def arguments(self) -> tuple[str, ...]:
        return ()

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> "Change":
        () = arguments
        return cls()

    def words(self, piece: Callable[[int], str]) -> str:
        return "no look-ahead mask"

    def interventions(self, config: TransformerConfig) -> dict[str, Intervention]:
        return Where("decoder").at("attend.hook_mask", config, last_row_for_all)

    @property
    def needs_rows(self) -> bool:
        return True


def finite(text: str) -> float:
    """A number of a link. Raises ValueError if it is none."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]!r}: expected a finite number")
    return value


def cell_of(text: str) -> tuple[int, int]:
    """`row.column`, counted from 1 in the link and from 0 here."""
    row, column = text.split(".")
    return counted(row), counted(column)


def check_cell(kind: Kind, row: int, column: int, lengths: Lengths) -> None:
    """Raise ImpossibleError if an attention of this kind has no such cell."""
    n_rows, n_columns = lengths.rows(kind), lengths.columns(kind)
    if row >= n_rows or column >= n_columns:
        raise ImpossibleError(
            f"there is no cell {row + 1}, {column + 1} in {Where(kind).words}: {n_rows} rows, {n_columns} columns"
        )
