"""A visitor's own sentence pairs: checked before training, refused with the reason, or laid out for a run."""

import gzip
import io
import random
import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from explainer.language import _, ngettext
from explainer.text.corpora import BadLine, SentencePair, pair_lines, read_pairs
from explainer.train.runs.archive import MAX_UPLOAD, open_zip, read_member
from explainer.train.runs.names import RunError

MAX_UNPACKED = 100 * 2**20  # bytes, of the text in a .zip or .gz
MAX_LINES = 500_000
MAX_WORDS = 200  # of a sentence
MIN_PAIRS = 2  # one to learn from, one to measure
_VALID = 500  # pairs that are held back to measure the loss, at most
_SHARE = 0.05  # of the pairs that are held back


@dataclass(frozen=True)
class OwnCorpus:
    """Sentence pairs that can be learnt from."""

    train: list[SentencePair]
    valid: list[SentencePair]  # to measure the loss; none of their sentences is in `train`
    report: tuple[str, ...]  # what was read, what was left out and why: one statement a line

    def files(self) -> dict[str, bytes]:
        """The files for the folder of a run whose request says corpus="corpus.tsv", valid="valid.tsv"."""
        return {"corpus.tsv": pair_lines(self.train), "valid.tsv": pair_lines(self.valid)}


def mixed_in(own: OwnCorpus, more: OwnCorpus) -> dict[str, bytes]:
    """A second file for a request that says mix="mix.tsv", without what shares a sentence with the pairs held back.

    Raises:
        RunError: then nothing is left.
    """
    pairs = _apart(more.train + more.valid, own.valid)
    if not pairs:
        raise RunError("all its pairs share a sentence with those that are held back to measure the loss")
    return {"mix.tsv": pair_lines(pairs)}


def check_corpus(content: bytes, name: str, *, seed: int = 1) -> OwnCorpus:
    """Read an uploaded file: `source TAB target` lines, or a download of Tatoeba or ManyThings.

    A ManyThings file has the licence in a third column; one of tatoeba.org has the sentences in the second and fourth
    column, numbers in the others. Either may be packed, as the ending of `name` says: .zip or .gz. Lines without a
    pair are left out and told. `seed` is that of the choice of pairs that are held back.

    Raises:
        RunError: the file is too large, empty, no text, holds fewer than two different pairs, or a sentence with too
            many words; the message says which line.
    """
    if len(content) > MAX_UPLOAD:
        raise RunError(f"the file has {_megabytes(len(content))}, the limit is {_megabytes(MAX_UPLOAD)}")
    text = _unpacked(content, name)
    if not text.strip():
        raise RunError("the file is empty")
    lines = text.count(b"\n") + 1
    if lines > MAX_LINES:
        raise RunError(f"the file has {lines:,} lines, the limit is {MAX_LINES:,}")
    if _is_tatoeba(text):
        text = b"\n".join(map(_without_numbers, text.split(b"\n")))
    _check_words(text)
    pairs, bad = _read(text)
    different = list(dict.fromkeys(pairs))
    if len(different) < MIN_PAIRS:
        first = f" ({bad[0]})" if bad else ""
        found = "one sentence pair only" if different else "no sentence pair"
        raise RunError(
            f"the file holds {found}{first}; each line needs a sentence, a tab and its translation"
        )
    train, valid = _divided(different, seed)
    if not train:
        raise RunError(
            "all pairs share a sentence with each other: nothing is left to measure the loss on; add other pairs"
        )
    return OwnCorpus(train, valid, tuple(_report(pairs, different, bad, train, valid)))


def _unpacked(content: bytes, name: str) -> bytes:
    if content.startswith(b"PK\x03\x04") or name.lower().endswith(".zip"):
        return _text_of_zip(content)
    if content.startswith(b"\x1f\x8b") or name.lower().endswith(".gz"):
        return _text_of_gzip(content)
    if b"\0" in content[:4096]:
        raise RunError("the file is no text: a .tsv or .txt file in UTF-8 is needed")
    return content


def _text_of_zip(content: bytes) -> bytes:
    with open_zip(content) as archive:
        texts = [
            member
            for member in archive.infolist()
            if member.filename.lower().endswith((".txt", ".tsv"))
            and not Path(member.filename).name.startswith(("_", "."))  # _about.txt of a ManyThings download
        ]
        if len(texts) != 1:
            raise RunError(f"the .zip holds {len(texts)} .txt or .tsv files, one is needed")
        return read_member(archive, texts[0], MAX_UNPACKED)


def _text_of_gzip(content: bytes) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as file:
            text = file.read(MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RunError(f"the .gz is damaged ({error})") from error
    if len(text) > MAX_UNPACKED:
        raise RunError(f"unpacked, the file has more than {_megabytes(MAX_UNPACKED)}")
    return text


def _read(text: bytes) -> tuple[list[SentencePair], list[BadLine]]:
    """The pairs, and the lines that hold none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.tsv"
        path.write_bytes(text)
        corpus = read_pairs(path)
    return corpus.pairs, corpus.bad_lines


def _is_tatoeba(text: bytes) -> bool:
    """Whether the first line is: number, sentence, number, sentence."""
    columns = text.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r").split(b"\t")
    return len(columns) == 4 and columns[0].isdigit() and columns[2].isdigit()


def _check_words(text: bytes) -> None:
    for number, line in enumerate(text.split(b"\n"), start=1):
        words = max(len(column.split()) for column in line.split(b"\t")[:2])
        if words > MAX_WORDS:
            raise RunError(
                f"line {number}: a sentence of {words:,} words, the limit is {MAX_WORDS}; leave that line out"
            )


def _without_numbers(line: bytes) -> bytes:
    columns = line.split(b"\t")
    return b"\t".join((columns[1], columns[3])) if len(columns) == 4 else line


def _divided(pairs: list[SentencePair], seed: int) -> tuple[list[SentencePair], list[SentencePair]]:
    """Pairs to learn from and pairs to measure; those that share a sentence with the latter are in neither."""
    order = list(pairs)
    random.Random(f"own corpus {seed}").shuffle(order)
    count = max(1, min(_VALID, round(_SHARE * len(order))))
    valid = order[:count]
    return _apart(pairs, valid), valid


def _apart(pairs: list[SentencePair], valid: list[SentencePair]) -> list[SentencePair]:
    sources, targets = {pair.source for pair in valid}, {pair.target for pair in valid}
    return [pair for pair in pairs if pair.source not in sources and pair.target not in targets]


def _report(
    pairs: list[SentencePair],
    different: list[SentencePair],
    bad: list[BadLine],
    train: list[SentencePair],
    valid: list[SentencePair],
) -> Iterable[str]:
    yield ngettext("{n} sentence pair was read.", "{n} sentence pairs were read.", len(pairs)).format(
        n=f"{len(pairs):,}"
    )
    again = len(pairs) - len(different)
    if again:
        yield ngettext(
            "{n} of them is a repetition and is left out.",
            "{n} of them are repetitions and are left out.",
            again,
        ).format(n=f"{again:,}")
    if bad:
        lines = "; ".join(map(str, bad[:5]))
        if len(bad) > 5:
            lines = _("{lines} … and {n} more").format(lines=lines, n=f"{len(bad) - 5:,}")
        yield ngettext(
            "{n} line holds no pair: {lines}.", "{n} lines hold no pair: {lines}.", len(bad)
        ).format(n=f"{len(bad):,}", lines=lines)
    yield _("{train} pairs to learn from, {valid} held back to measure the loss.").format(
        train=f"{len(train):,}", valid=f"{len(valid):,}"
    )
    shared = len(different) - len(train) - len(valid)
    if shared:
        yield ngettext(
            "{n} pair shares a sentence with those held back and is left out.",
            "{n} pairs share a sentence with those held back and are left out.",
            shared,
        ).format(n=f"{shared:,}")
    for told, texts in (
        (_("A source sentence has {mean} words on average, {most} at most."), [p.source for p in different]),
        (_("A target sentence has {mean} words on average, {most} at most."), [p.target for p in different]),
    ):
        counts = [len(text.split()) for text in texts]
        yield told.format(mean=f"{sum(counts) / len(counts):.1f}", most=max(counts))
    if len(train) < 1000:
        yield _(
            "That is very little: the model will learn these pairs by heart, and not to translate others."
        )


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.1f} MB"
