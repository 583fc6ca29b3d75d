"""Who can be the subject of a classroom sentence: pronouns, first names and people."""

from random import Random

from explainer.text import english
from explainer.text.inflection import Person, Tense
from explainer.text.lexicon import Verb
from explainer.text.nouns import people
from explainer.text.phrases import Nominal, Phrase, Someone

POSSESSIVES = ("my", "your", "his", "her", "our", "their")
PRONOUNS = (
    Someone("I", "1s", "1s"), Someone("you", "2s", "2s"), Someone("he", "3s", "m"), Someone("she", "3s", "f"),
    Someone("we", "1p", "1p"), Someone("they", "3p", "3p"),
)  # fmt: skip
BOYS = ("Tom", "Paul", "Max", "Peter", "Felix", "Jonas", "Leo", "Ben", "David", "Martin", "Simon", "Lukas")
GIRLS = ("Anna", "Maria", "Lisa", "Emma", "Laura", "Julia", "Sarah", "Eva", "Nina", "Mia", "Clara", "Lena")
NAMES = (
    *(Someone(name, "3s", "m", name=True) for name in BOYS),
    *(Someone(name, "3s", "f", name=True) for name in GIRLS),
)
OWNER = {"I": "my", "you": "your", "he": "his", "she": "her", "it": "its", "we": "our", "they": "their"}
PEOPLE = people()
OURS = {"teacher", "neighbour", "doctor", "baker", "gardener", "cook", "driver", "postman", "friend"}


def owner_of(someone: Nominal) -> str:
    """Return the English possessive that refers back to the subject: Anna -> her."""
    return OWNER[someone.english_pronoun]


def a_person(rng: Random, plural: float = 0.1) -> Phrase:
    """Draw a person: "the farmer", "my sister", with a share of plurals."""
    noun = rng.choice(PEOPLE)
    given = rng.choice(("my", "my", "our", "his", "her", "your")) if noun.has("k") else "the"
    if noun.english in OURS and rng.random() < 0.4:
        given = rng.choice(("my", "our"))
    return Phrase(noun, given, plural=rng.random() < plural and not noun.has("u"))


def anyone(rng: Random) -> Nominal:
    """Draw a pronoun, a first name or a person."""
    kind = rng.choices(("pronoun", "name", "person"), (5, 2, 4))[0]
    if kind == "pronoun":
        return rng.choice(PRONOUNS)
    return rng.choice(NAMES) if kind == "name" else a_person(rng)


def english_verb(verb: Verb, person: Person, form: str) -> str:
    """Return "jumps", "is jumping", "jumped" or "was jumping"."""
    tense: Tense = "past" if form.startswith("past") else "present"
    if form.endswith("progressive"):
        head, _, particle = verb.english.partition(" ")
        return f"{english.be(tense, person)} {english.ing(head)} {particle}".strip()
    return english.finite(verb, tense, person)
