"""The grammar against textbook paradigms, famous sentences and the properties a corpus must have."""

import re
from itertools import product

import pytest

from explainer.text import english, inflection
from explainer.text.families.antecedent import Event, because_of
from explainer.text.families.description import MOVEMENTS, moved
from explainer.text.families.looks import look_of
from explainer.text.families.scenes import SCENES
from explainer.text.grammar import FAMILIES, forbid, generate, split
from explainer.text.lexicon import english_plural
from explainer.text.nouns import NOUNS
from explainer.text.phrases import Clause, Pair, Phrase
from explainer.text.words import ADJECTIVES, VERBS

CASES = inflection.CASES

# Written out from a school grammar: der alte Mann, die alte Frau, das alte Haus, die alten Leute.
TEXTBOOK_ENDINGS = {
    "the": {"nominative": "e e e en", "accusative": "en e e en", "dative": "en en en en"},
    "a": {"nominative": "er e es -", "accusative": "en e es -", "dative": "en en en -"},
    "my": {"nominative": "er e es en", "accusative": "en e es en", "dative": "en en en en"},
    "": {"nominative": "er e es e", "accusative": "en e es e", "dative": "em er em en"},
}
TEXTBOOK_DETERMINERS = {
    "the": {"nominative": "der die das die", "accusative": "den die das die", "dative": "dem der dem den"},
    "this": {
        "nominative": "dieser diese dieses diese",
        "accusative": "diesen diese dieses diese",
        "dative": "diesem dieser diesem diesen",
    },
    "no": {
        "nominative": "kein keine kein keine",
        "accusative": "keinen keine kein keine",
        "dative": "keinem keiner keinem keinen",
    },
    "our": {
        "nominative": "unser unsere unser unsere",
        "accusative": "unseren unsere unser unsere",
        "dative": "unserem unserer unserem unseren",
    },
}
TEXTBOOK_NOUNS = {  # singular nominative, accusative, dative; then the plural
    "boy": ("Junge Jungen Jungen", "Jungen Jungen Jungen"),
    "hare": ("Hase Hasen Hasen", "Hasen Hasen Hasen"),
    "elephant": ("Elefant Elefanten Elefanten", "Elefanten Elefanten Elefanten"),
    "bear": ("Bär Bären Bären", "Bären Bären Bären"),
    "neighbour": ("Nachbar Nachbarn Nachbarn", "Nachbarn Nachbarn Nachbarn"),
    "student": ("Student Studenten Studenten", "Studenten Studenten Studenten"),
    "dog": ("Hund Hund Hund", "Hunde Hunde Hunden"),
    "house": ("Haus Haus Haus", "Häuser Häuser Häusern"),
    "car": ("Auto Auto Auto", "Autos Autos Autos"),
    "woman": ("Frau Frau Frau", "Frauen Frauen Frauen"),
    "bird": ("Vogel Vogel Vogel", "Vögel Vögel Vögeln"),
    "girl": ("Mädchen Mädchen Mädchen", "Mädchen Mädchen Mädchen"),
    "fox": ("Fuchs Fuchs Fuchs", "Füchse Füchse Füchsen"),
}
TEXTBOOK_PRESENT = {
    "buy": "kaufe kaufst kauft kaufen kauft kaufen",
    "work": "arbeite arbeitest arbeitet arbeiten arbeitet arbeiten",
    "open": "öffne öffnest öffnet öffnen öffnet öffnen",
    "read": "lese liest liest lesen lest lesen",
    "take": "nehme nimmst nimmt nehmen nehmt nehmen",
    "run": "laufe läufst läuft laufen lauft laufen",
    "eat": "esse isst isst essen esst essen",
    "stop": "halte hältst hält halten haltet halten",
    "find": "finde findest findet finden findet finden",
    "feed": "füttere fütterst füttert füttern füttert füttern",
    "smile": "lächle lächelst lächelt lächeln lächelt lächeln",
    "know": "weiß weißt weiß wissen wisst wissen",
    "have": "habe hast hat haben habt haben",
    "like": "mag magst mag mögen mögt mögen",
    "draw": "zeichne zeichnest zeichnet zeichnen zeichnet zeichnen",
    "learn": "lerne lernst lernt lernen lernt lernen",
}
TEXTBOOK_PRETERITE = {
    "buy": "kaufte kauftest kaufte kauften kauftet kauften",
    "run": "lief liefst lief liefen lieft liefen",
    "find": "fand fandest fand fanden fandet fanden",
    "bring": "brachte brachtest brachte brachten brachtet brachten",
}
TEXTBOOK_PERFECT = {
    "buy": ("gekauft", False), "go": ("gegangen", True), "repair": ("repariert", False),
    "forget": ("vergessen", False), "get up": ("aufgestanden", True), "prepare": ("vorbereitet", False),
    "turn on": ("eingeschaltet", False), "stay": ("geblieben", True), "visit": ("besucht", False),
    "translate": ("übersetzt", False), "belong": ("gehört", False), "follow": ("gefolgt", True),
}  # fmt: skip
PERSONS = ("1s", "2s", "3s", "1p", "2p", "3p")


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return generate(7, 5_500)


def named(name: str) -> Phrase:
    return Phrase(NOUNS[name])


@pytest.mark.parametrize(("word", "case"), list(product(TEXTBOOK_ENDINGS, CASES)))
def test_adjective_endings_are_those_of_the_textbook(word: str, case: inflection.Case) -> None:
    for col, ending in zip("mfnp", TEXTBOOK_ENDINGS[word][case].split(), strict=True):
        if ending != "-":  # "ein" has no plural
            assert inflection.adjective_ending(word, case, col) == ending


@pytest.mark.parametrize(("word", "case"), list(product(TEXTBOOK_DETERMINERS, CASES)))
def test_determiners_are_those_of_the_textbook(word: str, case: inflection.Case) -> None:
    expected = TEXTBOOK_DETERMINERS[word][case].split()
    assert [inflection.determiner(word, case, col) for col in "mfnp"] == expected


@pytest.mark.parametrize("name", list(TEXTBOOK_NOUNS))
def test_nouns_decline_as_in_the_textbook(name: str) -> None:
    for plural, expected in zip((False, True), TEXTBOOK_NOUNS[name], strict=True):
        assert " ".join(inflection.noun_form(NOUNS[name], case, plural) for case in CASES) == expected


@pytest.mark.parametrize(
    ("adjective", "form"),
    [("high", "hohe"), ("expensive", "teure"), ("dark", "dunkle"), ("tired", "müde"), ("sour", "saure"),
     ("old", "alte"), ("clean", "saubere"), ("spooky", "unheimliche")],
)  # fmt: skip
def test_adjectives_that_change_their_stem(adjective: str, form: str) -> None:
    assert inflection.adjective_form(ADJECTIVES[adjective], "e") == form


@pytest.mark.parametrize("key", list(TEXTBOOK_PRESENT))
def test_present_is_that_of_the_textbook(key: str) -> None:
    assert " ".join(inflection.present(VERBS[key], person) for person in PERSONS) == TEXTBOOK_PRESENT[key]


@pytest.mark.parametrize("key", list(TEXTBOOK_PRETERITE))
def test_preterite_is_that_of_the_textbook(key: str) -> None:
    assert " ".join(inflection.preterite(VERBS[key], person) for person in PERSONS) == TEXTBOOK_PRETERITE[key]


@pytest.mark.parametrize("key", list(TEXTBOOK_PERFECT))
def test_participle_and_auxiliary(key: str) -> None:
    assert (VERBS[key].perfect, VERBS[key].sein) == TEXTBOOK_PERFECT[key]


def test_modals() -> None:
    assert [inflection.modal("können", "present", p) for p in PERSONS] == [
        "kann",
        "kannst",
        "kann",
        "können",
        "könnt",
        "können",
    ]
    assert [inflection.modal("müssen", "present", p) for p in PERSONS] == [
        "muss",
        "musst",
        "muss",
        "müssen",
        "müsst",
        "müssen",
    ]
    assert [inflection.modal("wollen", "past", p) for p in PERSONS] == (
        ["wollte", "wolltest", "wollte", "wollten", "wolltet", "wollten"]
    )


def test_imperatives() -> None:
    forms = {"read": "lies", "take": "nimm", "open": "öffne", "go": "geh", "help": "hilf", "write": "schreib",
             "eat": "iss", "work": "arbeite", "sleep": "schlaf", "enter": "betritt",
             "repair": "repariere"}  # fmt: skip
    assert {key: inflection.imperative(VERBS[key]) for key in forms} == forms


def test_word_order() -> None:
    clause = Clause("er", "steht", ("heute", "früh"), prefix="auf")
    assert clause.main() == "er steht heute früh auf"
    assert clause.main("jetzt") == "jetzt steht er heute früh auf"
    assert clause.question() == "steht er heute früh auf"
    assert clause.subordinate() == "er heute früh aufsteht"


def test_contractions() -> None:
    assert inflection.contract("in", named("house").german("dative")) == "im Haus"
    assert inflection.contract("in", named("house").german("accusative")) == "ins Haus"
    assert inflection.contract("zu", named("bridge").german("dative")) == "zur Brücke"
    assert inflection.contract("in", named("city").german("dative")) == "in der Stadt"


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [("animal", "an animal"), ("unicorn", "a unicorn"), ("hour", "an hour"),
     ("old unicorn", "an old unicorn"),
     ("ugly house", "an ugly house"), ("university", "a university")],
)  # fmt: skip
def test_a_or_an(phrase: str, expected: str) -> None:
    assert english.article(phrase) == expected


def test_english_forms() -> None:
    assert [english.third_person(w) for w in ("go", "watch", "cry", "play", "have")] == (
        ["goes", "watches", "cries", "plays", "has"]
    )
    assert [english.ing(w) for w in ("run", "write", "lie", "see", "open", "travel")] == (
        ["running", "writing", "lying", "seeing", "opening", "travelling"]
    )
    assert [english_plural(w) for w in ("fox", "city", "mouse", "guinea pig", "boy", "potato", "wolf")] == (
        ["foxes", "cities", "mice", "guinea pigs", "boys", "potatoes", "wolves"]
    )


@pytest.mark.parametrize(
    ("reason", "pronoun", "adjective", "antecedent", "other"),
    [("tired", "es", "müde", "animal", "street"), ("wide", "sie", "breit", "street", "animal")],
)
def test_the_famous_sentence(reason: str, pronoun: str, adjective: str, antecedent: str, other: str) -> None:
    cross, street = next(
        (scene, target)
        for scene in SCENES
        for target in scene.targets
        if scene.verb == VERBS["cross"] and NOUNS["animal"] in scene.actors and target.noun == NOUNS["street"]
    )
    assert ADJECTIVES[reason] in (
        cross.stops if antecedent == "animal" else street.stops
    )  # so it can be drawn
    event = Event(cross, named("animal"), named("street"), ADJECTIVES[reason], named(antecedent))
    made = because_of(event, negated=True, degree="too", tense="past")
    assert made.english == f"The animal didn't cross the street because it was too {reason}."
    assert made.german == f"Das Tier überquerte die Straße nicht, weil {pronoun} zu {adjective} war."
    assert (made.antecedent, made.other, made.adjective, made.pronoun) == (antecedent, other, reason, pronoun)


def test_the_quick_brown_fox() -> None:
    fox, dog = NOUNS["fox"], NOUNS["dog"]
    kind = next(k for k in MOVEMENTS if VERBS["jump"] in k.verbs and fox in k.actors and dog in k.places)
    quick, brown, lazy = (ADJECTIVES[word] for word in ("quick", "brown", "lazy"))
    assert all(any(a in group for group in look_of(n)) for a, n in ((quick, fox), (brown, fox), (lazy, dog)))
    made = moved(
        kind, VERBS["jump"], Phrase(fox, "the", (quick, brown)), Phrase(dog, "the", (lazy,)), "present"
    )
    assert made.english == "The quick brown fox jumps over the lazy dog."
    assert made.german == "Der schnelle braune Fuchs springt über den faulen Hund."


def test_scenes_are_unambiguous_and_as_many_as_promised() -> None:
    for scene in SCENES:
        for target in scene.targets:
            assert not {*scene.stops, *scene.drives} & {*target.stops, *target.invites}
    actors = {noun for scene in SCENES for noun in scene.actors}
    objects = {target.noun for scene in SCENES for target in scene.targets}
    assert len(SCENES) >= 25
    assert len(actors) >= 50
    assert len(objects) >= 60
    assert {noun.gender for noun in actors} == {noun.gender for noun in objects} == {"m", "f", "n"}


def test_the_pronoun_agrees_with_its_antecedent(pairs: list[Pair]) -> None:
    by_head = {noun.english: noun for noun in NOUNS.values()}
    plurals = {noun.english_plural for noun in NOUNS.values() if noun.english_plural}
    allowed = {"m": {"er", "ihn", "ihm"}, "f": {"sie", "ihr"}, "n": {"es", "ihm"}}
    seen = {"er": 0, "sie": 0, "es": 0}
    for each in pairs:
        if each.family != "antecedent":
            continue
        assert re.search(rf"\b{each.pronoun}\b", each.german, re.IGNORECASE), each
        if "it" in re.findall(r"\w+", each.english.lower()):
            assert each.pronoun in allowed[by_head[each.antecedent].gender], each
            seen[each.pronoun] = seen.get(each.pronoun, 0) + 1
        else:
            assert each.antecedent in plurals, each
            assert each.pronoun in ("sie", "ihnen"), each
    assert min(seen["er"], seen["sie"], seen["es"]) > 50


# Which gender and case a determiner can announce (der-words), written out by hand; p is the plural.
ANNOUNCES = {
    "der": "m1 f3", "die": "f1 f4 p1 p4", "das": "n1 n4", "den": "m4 p3", "dem": "m3 n3",
    "ein": "m1 n1 n4", "eine": "f1 f4", "einen": "m4", "einem": "m3 n3", "einer": "f3",
    "kein": "m1 n1 n4", "keinen": "m4 p3", "meine": "f1 f4 p1 p4", "meinen": "m4 p3", "meinem": "m3 n3",
    "im": "m3 n3", "ins": "n4", "am": "m3 n3", "vom": "m3 n3", "zum": "m3 n3", "zur": "f3",
}  # fmt: skip


def forms_of_nouns() -> dict[str, set[str]]:
    """Every German noun form with the genders and cases it can stand for."""
    found: dict[str, set[str]] = {}
    numbers = {"nominative": "1", "dative": "3", "accusative": "4"}
    for noun, case in product(NOUNS.values(), CASES):
        found.setdefault(inflection.noun_form(noun, case, False), set()).add(noun.gender + numbers[case])
        if noun.german_plural:
            found.setdefault(inflection.noun_form(noun, case, True), set()).add("p" + numbers[case])
    return found


def test_no_article_disagrees_with_its_noun(pairs: list[Pair]) -> None:
    forms, checked = forms_of_nouns(), 0
    pattern = re.compile(
        rf"(?<!, )\b(?i:({'|'.join(ANNOUNCES)}))((?: [a-zäöüß]+(?:e|en|er|es|em))*) ([A-ZÄÖÜ][\w-]+)"
    )
    for each in pairs:
        for word, _, noun in pattern.findall(each.german):
            if noun in forms and noun[0].isupper():
                assert set(ANNOUNCES[word.lower()].split()) & forms[noun], (word, noun, each.german)
                checked += 1
    assert checked > 2500


def test_subordinate_clauses_end_in_their_verb(pairs: list[Pair]) -> None:
    finite = {"war", "waren", "ist", "sind"}
    checked = 0
    for each in pairs:
        if each.family == "antecedent" and (found := re.search(r", (?:weil|obwohl) (.*)\.$", each.german)):
            assert found[1].split()[-1] in finite, each
            checked += 1
    assert checked > 100


def test_sentences_are_well_formed(pairs: list[Pair]) -> None:
    for each in pairs:
        for text in (each.english, each.german):
            assert re.fullmatch(r"[A-ZÄÖÜ].*[.?!]", text), each
            assert "  " not in text, each
            assert " ," not in text, each
            assert not re.search(r"[@_|>]", text), each
            doubled = re.search(
                r"\b(\w+) \1\b", text, re.IGNORECASE
            )  # "weil sie sie", "die Frau, die die Uhr"
            assert not doubled or doubled[1].lower() in ("sie", "die", "das", "der"), each
        assert not re.search(r"\ba [aeio]|\ban (?!hour)[bcdfghjklmnpqrstvwxyz]", each.english), each


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_variety(family: str) -> None:
    made = generate(1, 500, families=[family])
    assert {each.family for each in made} == {family}
    assert len({each.english.split()[0] + each.english.split()[-1] for each in made}) > 100


def test_the_seed_decides_and_nothing_repeats(pairs: list[Pair]) -> None:
    assert generate(7, 500) == generate(7, 500) != generate(8, 500)
    assert len({each.english for each in pairs}) == len(pairs) == 5_500
    assert {each.family for each in pairs} == set(FAMILIES)


def test_held_out_words_stay_out_of_the_antecedent_family_only() -> None:
    held = ("animal", "street", "mouse", "tired", "wide", "guinea pig")
    made = generate(3, 1000, families=["antecedent"], hold_out=held)
    text = " ".join(each.english for each in made).lower()
    for word in (*held, "animals", "streets", "mice", "guinea pigs"):
        assert not re.search(rf"\b{word}\b", text)
    others = generate(3, 1000, families=["description", "simple"], hold_out=held)
    assert re.search(r"\btired\b", " ".join(each.english for each in others))
    assert forbid(()) is None


def test_split_leaks_no_sentence(pairs: list[Pair]) -> None:
    parts = split(pairs, seed=1)
    assert sorted(map(str, pairs)) == sorted(str(each) for part in parts for each in part)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not {p.english for p in parts[one]} & {p.english for p in parts[other]}
        assert not {p.german for p in parts[one]} & {p.german for p in parts[other]}
    assert [len(part) for part in parts[1:]] == pytest.approx([110, 110], rel=0.1)
    assert split(pairs, seed=1) == parts


def test_split_keeps_connected_pairs_together() -> None:
    chained = [
        Pair("a", "x", "simple"),
        Pair("b", "x", "simple"),
        Pair("b", "y", "simple"),
        Pair("c", "z", "simple"),
    ]
    for seed in range(20):
        where = {
            pair: i for i, part in enumerate(split(chained, seed, valid=0.25, test=0.25)) for pair in part
        }
        assert len({where[pair] for pair in chained[:3]}) == 1


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="families: \\['poem'\\]"):
        generate(0, 10, families=["poem"])
