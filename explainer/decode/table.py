"""A language model small enough to write down: next-token probabilities by prefix."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from explainer.decode.prefixes import Frontier

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
