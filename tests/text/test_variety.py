import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.text.corpora import SentencePair
from explainer.text.variety import Rates, Variety, key_of, read_values

NAMES = ["Ayşe", "Luca", "Priya", "Chloé", "Wei", "Olga", "Mateo"]
NEVER = dict.fromkeys(("renamed", "renumbered", "respelled", "joined", "bare", "lowered", "shouted"), 0.0)
PAIR = SentencePair("Tom's neighbor has 3 dogs.", "Toms Nachbar hat 3 Hunde.")


def only(change: str, pair: SentencePair, seed: int = 1) -> SentencePair:
    """The pair with one sort of change."""
    (found,) = Variety(NAMES, Rates(**NEVER | {change: 1.0}), seed=seed).pairs([pair])
    return found


@given(st.integers(0, 999))
def test_a_name_becomes_the_same_name_on_both_sides(seed: int) -> None:
    found = only("renamed", PAIR, seed)
    name = found.source.split("'")[0]
    assert name in NAMES
    assert found == SentencePair(PAIR.source.replace("Tom", name), PAIR.target.replace("Tom", name))


@given(st.integers(0, 999), st.sampled_from(["7", "23", "48", "75", "310", "1789", "250000"]))
def test_a_number_becomes_another_of_its_size_on_both_sides(seed: int, number: str) -> None:
    found = only("renumbered", SentencePair(f"I saw {number}.", f"Ich sah {number}."), seed)
    (source,), (target,) = (re.findall(r"\d+", text) for text in (found.source, found.target))
    assert source == target
    assert int(source) >= 2
    assert len(source) == len(number) or int(source) <= 12  # as hours are
    if len(number) == 4:
        assert 1000 <= int(source) <= 2099  # still a year


def test_numbers_that_differ_between_the_sides_stay() -> None:
    pair = SentencePair("At 2:30 p.m.", "Um 14:30 Uhr.")
    assert only("renumbered", pair) == pair


@pytest.mark.parametrize(
    ("change", "source", "target"),
    [
        ("respelled", "Tom's neighbour has 3 dogs.", PAIR.target),
        ("bare", "Tom's neighbor has 3 dogs", "Toms Nachbar hat 3 Hunde"),
        ("shouted", "TOM'S NEIGHBOR HAS 3 DOGS.", PAIR.target),
    ],
)
def test_the_other_changes(change: str, source: str, target: str) -> None:
    assert only(change, PAIR) == SentencePair(source, target)


def test_lower_case_with_and_without_apostrophes() -> None:
    found = {only("lowered", PAIR, seed).source for seed in range(20)}
    assert found == {"tom's neighbor has 3 dogs.", "toms neighbor has 3 dogs."}


def test_joined_pairs_keep_every_sentence_in_order() -> None:
    pairs = [SentencePair(f"This is number {word}.", f"Das ist {word}.") for word in "abcdefghijklmnopqrst"]
    found = list(Variety(NAMES, Rates(**NEVER | {"joined": 1.0})).pairs(pairs))
    assert " ".join(pair.source for pair in found) == " ".join(pair.source for pair in pairs)
    assert " ".join(pair.target for pair in found) == " ".join(pair.target for pair in pairs)
    assert all(12 <= len(pair.source.split()) < 32 + 4 for pair in found[:-1])


def test_rates_are_how_often() -> None:
    pairs = [PAIR] * 4000
    found = list(Variety(NAMES, Rates(**NEVER | {"shouted": 0.25})).pairs(pairs))
    deviation = (4000 * 0.25 * 0.75) ** 0.5
    assert sum(pair.source.isupper() for pair in found) == pytest.approx(1000, abs=5 * deviation)


def test_a_template_is_filled_alike_on_both_sides_and_with_two_different_values() -> None:
    english, german = "{city} is {number} km from {city2}.", "{city} ist {number} km von {city2} entfernt."
    cities = {"Munich": "München", "Rome": "Rom"}
    values = {"city": [SentencePair(*city) for city in cities.items()]}
    for pair in Variety(NAMES).filled([SentencePair(english, german)], values, 20):
        one, number, other = re.fullmatch(r"(\w+) is (\d+) km from (\w+)\.", pair.source).groups()  # type: ignore[union-attr]
        assert one != other
        assert pair.target == f"{cities[one]} ist {number} km von {cities[other]} entfernt."


def test_a_template_that_cannot_be_filled_is_named() -> None:
    for source, target, why in (
        ("{a} sees {a2}.", "{a} sieht.", "different slots"),
        ("{b}?", "{b}?", "no value"),
    ):
        with pytest.raises(ValueError, match=why):
            list(Variety(NAMES).filled([SentencePair(source, target)], {"a": [PAIR]}, 1))


def test_values_are_read_by_kind_and_a_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "values.tsv"
    file.write_text("city\tMunich\tMünchen\nfood\tpasta\tNudeln\ncity\tRome\tRom\n", encoding="utf-8")
    assert read_values(file)["city"] == [SentencePair("Munich", "München"), SentencePair("Rome", "Rom")]
    file.write_text("city\tMunich\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: expected three columns, found 2"):
        read_values(file)


def test_sentences_are_alike_whatever_their_case_accents_and_punctuation() -> None:
    assert key_of("Don't!  Café?") == key_of("dont CAFE")
    assert key_of("not now") != key_of("not no w")
