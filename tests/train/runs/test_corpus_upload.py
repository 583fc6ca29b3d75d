"""A visitor's own pairs: what can be learnt from is laid out, everything else is refused with the reason."""

import gzip

import pytest

from explainer.train.runs import corpus_upload
from explainer.train.runs.corpus_upload import check_corpus
from explainer.train.runs.names import RunError
from tests.train.small import zipped

LINES = [f"This is sentence {i}.\tDas ist Satz {i}." for i in range(100)]
TEXT = "\n".join(LINES).encode()


def pairs(corpus: corpus_upload.OwnCorpus) -> set[tuple[str, str]]:
    return {(pair.source, pair.target) for pair in corpus.train + corpus.valid}


EXPECTED = {tuple(line.split("\t")) for line in LINES}
MANYTHINGS = "\n".join(f"{line}\tCC-BY 2.0 (France) Attribution: tatoeba.org #1" for line in LINES).encode()
TATOEBA = "\ufeff" + "\r\n".join(
    f"{i}\t{a}\t{i + 7}\t{b}" for i, (a, b) in enumerate(x.split("\t") for x in LINES)
)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (TEXT, "mine.tsv"),
        (TEXT.replace(b"\n", b"\r\n") + b"\n\n", "mine.txt"),
        (MANYTHINGS, "deu.txt"),
        (zipped({"deu.txt": MANYTHINGS, "_about.txt": b"About\tthis"}), "deu-eng.zip"),
        (gzip.compress(TEXT, mtime=0), "mine.tsv.gz"),
        (TATOEBA.encode(), "Sentence pairs in English-German.tsv"),
    ],
    ids=["tsv", "crlf", "manythings", "manythings.zip", "gz", "tatoeba.org"],
)
def test_files_that_can_be_read(content: bytes, name: str) -> None:
    corpus = check_corpus(content, name)
    assert pairs(corpus) == EXPECTED
    assert (len(corpus.train), len(corpus.valid)) == (95, 5)
    assert corpus.report[0] == "100 sentence pairs were read."
    assert any("95 pairs to learn from, 5 held back" in line for line in corpus.report)
    files = corpus.files()
    assert set(files) == {"corpus.tsv", "valid.tsv"}
    assert check_corpus(content, name) == corpus  # the same choice every time
    assert files["corpus.tsv"].decode().splitlines() == [f"{p.source}\t{p.target}" for p in corpus.train]


def test_no_sentence_is_in_both_parts_and_the_report_tells_all() -> None:
    many = [f"{a}\t{b}" for a in ("Hi.", "Hello.", "Go.") for b in ("Hallo.", "Tag.", "Geh.")] * 2
    lines = [*LINES, *many, "no tab here", "\tempty", "a\u0007\tbell"]
    corpus = check_corpus("\n".join(lines).encode(), "x.tsv")
    for side in ("source", "target"):
        assert not {getattr(p, side) for p in corpus.train} & {getattr(p, side) for p in corpus.valid}
    report = "\n".join(corpus.report)
    assert "9 of them are repetitions" in report
    assert "3 lines hold no pair: line 119: expected two columns separated by a tab, found one;" in report
    assert "U+0007" in report
    assert "A source sentence has " in report
    assert "learn these pairs by heart" in report


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "x.tsv", "the file is empty"),
        (b" \n\r\n ", "x.tsv", "the file is empty"),
        (b"Go.\tGeh.\n", "x.tsv", "one sentence pair only"),
        (b"Go.\tGeh.\n" * 50, "x.tsv", "one sentence pair only"),
        (b"nothing\nhere\n", "x.tsv", r"no sentence pair \(line 1: expected two columns"),
        (b"a\tb\na\tc\n", "x.tsv", "all pairs share a sentence"),
        (b"a\tc\nb\tc\n", "x.tsv", "all pairs share a sentence"),
        (TEXT + b"\n" + b"word " * 5000 + b"\tb", "x.tsv", "line 101: a sentence of 5,000 words, the limit"),
        (b"a\t" + b"w " * 201 + b"\n" + TEXT, "x.tsv", "line 1: a sentence of 201 words, the limit is 200"),
        (b"\x80\x04\x95\x00\x00\x00\x00", "x.tsv", "the file is no text"),
        (b"PK\x03\x04 nonsense", "x.zip", "not a .zip file"),
        (TEXT, "x.zip", "not a .zip file"),
        (b"\x1f\x8b nonsense", "x.gz", "the .gz is damaged"),
        (gzip.compress(TEXT, mtime=0)[:-20], "x.gz", "the .gz is damaged"),
        (zipped({"a.txt": TEXT, "b.txt": TEXT}), "x.zip", r"holds 2 .txt or .tsv files, one is needed"),
        (zipped({"a.pkl": TEXT}), "x.zip", r"holds 0 .txt or .tsv files, one is needed"),
    ],
)  # fmt: skip
def test_files_that_are_refused(content: bytes, name: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        check_corpus(content, name)


def test_files_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunError, match=r"the file has 200.0 MB, the limit is 64.0 MB"):
        check_corpus(bytes(200 * 2**20), "x.tsv")
    with pytest.raises(RunError, match=r"the file has 500,001 lines, the limit is 500,000"):
        check_corpus(b"a\tb\n" * 500_000, "x.tsv")
    monkeypatch.setattr(corpus_upload, "MAX_UNPACKED", 10_000_000)
    bomb = bytes(20_000_000)
    with pytest.raises(RunError, match=r"unpacked, the file has more than 9.5 MB"):
        check_corpus(gzip.compress(bomb), "x.gz")
    with pytest.raises(RunError, match=r"'a.txt' would have 19 MB, the limit is 9 MB"):
        check_corpus(zipped({"a.txt": bomb}), "x.zip")
