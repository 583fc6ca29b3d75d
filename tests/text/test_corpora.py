"""Readers of sentence pairs: what is read, and how each unusable line is named."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.text.corpora import MAX_CHARACTERS, BadLine, SentencePair, read_pairs

ATTRIBUTION = "CC-BY 2.0 (France) Attribution: tatoeba.org #2877272 (CM) & #8597805 (Roujin)"


def written(folder: Path, content: bytes, name: str = "pairs.tsv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


GO, HI = SentencePair("Go.", "Geh."), SentencePair("Hi!", "Hallo!")
LONGEST = "ü" * MAX_CHARACTERS


@pytest.mark.parametrize(
    ("name", "content", "pairs"),
    [
        ("pairs.tsv", b"Go.\tGeh.\nHi!\tHallo!\n", [GO, HI]),
        ("a ManyThings download.tsv", f"Go.\tGeh.\t{ATTRIBUTION}\n".encode(), [GO]),
        ("pairs.tsv.gz", gzip.compress(b"Go.\tGeh.\n"), [GO]),
        (
            "the limit is for one sentence.tsv",
            f"{LONGEST}\t{LONGEST}".encode(),
            [SentencePair(LONGEST, LONGEST)],
        ),
        ("empty.tsv", b"", []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_read(tmp_path: Path, name: str, content: bytes, pairs: list[SentencePair]) -> None:
    corpus = read_pairs(written(tmp_path, content, name))
    assert (corpus.name, corpus.pairs, corpus.bad_lines) == (name, pairs, [])


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_byte_order_mark_and_empty_lines(tmp_path: Path, ending: str) -> None:
    text = ending.join(["\ufeffGo.\tGeh.", "", "Hi!\tGrüß Gott!"])  # no line end at the end of the file
    assert read_pairs(written(tmp_path, text.encode())).pairs == [GO, SentencePair("Hi!", "Grüß Gott!")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"no tab here", "expected two columns separated by a tab, found one"),
        (b"\tGeh.", "the source is empty"),
        (b"Go.\t  ", "the target is empty"),
        (b"Go.\t\tGeh.", "the target is empty"),
        ("Grüß\tGott".encode("latin-1"), "not UTF-8 at byte 2 (0xfc)"),
        ("Go.\tGeh.".encode("utf-16"), "not UTF-8 at byte 0 (0xff)"),
        (b"G\x00o.\tGeh.", "the source holds the control character U+0000"),
        (b"Go.\tGeh\rHi.", "the target holds the control character U+000D"),
        (b"a" * 1001 + b"\tGeh.", "the source has 1,001 characters, the limit is 1,000"),
        (b"Go.\t" + b"a" * 1_000_000, "the line has 65,536 bytes or more"),
        (b"a" * 65_535, "the line has 65,536 bytes or more"),  # with its line end
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path, line: bytes, reason: str) -> None:
    corpus = read_pairs(written(tmp_path, b"Go.\tGeh.\n" + line + b"\nHi!\tHallo!\n"))
    assert corpus.pairs == [GO, HI]
    assert corpus.bad_lines == [BadLine(2, reason)]
    assert str(corpus.bad_lines[0]) == f"line 2: {reason}"


def test_the_report_names_the_first_bad_lines(tmp_path: Path) -> None:
    corpus = read_pairs(written(tmp_path, b"Go.\tGeh.\n" + b"x\n" * 1200))
    assert corpus.report(most=1).splitlines() == [
        "pairs.tsv: 1 pairs, 1,200 unreadable lines",
        "  line 2: expected two columns separated by a tab, found one",
        "  … and 1,199 more",
    ]


@pytest.mark.parametrize(
    "content", [gzip.compress(b"Go.\tGeh.\n" * 99, mtime=0)[:-12], b"Go.\tGeh.\n", b"\x1f\x8b" * 9]
)
def test_a_damaged_gzip_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(OSError, match=r"pairs\.tsv\.gz"):
        read_pairs(written(tmp_path, content, "pairs.tsv.gz"))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_pairs(tmp_path / "nothing.tsv")


@given(content=st.binary(max_size=200))
def test_every_line_is_a_pair_or_a_bad_line_or_empty(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    corpus = read_pairs(written(tmp_path_factory.getbasetemp(), content))
    lines = [line for line in content.split(b"\n") if line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r")]
    assert len(corpus.pairs) + len(corpus.bad_lines) == len(lines)


def test_the_prepared_corpus_is_read_whole(shared: Path) -> None:
    corpus = read_pairs(shared / "data" / "tatoeba.en-de.valid.tsv.gz")
    assert (len(corpus.pairs), corpus.bad_lines) == (2482, [])  # the count of data/README.md
    six_columns = read_pairs(shared / "data" / "tatoeba.en-hi.test.tsv.gz")
    assert (len(six_columns.pairs), six_columns.bad_lines) == (166, [])
