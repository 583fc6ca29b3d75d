"""How a text falls into words, and words into the pieces of the vocabulary."""

from dataclasses import dataclass
from typing import Literal

from explainer.text.merges import MergeStep, first_pieces, replay
from explainer.text.tokenizer import BYTES, SPECIAL, Tokenizer

PieceKind = Literal["word start", "continuation", "byte", "special"]


@dataclass(frozen=True)
class Word:
    """A part of a text that BPE spells on its own.

    Attributes:
        text: The word, with the space before it.
        first: Place of its first piece among the pieces of the text, from 0.
        start: The pieces that BPE starts from: characters or bytes.
        steps: The merges, in the order in which they happen.
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


def word_at(words: list[Word], place: int) -> Word | None:
    """The word that the piece at a place belongs to; None behind the last one, where `</s>` stands."""
    return next((word for word in words if word.first <= place < word.first + len(word.pieces)), None)


def most_telling_word(words: list[Word]) -> Word | None:
    """The word with the most pieces, of equals the one with the most merges: there BPE has most to show."""
    return max(words, key=lambda word: (len(word.pieces), len(word.steps)), default=None)


def kind_of(piece: str) -> PieceKind:
    """What sort of vocabulary entry a piece is; one that starts a word carries the space before it."""
    if piece in SPECIAL:
        return "special"
    if piece in BYTES:
        return "byte"
    return "word start" if piece.startswith(" ") else "continuation"


def early_words(tokenizer: Tokenizer, count: int) -> list[int]:
    """Ids of the `count` word starts of two letters or more that the tokenizer learnt first.

    BPE learns frequent pairs first, so that these are common words of both languages, and beginnings of them.
    """
    found = (i for i in range(len(tokenizer)) if _is_word(tokenizer.piece(i)))
    return [i for _, i in zip(range(count), found, strict=False)]


def _is_word(piece: str) -> bool:
    return len(piece) > 2 and piece.startswith(" ") and piece[1:].isalpha()
