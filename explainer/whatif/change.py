"""What every change has: typed fields, by which links spell it and models bound it; words; an effect on a pass."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Annotated, Any, ClassVar, get_type_hints

from explainer.capture.record import Intervention
from explainer.language import _, mark
from explainer.measures.anatomy import KIND_NAMES, KINDS, Anatomy, Kind

_LARGEST = 999_999  # whole number of a link


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
    """One "What if?". Subclasses are frozen dataclasses; the type of each field is `Annotated` with a `Field`."""

    code: ClassVar[str]  # its name in the link
    says: ClassVar[str]  # what it does, in a few words, with its fields as slots
    turn: ClassVar[int] = 0  # at one hook point, changes act by their turns, however they were made

    @classmethod
    def parse(cls, spec: str) -> "Change":
        """The change that a part of a link names. Raises ValueError if it names none of this class."""
        known, values = fields_of(cls), []
        form = cls.code + "".join(one.after + name for name, one in known.items())
        groups, names = spec.split(":"), form.split(":")
        pairs = zip(groups[1:], names[1:], strict=False)
        texts = [text for group, name in pairs for text in (group.split(".") if "." in name else [group])]
        if len(groups) != len(names) or len(texts) != len(known):
            raise ValueError(_("{spec}: expected {form}").format(spec=repr(spec[:40]), form=form))
        for (name, one), text in zip(known.items(), texts, strict=True):
            try:
                values.append(one.read(text))
            except ValueError:
                refused = _("{spec}: {name} {text}: expected {expected}").format(
                    spec=repr(spec[:40]), name=name, text=repr(text[:40]), expected=one.expected()
                )
                raise ValueError(refused) from None
        return cls(*values)

    @property
    def spec(self) -> str:
        """Its text in the link, as `parse` reads it."""
        return self.code + "".join(one.after + one.spelled(value) for __, one, value in self._values)

    def words(self, piece: Callable[[int], str]) -> str:
        """What it does; `piece` spells a token id."""
        return _(self.says).format(**{name: one.words(value, piece) for name, one, value in self._values})

    def check(self, anatomy: Anatomy, lengths: Lengths) -> None:
        """Raise ImpossibleError if the model or the sentence has no such place."""
        for __, one, value in self._values:
            if refusal := one.refusal(value, self, anatomy, lengths):
                raise ImpossibleError(refusal)

    def edited(self, source_ids: list[int]) -> list[int]:
        """The source after the change."""
        return source_ids

    def interventions(self, anatomy: Anatomy) -> dict[str, Intervention]:
        """What stands in place of which tensors; made anew for every pass, because some remember a tensor."""
        return {}

    @property
    def needs_rows(self) -> bool:
        """Whether it points at a decoder row: then every step of the search feeds all rows again, without a cache."""
        return False

    @property
    def _values(self) -> "list[tuple[str, Field, Any]]":
        return [(name, one, getattr(self, name)) for name, one in fields_of(type(self)).items()]


@cache
def fields_of(kind: type[Change]) -> "dict[str, Field]":
    """The fields of a class of changes by their names, in order."""
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: hints[one.name].__metadata__[0] for one in fields(kind)}  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class Field:
    """How the values of a field are read from a link, refused, spelled in a link, and told.

    Attributes:
        expected: Says what `read` reads.
        read: The value of a text; raises ValueError if it is none.
        refusal: Why a value cannot be in this change, model and sentence; "" if it can. Earlier fields can.
        spelled: The text of a value.
        words: The value for visitors.
        after: The mark before it; a dot joins it to the field before.
        bounds: Least and largest of a number that has them.
    """

    expected: Callable[[], str]
    read: Callable[[str], Any]
    refusal: Callable[[Any, Any, Anatomy, Lengths], str]
    spelled: Callable[[Any], str]
    words: Callable[[Any, Callable[[int], str]], str]
    after: str = ":"
    bounds: tuple[float, float] = (-math.inf, math.inf)


def dotted(field: Field) -> Field:
    """The same, joined by a dot to the field before."""
    return replace(field, after=".")


def choice(
    names: Mapping[str, str],
    here: Callable[[Any, Anatomy], Collection[str]],
    expected: str = mark("one of {names}"),
) -> Field:
    """One of a few names, which have words; `here` says which of them the model has."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    def refusal(value: str, change: Any, anatomy: Anatomy, lengths: Lengths) -> str:
        if value in (known := here(change, anatomy)):
            return ""
        only = ", ".join(_(names[one]) for one in known)
        told = _("{change}: there is no {missing} there, only {found}")
        return told.format(change=change.spec, missing=_(names[value]), found=only)

    def says() -> str:
        return _(expected).format(names=", ".join(names))

    return Field(says, read, refusal, str, lambda value, piece: _(names[value]))


def whole_field(sentence: str, allowed: Callable[[Any, Anatomy, Lengths], range], first: int = 1) -> Field:
    """A whole number from 0, which the link calls `first`; the sentence has slots {n}, {low}, {high} and {change}."""

    def refusal(value: int, change: Any, anatomy: Anatomy, lengths: Lengths) -> str:
        if value in (bounds := allowed(change, anatomy, lengths)):
            return ""
        n, low, high = (one + first for one in (value, bounds.start, bounds.stop - 1))
        return _(sentence).format(n=n, low=low, high=high, change=change)

    def spelled(value: int, piece: object = None) -> str:
        return str(value + first)

    def expected() -> str:
        return _("a whole number from {first} to {last}").format(first=first, last=_LARGEST)

    return Field(expected, lambda text: counted(text, first), refusal, spelled, spelled)


def real_field(sentence: str, low: float, high: float) -> Field:
    """A number between bounds; the sentence has slots {value}, {low} and {high}."""

    def read(text: str) -> float:
        if not math.isfinite(value := float(text)):
            raise ValueError
        return value

    def words(value: float, piece: object = None) -> str:
        return f"{value:g}".replace("-", "−")

    def refusal(value: float, *place: object) -> str:
        if low <= value <= high:
            return ""
        return _(sentence).format(value=words(value), low=words(low), high=words(high))

    return Field(lambda: _("a finite number"), read, refusal, "{:g}".format, words, bounds=(low, high))


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
        if kind not in KINDS or len(numbers) > 2:
            raise ValueError
        return cls(kind, *map(counted, numbers))

    @property
    def text(self) -> str:
        """As `parse` reads it."""
        return ".".join((self.kind, *(str(n + 1) for n in (self.layer, self.head) if n is not None)))

    @property
    def words(self) -> str:
        """In words."""
        parts = [_(KIND_NAMES[self.kind])]
        parts.append(
            _("all layers") if self.layer is None else _("layer {layer}").format(layer=self.layer + 1)
        )
        if self.head is not None:
            parts.append(_("head {head}").format(head=self.head + 1))
        return ", ".join(parts)

    def attentions(self, anatomy: Anatomy) -> tuple[str, ...]:
        """The module paths of those of the model that are meant."""
        layers = anatomy.attentions[self.kind]
        return layers if self.layer is None else layers[self.layer : self.layer + 1]


def where(*, one_head: bool = False) -> Field:
    """A place in attention, of a single head or of any."""

    def refusal(value: Where, change: Any, anatomy: Anatomy, lengths: Lengths) -> str:
        layers, found = anatomy.attentions[value.kind], value.attentions(anatomy)
        if value.layer is not None and not found:
            told = _("there is no layer {layer} of {kind}: 1 to {n_layers}")
            kind = _(KIND_NAMES[value.kind])
            return told.format(layer=value.layer + 1, kind=kind, n_layers=len(layers))
        if value.head is not None and value.head >= (n_heads := anatomy.heads[found[0]][0]):
            return _("there is no head {head}: 1 to {n_heads}").format(head=value.head + 1, n_heads=n_heads)
        if one_head and value.head is None:
            told = _("{change} names no single head: expected {form}")
            return told.format(change=change.spec, form=f"{value.kind}.layer.head")
        return ""

    def expected() -> str:
        told = _("{kinds} and perhaps {form}, counted from 1")
        return told.format(kinds=", ".join(KINDS), form=".layer.head")

    return Field(expected, Where.parse, refusal, lambda place: place.text, lambda place, piece: place.words)


Heads = Annotated[Where, where()]
Head = Annotated[Where, where(one_head=True)]


def counted(text: str, first: int = 1) -> int:
    """A whole number, from 0, that a link counts from `first`. Raises ValueError if it is none."""
    if text.isascii() and text.isdigit() and first <= int(text.lstrip("0")[:9] or 0) <= _LARGEST:
        return int(text) - first
    raise ValueError
