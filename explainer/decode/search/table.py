"""A language model small enough to write down: next-token probabilities by prefix."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from explainer.decode.search.prefixes import Frontier
from explainer.language import mark

Prefix = tuple[str, ...]
Row = Sequence[float]
_TOLERANCE = 1e-6  # how far from 1 a row of rounded decimals may sum


@dataclass(frozen=True, eq=False)
class TableFrontier(Frontier):
    """Prefixes, one tuple of tokens for each row of the only sentence."""

    prefixes: tuple[Prefix, ...]


class ProbabilityTable:
    """A hand-made distribution over the next token for every prefix, in double precision."""

    def __init__(
        self,
        vocabulary: Sequence[str],
        rows: Mapping[Prefix, Row] | Callable[[Prefix], Row],
        end: str = "</s>",
    ) -> None:
        """Check and keep the table.

        Args:
            vocabulary: The tokens, in the order of the numbers in each row.
            rows: The probabilities after each prefix that a search may reach, as a mapping or a function. The first
                token's row stands under the empty prefix `()`.
            end: The token that ends a sentence.

        Raises:
            ValueError: a token occurs twice, `end` is not among them, or a row is not a distribution.
        """
        self.vocabulary = tuple(vocabulary)
        if len(set(self.vocabulary)) != len(self.vocabulary):
            raise ValueError(f"vocabulary = {self.vocabulary}: must not hold a token twice")
        if end not in self.vocabulary:
            raise ValueError(f"end = {end!r}: must be one of {', '.join(map(repr, self.vocabulary))}")
        self.end_id = self.vocabulary.index(end)
        self.rows = rows
        if isinstance(rows, Mapping):
            for prefix in rows:
                self.probabilities(prefix)

    def probabilities(self, prefix: Prefix) -> Row:
        """The distribution after `prefix`.

        Raises:
            ValueError: there is no such row, or it is not a distribution; names the prefix and the sum.
        """
        where = f"after {' '.join(prefix) or 'the empty prefix'}"
        if isinstance(self.rows, Mapping):
            if prefix not in self.rows:
                raise ValueError(f"{where}: the table has no row")
            row = self.rows[prefix]
        else:
            row = self.rows(prefix)
        if len(row) != len(self.vocabulary):
            raise ValueError(f"{where}: {len(row)} probabilities for {len(self.vocabulary)} tokens")
        total = math.fsum(row) if all(map(math.isfinite, row)) else math.nan
        for token, probability in zip(self.vocabulary, row, strict=True):
            if not 0.0 <= probability <= 1.0:
                problem = f"p({token}) = {probability}, must be from 0 to 1; the row sums to {total:g}"
                raise ValueError(f"{where}: {problem}")
        if abs(total - 1) > _TOLERANCE:
            raise ValueError(f"{where}: the probabilities sum to {total:g}, must be 1")
        return row

    def start(self) -> TableFrontier:
        """The row of the empty prefix."""
        return self._read(((),))

    def extend(
        self, after: TableFrontier, parents: Int[Tensor, "1 beam"], tokens: Int[Tensor, "1 beam"]
    ) -> TableFrontier:
        """The rows of longer prefixes."""
        longer = zip(parents[0].tolist(), tokens[0].tolist(), strict=True)
        return self._read(tuple((*after.prefixes[row], self.vocabulary[token]) for row, token in longer))

    def select(self, after: TableFrontier, sentences: Sequence[int]) -> TableFrontier:
        """The same frontier: a table knows one sentence only."""
        return after

    def _read(self, prefixes: tuple[Prefix, ...]) -> TableFrontier:
        rows = torch.tensor([list(self.probabilities(prefix)) for prefix in prefixes], dtype=torch.float64)
        return TableFrontier(rows.log()[None], prefixes)


Rows = Mapping[Prefix, tuple[float, ...]]
OTHERS = ("*",)  # the row that stands for every prefix that has none of its own
MOST_TOKENS, MOST_ROWS = 8, 40


@dataclass(frozen=True)
class WorkedTable:
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
    "two": WorkedTable(
        mark("i / der: two beams"),
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
    "greedy": WorkedTable(
        # after "Dive into Deep Learning", Beam Search, where two short sentences win
        mark("greedy is not best"),
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
    "parent": WorkedTable(
        mark("both survivors share a parent"),
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


def table_text(rows: Rows) -> str:
    """`:0.6 0.4;a:0.5 0.5`: prefix, colon, probabilities; rows are separated by semicolons."""
    return ";".join(
        f"{' '.join(prefix)}:{' '.join(f'{p:.10g}' for p in row)}" for prefix, row in rows.items()
    )


def read(text: str, words: Sequence[str]) -> Rows:
    """The rows that `table_text` wrote; their numbers are not checked here.

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
