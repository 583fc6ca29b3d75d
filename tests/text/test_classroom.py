"""The classroom corpus: split without leaks, made again the same, and judged by paradigms written by hand."""

import pickle
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest

from explainer.cli.commands import main
from explainer.text import classroom, inflection
from explainer.text.classroom import (
    LESSONS,
    SPLITS,
    Split,
    classroom_corpus,
    classroom_exercises,
    classroom_pairs,
    draw,
    has_new,
    is_new,
)
from explainer.text.corpora import SentencePair, read_pairs
from explainer.text.inflection import CASES
from explainer.text.lessons import deeds, places
from explainer.text.lessons.saying import Exercise
from explainer.text.lessons.vocabulary import CLASSES, LOOKS, noun
from explainer.text.lexicon import Verb
from tests.text import paradigms

PER_LESSON = 300
MAKE = (
    "import pickle, sys; from explainer.text.classroom import classroom_exercises; "
    "pickle.dump(classroom_exercises(), sys.stdout.buffer)"
)
PERSONS = ("1s", "2s", "3s", "1p")
GENDERS = "mfnp"
Reading = tuple[str, str]  # gender or p, and case


@pytest.fixture(scope="module")
def everything() -> list[Exercise]:
    return [each for part in classroom_exercises(5, PER_LESSON).values() for each in part]


@pytest.fixture(scope="module")
def made() -> Iterator[dict[Split, tuple[Exercise, ...]]]:
    """The corpus of full size, made once, by a process of its own.

    There nobody checks the types of a million small calls, which takes twenty times as long as to make it; the 5,400
    exercises of `everything` are made with all checks.
    """
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", MAKE], capture_output=True, check=True, cwd=root)
    parts: dict[Split, tuple[Exercise, ...]] = pickle.loads(done.stdout)
    divided = classroom._divided
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            classroom,
            "_divided",
            lambda *asked: parts if asked == (classroom.SEED, classroom.PER_LESSON) else divided(*asked),
        )
        yield parts


def table(text: str) -> dict[str, str]:
    return dict(line.split(": ") for line in text.strip().splitlines())


def verbs_used() -> dict[str, Verb]:
    rows = (deeds.OBJECTS, deeds.PERSONS, deeds.HELPING, deeds.SEPARABLE, deeds.GIVING, deeds.PUTTING)
    used = [deeds.verb(row.key) for group in rows for row in group]
    used += [deeds.verb(each.key) for each in deeds.IDIOMS] + [move.verb for move in places.MOVES]
    used.append(deeds.verb("belong"))
    return {f"{verb.prefix}|{verb.infinitive}".lstrip("|"): verb for verb in used}


@pytest.mark.parametrize(("name", "verb"), list(verbs_used().items()))
def test_every_verb_has_the_forms_of_the_hand_written_table(name: str, verb: Verb) -> None:
    present, perfect, imperative = table(paradigms.VERBS)[name].split(", ")
    assert " ".join(inflection.present(verb, person) for person in PERSONS) == present
    assert f"{'ist' if verb.sein else 'hat'} {verb.perfect}" == perfect
    if imperative != "-":
        assert inflection.imperative(verb) == imperative


def test_every_noun_has_the_forms_of_the_hand_written_table() -> None:
    expected = table(paradigms.NOUNS)
    assert set(expected) == set(LOOKS)
    for name, cells in expected.items():
        article, singular, *plurals = cells.split()
        nominative, _, weak = singular.partition("+")
        one = noun(name)
        assert inflection.determiner("the", "nominative", one.gender) == article
        forms = [inflection.noun_form(one, case, False) for case in CASES]
        assert forms == [nominative, nominative + weak, nominative + weak]
        if plurals:
            assert inflection.noun_form(one, "nominative", True) == plurals[0]
            assert inflection.noun_form(one, "accusative", True) == plurals[0]
            assert inflection.noun_form(one, "dative", True) == plurals[1]
        else:
            assert not one.german_plural


def adjective_table() -> dict[str, tuple[str, str]]:
    cells = paradigms.ADJECTIVES.replace("\n", ",").strip(",").split(",")
    return {english: (german, stem.rstrip("-")) for english, german, stem in (cell.split() for cell in cells)}


def test_every_adjective_has_the_stem_of_the_hand_written_table() -> None:
    expected = adjective_table()
    used = {adjective for group in CLASSES for adjective in group}
    assert {adjective.english for adjective in used} == set(expected)
    for adjective in used:
        german, stem = expected[adjective.english]
        assert adjective.german == german
        assert inflection.adjective_form(adjective, "en") == stem + "en"


# The judge: which gender and case can a determiner, its adjectives and its noun stand for together?


def noun_readings() -> dict[str, set[Reading]]:
    found: dict[str, set[Reading]] = {}
    for cells in table(paradigms.NOUNS).values():
        article, singular, *plurals = cells.split()
        gender = {"der": "m", "die": "f", "das": "n"}[article]
        nominative, _, weak = singular.partition("+")
        for case in CASES:
            form = nominative if case == "nominative" else nominative + weak
            found.setdefault(form, set()).add((gender, case))
            if plurals:
                found.setdefault(plurals[case == "dative"], set()).add(("p", case))
    return found


def cells_of(rows: tuple[str, str, str]) -> dict[Reading, str]:
    order = dict(zip(("nominative", "accusative", "dative"), rows, strict=True))
    return {
        (gender, case): form
        for case, row in order.items()
        for gender, form in zip(GENDERS, row.split(), strict=True)
    }


NOUN_READINGS = noun_readings()
ENDINGS = {name: cells_of(rows) for name, rows in paradigms.ENDINGS.items()}
DETERMINERS = {name: cells_of(rows) for name, rows in paradigms.DETERMINERS.items() if name}
DETERMINER_FORMS = {form for cells in DETERMINERS.values() for form in cells.values()} - {"*"}
STEMS = {stem for _, stem in adjective_table().values()}
ADJECTIVE = re.compile(f"({'|'.join(sorted(STEMS, key=len, reverse=True))})(e|en|em|er|es)")


def readings(determiner: str, adjectives: list[str], head: str) -> set[Reading]:
    """All genders and cases in which the words agree, by the hand-written tables alone."""
    endings = {match[2] for word in adjectives if (match := ADJECTIVE.fullmatch(word))}
    found = set()
    for reading, name in product(NOUN_READINGS[head], paradigms.DETERMINERS):
        if determiner != (DETERMINERS[name][reading] if name else ""):
            continue
        kind = "weak" if name in paradigms.WEAK else "strong" if name in paradigms.STRONG else "mixed"
        if endings <= {ENDINGS[kind][reading]}:
            found.add(reading)
    return found


def phrases(german: str) -> list[tuple[str, str, list[str], str]]:
    """Find "preposition, determiner, adjectives, noun" in a sentence; what is missing is empty."""
    for short, long in paradigms.CONTRACTED.items():
        german = re.sub(
            rf"\b{short}\b", long, re.sub(rf"\b{short.capitalize()}\b", long.capitalize(), german)
        )
    tokens = re.findall(r"[\wäöüÄÖÜß-]+|[,.?!]", german)
    found = []
    for i, head in enumerate(tokens):
        if head not in NOUN_READINGS:
            continue
        start = i
        while start > 0 and ADJECTIVE.fullmatch(tokens[start - 1].lower()):
            start -= 1
        adjectives = [word.lower() for word in tokens[start:i]]
        before = tokens[start - 1].lower() if start else ""
        relative = start > 1 and tokens[start - 2] == ","  # "der Mann, der alte Bücher liest"
        determiner = before if before in DETERMINER_FORMS and not relative else ""
        place = start - 1 if determiner else start
        preposition = tokens[place - 1].lower() if place > 0 else ""
        found.append((preposition, determiner, adjectives, head))
    return found


FIXED = {"Gitarre", "Bett", "Hause", "Bus", "Zug"}  # in "spielt Gitarre", "ins Bett gehen", "nach Hause"


def test_determiner_adjectives_and_noun_agree(everything: list[Exercise]) -> None:
    checked: Counter[str] = Counter()
    for each in everything:
        for preposition, determiner, adjectives, head in phrases(each.german):
            agreed = readings(determiner, adjectives, head)
            if not determiner and not adjectives and head in FIXED:
                continue
            assert agreed, (determiner, adjectives, head, each.german)
            if preposition in paradigms.PREPOSITIONS and not (preposition == "zu" and not determiner):
                cases = paradigms.PREPOSITIONS[preposition].split()
                assert any(case in cases for _, case in agreed), (preposition, head, each.german)
                checked[preposition] += 1
            checked["phrases"] += 1
            checked["adjectives"] += bool(adjectives)
    assert checked["phrases"] > 6000
    assert checked["adjectives"] > 3000
    assert min(checked[word] for word in paradigms.PREPOSITIONS) > 5


def test_the_judge_rejects_wrong_phrases() -> None:
    assert not readings("der", ["alte"], "Haus")
    assert not readings("ein", ["alte"], "Mann")
    assert not readings("dem", ["altes"], "Haus")
    assert not readings("den", ["alten"], "Junge")
    assert not readings("", ["alten"], "Männer")
    assert readings("den", ["alten"], "Männern") == {("p", "dative")}
    assert readings("einem", ["kleinen"], "Bären") == {("m", "dative")}


def finite_forms(joined: bool) -> set[str]:
    """All finite forms, of separable verbs with the prefix joined (…, dass er aufsteht) or apart (er steht … auf)."""
    forms = {form for group in paradigms.HELPERS.replace("\n", ";").split(";") for form in group.split()}
    for name, cells in table(paradigms.VERBS).items():
        prefix = name.partition("|")[0] if joined and "|" in name else ""
        forms |= {prefix + form for form in cells.partition(",")[0].split()}
    return forms | {"regnet", "regnete", "stimmt"}


PREFIXES = {name.partition("|")[0] for name in table(paradigms.VERBS) if "|" in name}
LAST, SECOND = finite_forms(joined=True), finite_forms(joined=False)
SUBORDINATE = re.compile(r"(?:^|, )(?:weil|obwohl|wenn|dass|ob|warum|wann|wo) ([^,.?]*)[,.?]", re.IGNORECASE)


def test_subordinate_clauses_end_in_their_finite_verb(everything: list[Exercise]) -> None:
    checked = 0
    for each in everything:
        if each.lesson not in ("reasons", "that and whether"):
            continue
        found = SUBORDINATE.findall(each.german)
        assert found, each
        for clause in found:
            assert clause.split()[-1] in LAST, each
            checked += 1
    assert checked >= 2 * PER_LESSON * 0.95


def test_relative_clauses_end_in_their_finite_verb_and_agree(everything: list[Exercise]) -> None:
    for each in everything:
        if each.lesson != "relative clauses":
            continue
        found = re.search(r"([A-ZÄÖÜ][\wäöüß]+), (der|die|das|den|dem) ([^,.?]*)[,.?]", each.german)
        assert found, each
        assert found[3].split()[-1] in LAST, each
        genders = {"der": "m f", "die": "f p", "das": "n", "den": "m", "dem": "m n"}[found[2]].split()
        assert any(gender in genders for gender, _ in NOUN_READINGS[found[1]]), each


AGREEING = {"objects", "datives", "numbers", "being", "places", "separable", "negation", "perfect", "modals"}


def third_persons() -> tuple[set[str], set[str]]:
    """The finite forms for er and for wir, which sie (plural) shares."""
    cells = [group.split() for group in paradigms.HELPERS.replace("\n", ";").split(";") if group.strip()]
    cells += [row.partition(",")[0].split() for row in table(paradigms.VERBS).values()]
    return {row[2] for row in cells}, {row[3] for row in cells}


def test_the_subject_is_nominative_and_its_verb_second_and_of_its_number(everything: list[Exercise]) -> None:
    singular, plural = third_persons()
    checked: Counter[str] = Counter()
    for each in everything:
        first = each.german.split()[0].lower()
        if each.lesson not in AGREEING or first not in DETERMINER_FORMS:
            continue
        _, determiner, adjectives, head = phrases(each.german)[0]
        agreed = {gender for gender, case in readings(determiner, adjectives, head) if case == "nominative"}
        assert agreed, each
        verb = re.findall(r"\w+", each.german)[len(adjectives) + 2]
        assert (verb in singular and agreed - {"p"}) or (verb in plural and "p" in agreed), each
        checked["p" if verb in plural else "s"] += 1
    assert checked["s"] > 500
    assert checked["p"] > 100


def test_what_is_pointed_at_agrees_with_is_or_are(everything: list[Exercise]) -> None:
    checked: Counter[str] = Counter()
    for each in everything:
        if not (found := re.match(r"(?:Wo|Das) (ist|war|sind|waren) (?=[a-zß])", each.german)):
            continue
        _, determiner, adjectives, head = phrases(each.german)[0]
        genders = {gender for gender, case in readings(determiner, adjectives, head) if case == "nominative"}
        assert "p" in genders if found[1] in ("sind", "waren") else genders - {"p"}, each
        english = {"ist": "is", "war": "was", "sind": "are", "waren": "were"}[found[1]]
        assert each.english.split()[1] == english, each
        checked[found[1]] += 1
    assert min(checked[form] for form in ("ist", "sind")) > 10


FRONTS = (
    "Gestern", "Am Sonntag", "Letzte Woche", "Vor zwei Tagen", "Heute Morgen", "Morgen", "Nächste Woche", "Am Freitag",
    "Heute Abend", "Jetzt", "Heute", "Jeden Tag", "Jeden Abend", "Montags", "Oft", "Manchmal",
)  # fmt: skip


def test_the_finite_verb_is_second_after_a_time_and_after_a_clause(everything: list[Exercise]) -> None:
    times = re.compile(f"^({'|'.join(sorted(FRONTS, key=len, reverse=True))}) (\\w+)")
    checked: Counter[str] = Counter()
    for each in everything:
        if each.lesson == "order" and (found := times.match(each.german)):
            assert found[2] in SECOND, each
            checked["time"] += 1
        if each.lesson == "reasons" and (
            found := re.match(r"(?:Weil|Wenn|Obwohl) [^,]*, (\w+)", each.german)
        ):
            assert found[1] in SECOND, each
            checked["clause"] += 1
        if found := re.search(r", deshalb (\w+)", each.german):
            assert found[1] in SECOND, each
            checked["deshalb"] += 1
    assert min(checked[kind] for kind in ("time", "clause", "deshalb")) > 40


def test_yes_no_questions_and_commands_begin_with_their_verb(everything: list[Exercise]) -> None:
    imperatives = {cells.split(", ")[2] for cells in table(paradigms.VERBS).values()}
    for each in everything:
        first = each.german.split()[0].lower()
        if each.lesson == "questions":
            assert first in SECOND, each
        if each.lesson == "commands":
            word = each.german.split()[1].lower() if first == "bitte" else first
            assert word.rstrip("!.") in imperatives, each


def test_perfects_and_separable_verbs_close_their_clause(everything: list[Exercise]) -> None:
    participles = {cells.split(", ")[1].split()[1] for cells in table(paradigms.VERBS).values()}
    infinitives = {name.replace("|", "") for name in table(paradigms.VERBS)}
    for each in everything:
        last = re.findall(r"\w+", each.german)[-1]
        if each.lesson == "perfect":
            assert last in participles, each
        if each.lesson == "separable":
            assert last in PREFIXES | participles | infinitives, each
        if each.lesson == "modals":
            assert last in infinitives, each


def test_it_is_er_sie_or_es_with_the_gender_of_its_noun(everything: list[Exercise]) -> None:
    genders = {"er": "m", "sie": "f", "es": "n"}
    checked: Counter[str] = Counter()
    for each in everything:
        if not re.search(
            r"(\. It is|\? It (is|was)|(but|and|because) it (is|was)) (?!raining|late|cold|hot|dark|Sun)",
            each.english,
        ):
            continue
        before, found, _ = re.split(
            r"\b(er|sie|es)\b(?=[^,]*$)", each.german, maxsplit=1, flags=re.IGNORECASE
        )
        heads = [word for word in re.findall(r"\w+", before) if word in NOUN_READINGS]
        if not heads:
            continue
        allowed = {gender for gender, _ in NOUN_READINGS[heads[-1]]}
        assert genders[found.lower()] in allowed, each
        checked[found.lower()] += 1
    assert min(checked[word] for word in genders) > 20


def test_negated_sentences_deny_once(everything: list[Exercise]) -> None:
    for each in everything:
        if each.lesson == "negation":
            assert len(re.findall(r"\b(?:nicht|kein\w*|nie)\b", each.german)) == 1, each
            assert re.search(r"n't\b|\bnot\b|\bnever\b", each.english), each


@pytest.mark.usefixtures("made")
def test_no_sentence_of_either_language_is_in_two_parts() -> None:
    parts = {split: classroom_pairs(split) for split in SPLITS}
    for one, other in combinations(SPLITS, 2):
        assert not {pair.source for pair in parts[one]} & {pair.source for pair in parts[other]}
        assert not {pair.target for pair in parts[one]} & {pair.target for pair in parts[other]}
    assert len(parts["train"]) > 30_000
    assert min(len(parts["valid"]), len(parts["test"])) > 500
    assert all(isinstance(pair, SentencePair) for pair in parts["valid"])


def test_new_combinations_are_only_in_the_test(made: dict[Split, tuple[Exercise, ...]]) -> None:
    parts = made
    assert not any(has_new(each) for split in ("train", "valid") for each in parts[split])
    new = [each for each in parts["test"] if has_new(each)]
    assert len(new) > 1000
    learnt = {one for each in parts["train"] for one in each.combinations}
    words = {word for combination in learnt for word in combination}
    for each in new:
        fresh = {one for one in each.combinations if is_new(one)}
        assert fresh
        assert not fresh & learnt
        assert {word for one in fresh for word in one} <= words  # only the combination is new
    assert {each.lesson for each in parts["test"]} == set(LESSONS)


def test_one_english_sentence_has_one_german_sentence() -> None:
    german: dict[str, set[str]] = {}
    for seed in (2, 3, 4):
        for each in draw(seed, 150):
            german.setdefault(each.english, set()).add(each.german)
    assert len(german) > 6_000
    assert [english for english, several in german.items() if len(several) > 1] == []


def test_a_process_of_its_own_makes_the_same_corpus(made: dict[Split, tuple[Exercise, ...]]) -> None:
    """What the full corpus begins with: the first lessons, drawn here with all checks."""
    there = {each.english: each for part in made.values() for each in part}
    rng = Random(f"classroom objects {classroom.SEED}")
    here = [each for each in (LESSONS["objects"](rng) for _ in range(300)) if each is not None]
    assert len(here) > 200
    assert all(there[each.english] == each for each in here)


def test_the_seed_decides() -> None:
    assert draw(3, 50) == draw(3, 50)
    assert {each.english for each in draw(3, 50)} != {each.english for each in draw(4, 50)}
    assert classroom_pairs("test", seed=3, per_lesson=60) == classroom_pairs("test", seed=3, per_lesson=60)


def test_sentences_are_well_formed(everything: list[Exercise]) -> None:
    assert {each.lesson for each in everything} == set(LESSONS)
    for each in everything:
        for text in (each.english, each.german):
            assert re.fullmatch(r"[A-ZÄÖÜ].*[.?!]", text), each
            assert not re.search(r"  | ,|[@_|>]", text), each
        assert not re.search(r"\ba [aeio]|\ban (?!hour)[bcdfghjklmnpqrstvwxyz]", each.english), each
        assert not re.search(r"\b(\w+) \1\b", each.english), each
        doubled = re.search(r"\b(\w+) \1\b", each.german, re.IGNORECASE)
        assert not doubled or doubled[1].lower() in ("sie", "die", "das", "der", "den", "dem"), each


@pytest.mark.usefixtures("made")
def test_the_command_writes_a_part_that_can_be_read_again(tmp_path: Path) -> None:
    out = tmp_path / "valid.tsv"
    assert main(["corpus", "classroom", "--part", "valid", "--out", str(out)]) == 0
    corpus = read_pairs(out)
    assert corpus.pairs == classroom_pairs("valid") == classroom_corpus().valid
    assert corpus.bad_lines == []


def test_a_lesson_with_too_few_sentences_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    only = Exercise("Tom is here.", "Tom ist hier.", "one", frozenset())
    monkeypatch.setattr("explainer.text.classroom.LESSONS", {"one": lambda rng: only})
    with pytest.raises(ValueError, match="per_lesson = 2: lesson 'one' gave only 1 sentences"):
        draw(1, 2)
