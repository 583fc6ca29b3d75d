"""How a text falls into words, and BPE puts each word together, merge by merge (Sennrich et al. 2016, Algorithm 1)."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from explainer.language import mark
from explainer.text.tokenizer import BYTES, SPECIAL, Tokenizer

PieceKind = Literal["word start", "continuation", "byte", "special"]


@dataclass(frozen=True)
class MergeStep:
    """One merge of a word: the pieces before it, the pair that became one piece, the pieces after it.

    `rank` is the pair's place in the list of learnt merges, from 0; no other neighbours have a lower one. `at` is the
    index in `before` of its left piece: where several places hold the pair, the leftmost.
    """

    before: tuple[str, ...]
    pair: tuple[str, str]
    rank: int
    at: int
    after: tuple[str, ...]


@dataclass(frozen=True)
class Word:
    """A part of a text, with the space before it, that BPE spells on its own by `steps`, the merges in order.

    `first` is the place of its first piece in the text, from 0; `start` are the characters or bytes to start from.
    """

    text: str
    first: int
    start: tuple[str, ...]
    steps: tuple[MergeStep, ...]

    @property
    def pieces(self) -> tuple[str, ...]:
        """The pieces after all merges."""
        return self.steps[-1].after if self.steps else self.start


def spelled(tokenizer: Tokenizer, text: str) -> list[Word]:
    """The words of a text with their merges; their pieces in a row are the text's tokens."""
    words: list[Word] = []
    first = 0
    for part in tokenizer.words(text) if text else []:
        words.append(Word(part, first, first_pieces(tokenizer, part), tuple(replay(tokenizer, part))))
        first += len(words[-1].pieces)
    return words


def replay(tokenizer: Tokenizer, word: str) -> list[MergeStep]:
    """The merges, in order, that make the tokenizer's pieces of `word`, one of `tokenizer.words(text)`.

    The list is empty if its characters (or bytes) stay alone; `first_pieces` tells what they are.
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


def word_at(words: list[Word], place: int) -> Word | None:
    """The word that the piece at a place belongs to; None behind the last one, where `</s>` stands."""
    return next((word for word in words if word.first <= place < word.first + len(word.pieces)), None)


def most_telling_word(words: list[Word]) -> Word | None:
    """The word with the most pieces, of equals the one with the most merges: there BPE has most to show."""
    return max(words, key=lambda word: (len(word.pieces), len(word.steps)), default=None)


def kind_of(piece: str) -> PieceKind:
    """What sort of vocabulary entry a piece is; one that starts a word carries the space before it."""
    if piece in SPECIAL:
        return mark("special")
    if piece in BYTES:
        return mark("byte")
    return mark("word start") if piece.startswith(" ") else mark("continuation")


def early_words(tokenizer: Tokenizer, count: int) -> list[int]:
    """Ids of the `count` word starts of two letters or more that the tokenizer learnt first.

    BPE learns frequent pairs first, so that these are common words of both languages, and beginnings of them.
    """
    found = (i for i in range(len(tokenizer)) if _is_word(tokenizer.piece(i)))
    return [i for _, i in zip(range(count), found, strict=False)]


def _is_word(piece: str) -> bool:
    return len(piece) > 2 and piece.startswith(" ") and piece[1:].isalpha()
