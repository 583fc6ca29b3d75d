"""Sentence pairs in files. A line that cannot be used is counted and named, never silently dropped."""

import gzip
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from explainer.files import write_bytes

MAX_CHARACTERS = 1000  # of one sentence
_MAX_BYTES = 2**16  # of one line; what comes after is skipped unread, so that no line can fill the memory


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
    """Read `source TAB target` lines, or a ManyThings/Tatoeba download.

    That has `source TAB target TAB attribution`: columns after the second are ignored, and so are empty
    lines. UTF-8, with or without a byte order mark; `.gz` is unpacked.

    Raises:
        OSError: the file cannot be opened or unpacked.
    """
    pairs, bad = [], []
    for number, raw in enumerate(_lines(path), start=1):
        try:
            if line := _decoded(raw):
                pairs.append(_pair(line))
        except ValueError as error:
            bad.append(BadLine(number, str(error)))
    return Corpus(path.name, pairs, bad)


def pair_lines(pairs: Iterable[SentencePair]) -> bytes:
    """Sentence pairs as the lines of a TSV file."""
    return "".join(f"{pair.source}\t{pair.target}\n" for pair in pairs).encode()


def write_pairs(path: Path, pairs: Iterable[SentencePair]) -> None:
    """Write `source TAB target` lines, as `read_pairs` reads them; packed if the name ends in `.gz`."""
    content = pair_lines(pairs)
    write_bytes(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, each cut off at `_MAX_BYTES`."""
    with cast(BinaryIO, gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as file:
        try:
            while raw := file.readline(_MAX_BYTES):
                yield raw
                while len(raw) == _MAX_BYTES and not raw.endswith(b"\n"):
                    raw = file.readline(_MAX_BYTES)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise OSError(f"{path}: damaged gzip file ({error})") from error


def _decoded(raw: bytes) -> str:
    if len(raw) == _MAX_BYTES:
        raise ValueError(f"the line has {_MAX_BYTES:,} bytes or more")
    try:
        return raw.decode("utf-8-sig").rstrip("\r\n")  # every file of a concatenation may begin with a mark
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start} (0x{raw[error.start]:02x})") from error


def _pair(line: str) -> SentencePair:
    source, *others = map(str.strip, line.split("\t"))
    if not others:
        raise ValueError("expected two columns separated by a tab, found one")
    target = others[0]
    for name, text in (("source", source), ("target", target)):
        if not text:
            raise ValueError(f"the {name} is empty")
        if len(text) > MAX_CHARACTERS:
            raise ValueError(f"the {name} has {len(text):,} characters, the limit is {MAX_CHARACTERS:,}")
        control = next((char for char in text if unicodedata.category(char) == "Cc"), None)
        if control is not None:
            raise ValueError(f"the {name} holds the control character U+{ord(control):04X}")
    return SentencePair(source, target)
