"""The BPE vocabulary that both languages share, by the `tokenizers` library; any Unicode text survives a round trip.

A piece that starts a word begins with a space, and so does every text. A character outside the alphabet falls back
to its UTF-8 bytes (`<0xF0>` …). Markup that a visitor types, such as `<s>`, is text and never a special token.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers import Tokenizer as Backend

PAD_ID, START_ID, END_ID = 0, 1, 2  # <pad>, <s>, </s>: the first entries of every vocabulary


PAD, START, END, UNKNOWN = SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
# a word with its apostrophes, or one other character; either carries the space before it
_CHUNK = Regex(r" ?[\p{L}\p{M}']+| ?[^ \p{L}\p{M}']| ")


class Tokenizer:
    """Text ↔ token ids."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @classmethod
    def train(cls, lines: Iterable[str], vocab_size: int) -> "Tokenizer":
        """Learn a vocabulary of `vocab_size` entries, or fewer if the lines have no more pieces to offer.

        First come `<pad> <s> </s> <unk>` and the 256 bytes, then single characters, then merges by frequency
        (Sennrich et al. 2016).
        """
        learner = Backend(models.BPE(unk_token=UNKNOWN))
        learner.normalizer = normalizers.Prepend(" ")
        learner.pre_tokenizer = pre_tokenizers.Split(_CHUNK, behavior="isolated")
        learner.decoder = decoders.Sequence(
            [decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
        reserved = [*SPECIAL, *BYTES]
        learner.train_from_iterator(
            lines, trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=reserved, show_progress=False)
        )
        learnt = json.loads(learner.to_str())
        learnt["added_tokens"] = []  # reserved entries keep their ids but are never matched in a text
        learnt["model"]["byte_fallback"] = True
        return cls.from_str(json.dumps(learnt))

    @classmethod
    def from_str(cls, text: str) -> "Tokenizer":
        """The tokenizer that `to_str` wrote; ValueError says why the text is not one."""
        try:
            backend = Backend.from_str(text)
        except Exception as error:  # the library raises plain Exception
            raise ValueError(f"not a tokenizer: {error}") from error
        found = [backend.id_to_token(i) for i in range(len(SPECIAL))]
        if found != list(SPECIAL):
            raise ValueError(f"the first entries are {found}, expected {list(SPECIAL)}")
        if any(backend.token_to_id(name) is None for name in BYTES):
            raise ValueError("the vocabulary lacks byte entries such as <0x00>")
        return cls(backend)

    @classmethod
    def load(cls, path: Path) -> "Tokenizer":
        """Read `tokenizer.json`."""
        return cls.from_str(path.read_text(encoding="utf-8"))

    def to_str(self) -> str:
        """The `tokenizers` JSON."""
        return self._backend.to_str(pretty=True)

    def __len__(self) -> int:
        return self._backend.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, without `<s>` and `</s>`."""
        return self._backend.encode(text).ids

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """`encode` for many texts at once."""
        return [found.ids for found in self._backend.encode_batch(list(texts))]

    def words(self, text: str) -> list[str]:
        """The parts of a text that are tokenized on their own: words with the space before them, punctuation."""
        normal = self._backend.normalizer.normalize_str(text)
        return [word for word, _ in self._backend.pre_tokenizer.pre_tokenize_str(normal)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of `ids`; special tokens are left out."""
        return self._backend.decode([i for i in ids if i >= len(SPECIAL)], skip_special_tokens=False)

    def piece(self, token_id: int) -> str:
        """The entry with this id as the vocabulary spells it: ` street`, `<0xF0>`, `</s>`."""
        piece = self._backend.id_to_token(token_id)
        if piece is None:
            raise IndexError(f"token {token_id}: the vocabulary has {len(self)} entries")
        return piece

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """The entries with these ids."""
        return [self.piece(i) for i in ids]

    def id_of(self, piece: str) -> int | None:
        """The id of a vocabulary entry, or None."""
        return self._backend.token_to_id(piece)

    @property
    def merges(self) -> list[tuple[str, str]]:
        """The merge rules, first learnt first."""
        return [(left, right) for left, right in json.loads(self.to_str())["model"]["merges"]]
