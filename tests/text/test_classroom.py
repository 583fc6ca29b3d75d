"""The classroom sentences that come with the project: whole, divided without leaks, and copied by the command."""

import gzip
import re
from itertools import combinations
from pathlib import Path

import pytest

from explainer.cli.commands import main
from explainer.files import PRETRAINED
from explainer.text.corpora import Corpus, read_pairs

FOLDER = PRETRAINED / "classroom"
PARTS = ("train", "valid", "test")


@pytest.fixture(scope="module")
def parts() -> dict[str, Corpus]:
    return {part: read_pairs(FOLDER / f"{part}.tsv.gz") for part in PARTS}


def test_every_line_is_a_pair_of_sentences(parts: dict[str, Corpus]) -> None:
    for part, corpus in parts.items():
        assert corpus.bad_lines == []
        lines = [f"{pair.source}\t{pair.target}\n" for pair in corpus.pairs]
        assert "".join(lines).encode() == gzip.decompress((FOLDER / f"{part}.tsv.gz").read_bytes())
        for pair in corpus.pairs:
            for text in (pair.source, pair.target):
                assert re.fullmatch(r"[A-ZÄÖÜ].*[.?!]", text), pair


def test_no_sentence_is_in_two_parts_and_an_english_one_has_one_translation(parts: dict[str, Corpus]) -> None:
    sources = [pair.source for corpus in parts.values() for pair in corpus.pairs]
    assert len(sources) == len(set(sources))
    for one, other in combinations(PARTS, 2):
        assert not {pair.target for pair in parts[one].pairs} & {pair.target for pair in parts[other].pairs}


def test_every_english_word_of_the_test_part_was_learnt(parts: dict[str, Corpus]) -> None:
    def words(part: str) -> set[str]:
        return {word for pair in parts[part].pairs for word in re.findall(r"[\w']+", pair.source.lower())}

    assert words("test") <= words("train")


def test_the_card_counts_right_and_names_the_commit(parts: dict[str, Corpus]) -> None:
    card = (FOLDER / "CARD.md").read_text(encoding="utf-8")
    for part, corpus in parts.items():
        assert f"| `{part}.tsv.gz` | {len(corpus.pairs):,} |" in card
    assert re.search(r"`[0-9a-f]{40}`", card)


@pytest.mark.parametrize("name", ["valid.tsv", "valid.tsv.gz"])
def test_the_command_copies_a_part(name: str, parts: dict[str, Corpus], tmp_path: Path) -> None:
    out = tmp_path / name
    assert main(["corpus", "classroom", "--part", "valid", "--out", str(out)]) == 0
    assert read_pairs(out).pairs == parts["valid"].pairs
