"""Small tables of probabilities that have become classics, and how a table is written in one line."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Prefix = tuple[str, ...]
Rows = Mapping[Prefix, tuple[float, ...]]
OTHERS = ("*",)  # the row that stands for every prefix that has none of its own
MOST_TOKENS, MOST_ROWS = 8, 40


@dataclass(frozen=True)
class Example:
    """A table.

    Attributes:
        title: What it is called.
        words: The tokens; the last one ends.
        rows: The probabilities after each prefix, and under `OTHERS` those after any other.
    """

    title: str
    words: tuple[str, ...]
    rows: Rows


EXAMPLES = {
    "two": Example(
        "i / der: two beams",
        ("i", "der", "Hund", "bin", "</s>"),
        {
            (): (0.6, 0.4, 0.0, 0.0, 0.0),
            ("i",): (0.2, 0.2, 0.25, 0.3, 0.05),
            ("der",): (0.0, 0.05, 0.7, 0.05, 0.2),
            ("i", "bin"): (0.0, 0.05, 0.0, 0.0, 0.95),
            ("der", "Hund"): (0.0, 0.0, 0.0, 0.35, 0.65),
            OTHERS: (0.0, 0.0, 0.0, 0.0, 1.0),
        },
    ),
    "greedy": Example(
        "greedy is not best",  # after "Dive into Deep Learning", Beam Search, where two short sentences win
        ("A", "B", "C", "</s>"),
        {
            (): (0.5, 0.23, 0.23, 0.04),
            ("A",): (0.26, 0.4, 0.3, 0.04),
            ("A", "B"): (0.2, 0.2, 0.4, 0.2),
            ("A", "B", "C"): (0.0, 0.2, 0.2, 0.6),
            ("A", "C"): (0.1, 0.6, 0.2, 0.1),
            ("A", "C", "B"): (0.1, 0.2, 0.1, 0.6),
            OTHERS: (0.32, 0.32, 0.32, 0.04),
        },
    ),
    "parent": Example(
        "both survivors share a parent",
        ("a", "b", "</s>"),
        {
            (): (0.6, 0.4, 0.0),
            ("a",): (0.5, 0.4, 0.1),
            ("b",): (0.34, 0.33, 0.33),
            OTHERS: (0.1, 0.1, 0.8),
        },
    ),
}


def row_of(rows: Rows, prefix: Prefix) -> tuple[float, ...]:
    """The probabilities after `prefix`: its own row, or that of all others.

    Raises:
        ValueError: there is neither.
    """
    found = rows.get(prefix, rows.get(OTHERS))
    if found is None:
        raise ValueError(f"after {' '.join(prefix)}: the table has no row, nor one for all others (*)")
    return found


def written(rows: Rows) -> str:
    """`:0.6 0.4;a:0.5 0.5`: prefix, colon, probabilities; rows are separated by semicolons."""
    return ";".join(
        f"{' '.join(prefix)}:{' '.join(f'{p:.10g}' for p in row)}" for prefix, row in rows.items()
    )


def read(text: str, words: Sequence[str]) -> Rows:
    """The rows that `written` wrote; their numbers are not checked here.

    Raises:
        ValueError: it is no table of these tokens; says which part is not.
    """
    rows: dict[Prefix, tuple[float, ...]] = {}
    parts = text.split(";")
    if len(parts) > MOST_ROWS:
        raise ValueError(f"{len(parts)} rows: at most {MOST_ROWS}")
    for part in parts:
        before, colon, numbers = part.partition(":")
        if not colon:
            raise ValueError(f"{part[:40]!r}: a row is written prefix:probabilities")
        prefix = prefix_of(before, words)
        if prefix in rows:
            raise ValueError(f"{before or 'the empty prefix'}: there are two such rows")
        rows[prefix] = tuple(map(_number, numbers.split()))
    return rows


def prefix_of(text: str, words: Sequence[str]) -> Prefix:
    """A prefix as it is typed: tokens with spaces between them, nothing at all, or `*`.

    Raises:
        ValueError: a token is not in the table, or ends.
    """
    prefix = tuple(text.split())
    if prefix == OTHERS:
        return prefix
    for word in prefix:
        if word not in words[:-1]:
            raise ValueError(f"after {text!r}: {word!r} must be one of {', '.join(words[:-1])}")
    return prefix


def words_of(text: str) -> tuple[str, ...]:
    """The tokens of a table as they are typed; the last one ends.

    Raises:
        ValueError: too few or too many, one occurs twice, or has a sign in it that tables are written with.
    """
    words = tuple(text.split())
    if not 2 <= len(words) <= MOST_TOKENS:
        raise ValueError(f"{len(words)} tokens: must be from 2 to {MOST_TOKENS}")
    for word in words:
        if words.count(word) > 1:
            raise ValueError(f"{word!r}: must not occur twice")
        if set(word) & set(";:*"):
            raise ValueError(f"{word!r}: must not contain ; : or *")
    return words


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
