"""The phrasebook that comes with the package: sentence pairs, and none that a translator is measured with."""

from pathlib import Path

import pytest

from explainer.files import PRETRAINED
from explainer.text.corpora import SentencePair, read_pairs
from explainer.text.variety import Variety, key_of, read_values

ROOT = Path(__file__).parents[2]
FILES = sorted((PRETRAINED / "phrasebook").glob("*.tsv"))
CORPORA = ROOT.parent / "shared" / "data"


def keys() -> set[str]:
    return {key_of(pair.source) for file in FILES for pair in read_pairs(file).pairs}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_line_is_a_pair_and_no_sentence_stands_there_twice(file: Path) -> None:
    found = read_pairs(file)
    assert not found.bad_lines
    sources = [key_of(pair.source) for pair in found.pairs]
    assert len(sources) == len(set(sources)) > 200


def test_no_class_sentence_is_among_them() -> None:
    for file in sorted((ROOT / "tests" / "translator" / "class").glob("*.tsv")):
        lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
        assert len(lines) == 100
        assert not {key_of(english) for _, english, _ in lines} & keys()


@pytest.mark.skipif(
    not CORPORA.exists(), reason="the Tatoeba splits lie beside the checkout only where it is developed"
)
@pytest.mark.parametrize("split", ["valid", "test"])
def test_no_sentence_of_a_test_set_is_among_them(split: str) -> None:
    tatoeba = read_pairs(CORPORA / f"tatoeba.en-de.{split}.tsv.gz").pairs
    assert not {key_of(pair.source) for pair in tatoeba} & keys()


def test_every_template_can_be_filled() -> None:
    slots = PRETRAINED / "phrasebook" / "slots"
    variety = Variety((slots / "names.txt").read_text(encoding="utf-8").split())
    values = read_values(slots / "values.tsv")
    values["given"] = [SentencePair(name, name) for name in variety.names]
    templates = read_pairs(slots / "templates.tsv")
    assert not templates.bad_lines
    filled = list(variety.filled(templates.pairs, values, 2))
    assert len(filled) == 2 * len(templates.pairs)
    assert not any("{" in pair.source + pair.target for pair in filled)
