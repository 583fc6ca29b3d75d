"""Which layer and head to show first: a measure of how much an attention matrix tells."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Telling:
    """The most telling head of an attention kind: layer and head from 0, focus and variety of `how_telling`."""

    layer: int
    head: int
    focus: float
    variety: float

    @property
    def score(self) -> float:
        """Focus · variety: high when each word looks firmly at a word of its own."""
        return self.focus * self.variety


def is_word(piece: str) -> bool:
    """Whether a vocabulary entry carries letters or digits, and is no special token or byte."""
    special = piece.startswith("<") and piece.endswith(">")
    return not special and any(unicodedata.category(char)[0] in "LN" for char in piece)


def how_telling(
    weights: Float[np.ndarray, "query key"], queries: Sequence[str], keys: Sequence[str], *, same: bool
) -> tuple[float, float]:
    """Focus, the mean over word rows of the largest weight on another word, and variety, how many words, over the rows.

    A row stands for a token, in a decoder for the one that it predicts. If rows and columns are the same positions, a
    word does not count as looking at itself.
    """
    rows = [i for i, piece in enumerate(queries) if is_word(piece)]
    columns = np.array([is_word(piece) for piece in keys])
    if not rows or not columns.any():
        return 0.0, 0.0
    usable = np.where(columns, weights[rows], 0.0)
    if same:
        usable[np.arange(len(rows)), rows] = 0.0
    best = usable.argmax(axis=1)
    found = usable.max(axis=1) > 0
    return float(usable.max(axis=1).mean()), len(set(best[found].tolist())) / len(rows)


def most_telling(
    weights: Float[np.ndarray, "layer head query key"],
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    same: bool,
) -> Telling:
    """The head with the highest focus · variety; the earliest of equals."""
    return max(all_telling(weights, queries, keys, same=same), key=lambda one: one.score)


def all_telling(
    weights: Float[np.ndarray, "layer head query key"],
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    same: bool,
) -> list[Telling]:
    """How telling each head is, layer by layer; arguments as for `how_telling`."""
    return [
        Telling(layer, head, *how_telling(weights[layer, head], queries, keys, same=same))
        for layer, head in np.ndindex(weights.shape[:2])
    ]


def most_telling_cell(
    weights: Float[np.ndarray, "query key"], queries: Sequence[str], keys: Sequence[str], *, same: bool
) -> tuple[int, int]:
    """Row and column of the largest weight of a word on another word; (0, 0) if there is none.

    A weight of nearly 1 has no arithmetic worth reading: one below 0.95 is preferred.
    """
    usable = weights * np.outer([is_word(piece) for piece in queries], [is_word(piece) for piece in keys])
    if same:
        usable = usable * ~np.eye(len(queries), dtype=bool)
    unsaturated = np.where(usable < 0.95, usable, 0.0)
    best = unsaturated if unsaturated.max() > 0.3 else usable
    row, column = np.unravel_index(best.argmax(), best.shape)
    return int(row), int(column)


def most_telling_term(one: Float[np.ndarray, " term"], other: Float[np.ndarray, " term"]) -> int:
    """The place where the dot product of two vectors has its largest term, by absolute value."""
    return int(np.abs(one * other).argmax())
