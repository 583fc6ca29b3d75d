"""Sentences with be: what things are like, where they are, what they cost."""

from random import Random

from explainer.text import english, inflection
from explainer.text.families.looks import look_of
from explainer.text.families.speakers import NAMES, PRONOUNS, a_person
from explainer.text.inflection import Case, Tense
from explainer.text.lexicon import Adjective
from explainer.text.nouns import ANIMALS, pick
from explainer.text.phrases import Clause, Nominal, Phrase, Someone, words
from explainer.text.words import ADJECTIVES, adjectives

MOODS = adjectives(
    "tired sick happy sad hungry thirsty nervous angry curious lonely young old rich poor friendly "
    "strong lazy brave "
    "clever proud careful tall"
)
GOODS = pick(
    "car house bicycle table coat dress jacket skirt shirt hat watch computer phone lamp carpet "
    "guitar violin sofa picture "
    "ring boat camera suitcase vase umbrella book bag chair bed mirror scarf pullover blouse clock "
    "door window garden"
)
PRICED = pick(
    "car hat coat dress jacket shirt book lamp ring watch guitar picture cake bread bicycle sofa "
    "vase apple ticket"
)
SPOTS: tuple[tuple[str, str, str, str], ...] = (  # things, English and German preposition, places
    (
        "key book letter cup glass bottle apple newspaper plate pen bag hat map phone",
        "on",
        "auf",
        "table chair bench shelf bed",
    ),
    (
        "key letter book hat watch ring camera picture shirt ball",
        "in",
        "in",
        "drawer box suitcase cupboard bag chest",
    ),
    ("ball dog cat box shoe bag suitcase key", "under", "unter", "table chair bed bench sofa tree"),
    ("car bicycle tree dog bus bench", "in front of", "vor", "house school church hotel station museum"),
    ("car bicycle tree garden bench barn", "behind", "hinter", "house school church castle barn"),
    ("picture mirror map clock lamp", "on", "an", "wall@room"),
    (
        "hotel school church bank park cinema library",
        "next to",
        "neben",
        "station market museum park hospital bridge",
    ),
    ("milk cheese butter juice egg cake", "in", "in", "fridge kitchen cellar"),
    ("lamp chair chest bed sofa", "next to", "neben", "door window table bed"),
)
TIMES = {"today": "heute", "now": "jetzt", "always": "immer", "often": "oft"}


def thing(rng: Random) -> Phrase:
    """Draw a thing with a determiner."""
    given = rng.choices(("the", "my", "your", "his", "her", "our", "this"), (8, 2, 2, 1, 1, 1, 2))[0]
    return Phrase(rng.choice(GOODS), given, plural=rng.random() < 0.12)


def somebody(rng: Random) -> Nominal:
    """Draw a pronoun, a name, a person or an animal."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(PRONOUNS)
    if kind == 1:
        return rng.choice(NAMES)
    return (
        a_person(rng) if kind == 2 else Phrase(rng.choice(list(ANIMALS.values())), plural=rng.random() < 0.15)
    )


def quality(rng: Random, subject: Nominal) -> Adjective:
    """Draw an adjective that can be said of the subject."""
    if isinstance(subject, Someone):
        return rng.choice(MOODS)
    classes = look_of(subject.noun)
    found = rng.choice([a for kind in classes for a in kind if a.english not in ("little", "spotted")])
    return ADJECTIVES["small"] if found.english == "tiny" else found


def be_clause(subject: Nominal, tense: Tense, rest: str) -> Clause:
    """Return the German clause with sein."""
    return Clause(subject.german("nominative"), inflection.SEIN[tense][subject.person], (rest,))


def is_like(rng: Random) -> tuple[str, str]:
    """The soup is very hot. / My brother isn't tired."""
    subject = thing(rng) if rng.random() < 0.5 else somebody(rng)
    said = quality(rng, subject)
    tense: Tense = rng.choice(("present", "present", "past"))
    negated = rng.random() < 0.25
    degree = rng.choice(("", "", "very", "too")) if said.graded else ""
    german_degree = {"": "", "very": "sehr", "too": "zu"}[degree]
    source = words(subject.english(), english.be(tense, subject.person, negated), degree, said.english)
    rest = words("nicht" if negated else "", german_degree, said.german)
    return source, be_clause(subject, tense, rest).main()


def spot(rng: Random) -> tuple[Phrase, str, str]:
    """Draw a thing and where it is, in both languages."""
    things, near, german_near, places = rng.choice(SPOTS)
    one = Phrase(
        rng.choice(pick(things)), rng.choice(("the", "the", "my", "your", "our")), plural=rng.random() < 0.1
    )
    if (
        one.noun.english in ("hotel", "school", "church", "bank", "park", "cinema", "library", "tree")
        or not one.noun.german_plural
    ):
        one = Phrase(one.noun)
    other = Phrase(rng.choice([n for n in pick(places) if n != one.noun]), "the")
    case: Case = "dative"
    return one, words(near, other.english()), inflection.contract(german_near, other.german(case))


def is_somewhere(rng: Random) -> tuple[str, str]:
    """The key is on the table."""
    subject, where, german = spot(rng)
    tense: Tense = rng.choice(("present", "present", "past"))
    negated = rng.random() < 0.2
    source = words(subject.english(), english.be(tense, subject.person, negated), where)
    return source, be_clause(subject, tense, words("nicht" if negated else "", german)).main()


def anybody_else(rng: Random) -> Nominal:
    """Draw somebody other than the speaker."""
    while True:
        other = somebody(rng)
        if other.person not in ("1s", "1p"):
            return other


def ask_about_being(rng: Random) -> tuple[str, str]:
    """Is the house old? / Where is my key? / How old is your brother?"""
    kind = rng.choice(("like", "like", "where", "spot", "age", "colour"))
    tense: Tense = rng.choice(("present", "present", "past"))
    if kind == "where":
        subject: Nominal = spot(rng)[0] if rng.random() < 0.6 else anybody_else(rng)
        return words("where", english.be(tense, subject.person), subject.english()), words(
            "wo", inflection.SEIN[tense][subject.person], subject.german("nominative")
        )
    if kind == "spot":
        subject, where, german = spot(rng)
        return words(english.be(tense, subject.person), subject.english(), where), be_clause(
            subject, tense, german
        ).question()
    if kind == "age":
        subject = (
            a_person(rng) if rng.random() < 0.4 else thing(rng) if rng.random() < 0.6 else anybody_else(rng)
        )
        return words("how old", english.be("present", subject.person), subject.english()), words(
            "wie alt", inflection.SEIN["present"][subject.person], subject.german("nominative")
        )
    if kind == "colour":
        subject = thing(rng)
        has = inflection.HABEN["present"][subject.person]
        source = words("what colour", english.be("present", subject.person), subject.english())
        return source, words("welche Farbe", has, subject.german("nominative"))
    subject = thing(rng) if rng.random() < 0.5 else anybody_else(rng)
    said = quality(rng, subject)
    degree = rng.choice(("", "", "very")) if said.graded else ""
    source = words(english.be(tense, subject.person), subject.english(), degree, said.english)
    return source, be_clause(subject, tense, words("sehr" if degree else "", said.german)).question()


def ask_the_price(rng: Random) -> tuple[str, str]:
    """How much does the red hat cost?"""
    noun = rng.choice(PRICED)
    colours = (
        adjectives("red blue green black white")
        if noun.english not in ("cake", "bread", "apple", "ticket")
        else ()
    )
    look = (rng.choice(colours),) if colours and rng.random() < 0.5 else ()
    subject = Phrase(noun, rng.choice(("the", "this")), look, rng.random() < 0.15)
    past = rng.random() < 0.25
    form = (
        ("kosteten" if subject.plural else "kostete") if past else ("kosten" if subject.plural else "kostet")
    )
    do = english.do("past" if past else "present", subject.person)
    return words("how much", do, subject.english(), "cost"), words(
        "wie viel", form, subject.german("nominative")
    )
