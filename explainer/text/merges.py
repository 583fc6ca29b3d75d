"""How BPE puts one word together, merge by merge (Sennrich et al. 2016, Algorithm 1)."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from explainer.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class MergeStep:
    """One merge of a word: the pieces before it, the pair that became one piece, the pieces after it.

    Attributes:
        before: The pieces so far.
        pair: The two neighbours that are merged.
        rank: Place of the pair in the list of learnt merges, from 0; no other neighbours have a lower one.
        at: Index in `before` of the pair's left piece: where several places hold the pair, the leftmost.
        after: The pieces with the pair as one.
    """

    before: tuple[str, ...]
    pair: tuple[str, str]
    rank: int
    at: int
    after: tuple[str, ...]


def replay(tokenizer: Tokenizer, word: str) -> list[MergeStep]:
    """The merges that make the tokenizer's pieces of `word`, in the order in which they happen.

    `word` is one of `tokenizer.words(text)`, the space before it included. The list is empty if its
    characters (or bytes) stay alone; `first_pieces` tells what they are.
    """
    ranks = _ranks(tokenizer)
    pieces = first_pieces(tokenizer, word)
    steps: list[MergeStep] = []
    while True:
        known = [(ranks[pair], at) for at, pair in enumerate(pairwise(pieces)) if pair in ranks]
        if not known:
            return steps
        rank, at = min(known)
        pair = pieces[at], pieces[at + 1]
        after = (*pieces[:at], "".join(pair), *pieces[at + 2 :])
        steps.append(MergeStep(pieces, pair, rank, at, after))
        pieces = after


def first_pieces(tokenizer: Tokenizer, word: str) -> tuple[str, ...]:
    """Where BPE starts: the characters of `word`, and the UTF-8 bytes of those that the vocabulary lacks."""
    pieces: list[str] = []
    for char in word:
        known = tokenizer.id_of(char) is not None
        pieces += [char] if known else [f"<0x{byte:02X}>" for byte in char.encode()]
    return tuple(pieces)


@lru_cache(maxsize=8)
def _ranks(tokenizer: Tokenizer) -> dict[tuple[str, str], int]:
    return {pair: rank for rank, pair in enumerate(tokenizer.merges)}
