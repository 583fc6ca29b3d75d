"""The BPE vocabulary that both languages share, by the `tokenizers` library; any Unicode text survives a round trip.

A piece that starts a word begins with a space, and so does every text. A character outside the alphabet falls back
to its UTF-8 bytes (`<0xF0>` …). Markup that a visitor types, such as `<s>`, is text and never a special token.
"""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers import Tokenizer as Backend

PAD_ID, START_ID, END_ID, UNKNOWN_ID = range(4)  # the first entries of every vocabulary
PAD, START, END, UNKNOWN = SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
# a word with its apostrophes, or one other character; either carries the space before it
_CHUNK = Regex(r" ?[\p{L}\p{M}']+| ?[^ \p{L}\p{M}']| ")
MAX_ENTRIES = 2**18  # as `explainer.model.config` allows
MAX_PIECE = 256  # characters of an entry


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
        learner = _untrained()
        trainer = trainers.BpeTrainer(
            vocab_size=min(vocab_size, MAX_ENTRIES),
            special_tokens=[*SPECIAL, *BYTES],
            max_token_length=MAX_PIECE,
            show_progress=False,
        )
        learner.train_from_iterator(lines, trainer)
        learnt = json.loads(learner.to_str())
        learnt["added_tokens"] = []  # reserved entries keep their ids but are never matched in a text
        learnt["model"]["byte_fallback"] = True
        return cls.from_str(json.dumps(learnt))

    @classmethod
    def from_str(cls, text: str) -> "Tokenizer":
        """The tokenizer that `to_str` wrote; ValueError says why the text is not one.

        The library would take more: any normalizer or regular expression, which may freeze or end a process. Here a
        vocabulary and its merges may differ from one file to the next, and nothing else.
        """
        try:
            fields = json.loads(text)
            vocab, merges = fields["model"].pop("vocab"), fields["model"].pop("merges")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not a tokenizer: {type(error).__name__}: {str(error)[:100]}") from error
        _check_components(fields)
        _check_entries(vocab, merges)
        fields["model"].update(vocab=vocab, merges=merges)
        try:  # what was checked is what the library reads: of a key that is there twice, both see the same
            return cls(Backend.from_str(json.dumps(fields)))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # it raises plain Exception, and Rust's panics are not even that
            raise ValueError(f"not a tokenizer: {error}") from error

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


def _untrained() -> Backend:
    """The components that every tokenizer here is made of."""
    backend = Backend(models.BPE(unk_token=UNKNOWN))
    backend.normalizer = normalizers.Prepend(" ")
    backend.pre_tokenizer = pre_tokenizers.Split(_CHUNK, behavior="isolated")
    backend.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return backend


@cache
def _frame() -> dict[str, Any]:
    """What `to_str` writes beside vocabulary and merges."""
    frame = json.loads(_untrained().to_str())
    frame["model"] = {
        name: value for name, value in frame["model"].items() if name not in ("vocab", "merges")
    } | {"byte_fallback": True}
    return frame


def _check_components(fields: dict[str, Any]) -> None:
    """ValueError names a component that our trainer does not write."""
    expected = _frame()
    parts = {f"model.{name}": value for name, value in expected["model"].items()} | expected
    found = {f"model.{name}": value for name, value in fields["model"].items()} | fields
    for name in sorted((parts.keys() | found.keys()) - {"model"}):
        if name not in found or name not in parts or found[name] != parts[name]:
            raise ValueError(f"not a tokenizer of this program: {name[:40]!r} is not what its trainer writes")


def _check_entries(vocab: Any, merges: Any) -> None:
    """ValueError unless vocabulary and merges are of the kind and the size that our trainer writes."""
    if not isinstance(vocab, dict) or not isinstance(merges, list):
        raise ValueError("not a tokenizer: a vocabulary and a list of merges are needed")
    if len(vocab) > MAX_ENTRIES or len(merges) > MAX_ENTRIES:
        raise ValueError(f"{max(len(vocab), len(merges)):,} entries or merges, the limit is {MAX_ENTRIES:,}")
    longest = max(map(len, vocab), default=0)
    if longest > MAX_PIECE:
        raise ValueError(f"an entry has {longest:,} characters, the limit is {MAX_PIECE}")
    if set(map(type, vocab.values())) != {int}:
        raise ValueError("the number of an entry is no whole number")
    ordered = sorted(vocab, key=vocab.__getitem__)
    if [vocab[piece] for piece in ordered] != list(range(len(vocab))):
        raise ValueError(f"the {len(vocab):,} entries are not numbered from 0 without a gap")
    first = ordered[: len(SPECIAL)]
    if first != list(SPECIAL):
        raise ValueError(f"the first entries are {first}, expected {list(SPECIAL)}")
    if any(name not in vocab for name in BYTES):
        raise ValueError("the vocabulary lacks byte entries such as <0x00>")
    if not all(
        type(merge) is list and len(merge) == 2 and type(merge[0]) is type(merge[1]) is str
        for merge in merges
    ):
        raise ValueError("a merge is not a pair of texts")
    for left, right in merges:
        if left not in vocab or right not in vocab or left + right not in vocab:
            raise ValueError(
                f"the merge of {left[:40]!r} and {right[:40]!r} makes something that is no entry"
            )
