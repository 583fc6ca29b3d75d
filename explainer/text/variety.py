"""Sentence pairs written again as other people would type them: other names and numbers, lower case, no full stop.

A small corpus holds *Tom* 30,000 times and *Ayşe* never, and no sentence without a capital. Both sides of a pair change
in the same way, so that a model learns to copy names and digits instead of remembering some; what only the writer
leaves out (capitals, apostrophes, British spelling) changes on the English side alone.
"""

import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from explainer.text.corpora import SentencePair

_DIGITS = re.compile(r"\d+")
_SLOT = re.compile(r"\{(\w+)\}")
_TWINS = {"Mary": "Maria"}  # names that corpora translate
_NUMBERS = {  # slots of templates that hold a number: from … to
    "number": (2, 99),
    "hour": (2, 12),
    "digits": (100, 999),
    "year": (1950, 2024),
    "oldyear": (1100, 1949),
}
_BRITISH = {
    "color": "colour",
    "favorite": "favourite",
    "neighbor": "neighbour",
    "behavior": "behaviour",
    "honor": "honour",
    "humor": "humour",
    "flavor": "flavour",
    "center": "centre",
    "theater": "theatre",
    "liter": "litre",
    "kilometer": "kilometre",
    "traveled": "travelled",
    "traveling": "travelling",
    "canceled": "cancelled",
    "realize": "realise",
    "realized": "realised",
    "organize": "organise",
    "organized": "organised",
    "recognize": "recognise",
    "recognized": "recognised",
    "apologize": "apologise",
    "apologized": "apologised",
    "defense": "defence",
    "gray": "grey",
    "pajamas": "pyjamas",
    "mom": "mum",
    "math": "maths",
    "jewelry": "jewellery",
    "airplane": "aeroplane",
    "learned": "learnt",
    "dreamed": "dreamt",
    "burned": "burnt",
}
_SPELLINGS = _BRITISH | {british: american for american, british in _BRITISH.items()}


@dataclass(frozen=True, kw_only=True)
class Rates:
    """How often a pair is changed in each way, as a probability.

    Attributes:
        renamed: Every given name that stands on both sides becomes another one.
        renumbered: Every number that stands on both sides becomes another of its size.
        respelled: British words become American, American ones British (English side).
        joined: The pair and those after it become one, until it has 12 to 32 English words.
        bare: The last `.`, `!` or `?` of both sides is dropped.
        lowered: No capitals (English side); half of these lose their apostrophes, too.
        shouted: All capitals (English side).
    """

    renamed: float = 0.6
    renumbered: float = 0.8
    respelled: float = 0.3
    joined: float = 0.2
    bare: float = 0.1
    lowered: float = 0.1
    shouted: float = 0.03


class Variety:
    """Changes pairs at random, the same way for the same seed."""

    def __init__(self, names: Sequence[str], rates: Rates | None = None, *, seed: int = 1) -> None:
        """Names are given names: those to look for, and those to put in their place."""
        self.rates = rates or Rates()
        self.chance = random.Random(seed)
        self.known = frozenset(names) | _TWINS.keys() | {"Tom"}
        self.names = [name for name in names if name[-1] not in "sßxz"]  # these take no -s in the genitive

    def pairs(self, pairs: Iterable[SentencePair]) -> Iterator[SentencePair]:
        """The pairs, changed; joined ones come as one."""
        held: list[SentencePair] = []
        words = wanted = 0
        for pair in map(self._inside, pairs):
            if not held:
                wanted = self.chance.randint(12, 32) if self._happens(self.rates.joined) else 0
            held.append(pair)
            words += len(pair.source.split())
            if words >= wanted:
                yield self._outside(_joined(held))
                held, words = [], 0
        if held:
            yield self._outside(_joined(held))

    def _inside(self, pair: SentencePair) -> SentencePair:
        """Changes of single words, each sentence on its own."""
        if self._happens(self.rates.renamed):
            pair = self._renamed(pair)
        if self._happens(self.rates.renumbered):
            pair = self._renumbered(pair)
        if self._happens(self.rates.respelled):
            pair = SentencePair(_respelled(pair.source), pair.target)
        return pair

    def _outside(self, pair: SentencePair) -> SentencePair:
        """Changes of the whole text, as one person would type it."""
        if self._happens(self.rates.bare):
            pair = _bare(pair)
        how = self.chance.random()
        if how < self.rates.lowered:
            source = pair.source.lower()
            pair = SentencePair(
                source.replace("'", "") if how < self.rates.lowered / 2 else source, pair.target
            )
        elif how < self.rates.lowered + self.rates.shouted:
            pair = SentencePair(pair.source.upper(), pair.target)
        return pair

    def _renamed(self, pair: SentencePair) -> SentencePair:
        source, target = pair.source, pair.target
        found = [word for word in dict.fromkeys(re.findall(r"\w+", source)) if word in self.known]
        for name, new in zip(found, self.chance.sample(self.names, len(found)), strict=True):
            german = next(
                (one for one in (name, _TWINS.get(name, name)) if re.search(rf"\b{one}s?\b", target)), None
            )
            if german is not None:
                source = re.sub(rf"\b{name}\b", new, source)
                target = re.sub(rf"\b{german}(s?)\b", rf"{new}\1", target)
        return SentencePair(source, target)

    def _renumbered(self, pair: SentencePair) -> SentencePair:
        """Only if both sides hold the same numbers: 2:30 p.m. is 14.30 Uhr."""
        found = _DIGITS.findall(pair.source)
        if not found or sorted(found) != sorted(_DIGITS.findall(pair.target)):
            return pair
        new = {number: self._number_like(number) for number in found}
        source, target = (_DIGITS.sub(lambda at: new[at[0]], text) for text in (pair.source, pair.target))
        return SentencePair(source, target)

    def _number_like(self, number: str) -> str:
        """Another number that can stand there: an hour stays one, a day of the month, a year."""
        if number in ("0", "1") or number[0] == "0":
            return number
        value = int(number)
        for least, most in ((2, 12), (13, 31), (32, 59), (60, 99), (100, 999), (1000, 2099)):
            if value <= most:
                return str(self.chance.randint(least, most))
        return number[0] + "".join(self.chance.choice("0123456789") for _ in number[1:])

    def _happens(self, rate: float) -> bool:
        return self.chance.random() < rate

    def filled(
        self, templates: Sequence[SentencePair], values: Mapping[str, Sequence[SentencePair]], times: int
    ) -> Iterator[SentencePair]:
        """Every template `times` times, with other values in its slots: English and German ones, by kind.

        A slot is `{name}` or, for a second value of that kind, `{name2}`; both sides have the same ones. `{number}`,
        `{hour}`, `{digits}`, `{year}` and `{oldyear}` are numbers.

        Raises:
            ValueError: a slot has no values, or the sides have different slots.
        """
        for template in templates:
            slots = sorted(set(_SLOT.findall(template.source)))
            if slots != sorted(set(_SLOT.findall(template.target))):
                raise ValueError(f"{template.source!r} and {template.target!r} have different slots")
            for _ in range(times):
                chosen: dict[str, SentencePair] = {}
                for slot in slots:
                    chosen[slot] = self._value(slot.rstrip("2"), values, tuple(chosen.values()))
                yield SentencePair(
                    template.source.format(**{slot: pair.source for slot, pair in chosen.items()}),
                    template.target.format(**{slot: pair.target for slot, pair in chosen.items()}),
                )

    def _value(
        self, kind: str, values: Mapping[str, Sequence[SentencePair]], taken: Sequence[SentencePair]
    ) -> SentencePair:
        if kind in _NUMBERS:
            number = str(self.chance.randint(*_NUMBERS[kind]))
            return SentencePair(number, number)
        if kind not in values:
            raise ValueError(f"no value for the slot {{{kind}}}")
        return self.chance.choice([pair for pair in values[kind] if pair not in taken])


def _joined(pairs: Sequence[SentencePair]) -> SentencePair:
    return SentencePair(" ".join(pair.source for pair in pairs), " ".join(pair.target for pair in pairs))


def _bare(pair: SentencePair) -> SentencePair:
    source, target = pair.source.rstrip(".?!"), pair.target.rstrip(".?!")
    return SentencePair(source, target) if source and target else pair


def _respelled(text: str) -> str:
    return re.sub(r"[a-z]+", lambda at: _SPELLINGS.get(at[0], at[0]), text)


def read_values(path: Path) -> dict[str, list[SentencePair]]:
    """What can stand in a slot, by kind: lines `kind TAB English TAB German`.

    Raises:
        OSError: the file cannot be opened.
        ValueError: a line has not three columns.
    """
    found: dict[str, list[SentencePair]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        columns = line.split("\t")
        if len(columns) != 3:
            raise ValueError(f"{path}: line {number}: expected three columns, found {len(columns)}")
        found.setdefault(columns[0], []).append(SentencePair(*columns[1:]))
    return found


def key_of(sentence: str) -> str:
    """A sentence without case, accents and punctuation: two that share it are the same to a test set."""
    letters = unicodedata.normalize("NFKD", sentence.casefold())
    return " ".join(
        re.findall(
            r"[^\W_]+", "".join(one for one in letters if not unicodedata.combining(one)).replace("'", "")
        )
    )
