"""Readers of sentence pairs. A line that cannot be used is counted and named, never silently dropped."""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class SentencePair:
    """A sentence and its translation."""

    source: str
    target: str


@dataclass(frozen=True)
class BadLine:
    """A line that holds no sentence pair: where it stands (counted from 1) and why."""

    number: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.number}: {self.reason}"


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs in the order of the file, and the lines that were not used."""

    name: str
    pairs: list[SentencePair]
    bad_lines: list[BadLine] = field(default_factory=list)

    def report(self, most: int = 5) -> str:
        """One line on what was read, and one for each of the first `most` bad lines."""
        lines = [f"{self.name}: {len(self.pairs):,} pairs, {len(self.bad_lines):,} unreadable lines"]
        lines += [f"  {bad}" for bad in self.bad_lines[:most]]
        if len(self.bad_lines) > most:
            lines.append(f"  … and {len(self.bad_lines) - most:,} more")
        return "\n".join(lines)


def read_pairs(path: Path) -> Corpus:
    """Read `source TAB target` lines, or a ManyThings/Tatoeba download (`source TAB target TAB attribution …`).

    Columns after the second are ignored. UTF-8, with or without a byte order mark; `.gz` is unpacked.
    """

    def parse(line: str) -> SentencePair:
        columns = line.split("\t")
        if len(columns) < 2:
            raise ValueError("expected two columns separated by a tab, found one")
        return _pair(columns[0], columns[1])

    return _collect(path.name, _lines(path), parse)


def read_parallel(source: Path, target: Path) -> Corpus:
    """Read two files whose lines correspond. Lines beyond the end of the shorter file are bad lines."""
    left, right = list(_lines(source)), list(_lines(target))
    name = f"{source.name} | {target.name}"
    pairs, bad = [], []
    for number, (one, other) in enumerate(zip(left, right, strict=False), start=1):
        try:
            pairs.append(_pair(_decoded(one), _decoded(other)))
        except ValueError as error:
            bad.append(BadLine(number, str(error)))
    shorter = min(len(left), len(right))
    alone = source.name if len(left) > len(right) else target.name
    bad += [
        BadLine(number, f"only {alone} has this line")
        for number in range(shorter + 1, max(len(left), len(right)) + 1)
    ]
    return Corpus(name, pairs, bad)


def _collect(name: str, lines: Iterator[bytes], parse: Callable[[str], SentencePair]) -> Corpus:
    pairs, bad = [], []
    for number, raw in enumerate(lines, start=1):
        try:
            line = _decoded(raw)
            if line:
                pairs.append(parse(line))
        except ValueError as error:
            bad.append(BadLine(number, str(error)))
    return Corpus(name, pairs, bad)


def _lines(path: Path) -> Iterator[bytes]:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        for number, raw in enumerate(file):
            yield raw.removeprefix(b"\xef\xbb\xbf") if number == 0 else raw


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start} (0x{raw[error.start]:02x})") from error


def _pair(source: str, target: str) -> SentencePair:
    for name, text in (("source", source), ("target", target)):
        if not text.strip():
            raise ValueError(f"the {name} is empty")
    return SentencePair(source.strip(), target.strip())
