"""Everyday predicates: what people do, as an English remainder and a German middle field.

A predicate is a verb with its objects and complements, made for a given subject, because
"washed his car" needs to know whose car. It knows where its negation goes: nicht follows a definite
object, precedes a preposition, and becomes kein before an indefinite noun.
"""

from dataclasses import dataclass
from random import Random

from explainer.text.families.daily import (
    ALWAYS_THE,
    CLOTHES,
    DATIVE,
    GIVING,
    IDIOMS,
    MEALTIMES,
    OBJECTS,
    PERSONS,
    SEPARABLE,
    SEVERAL,
    SINGLE,
    STATIVE,
    Idiom,
)
from explainer.text.families.looks import describe
from explainer.text.families.speakers import a_person, owner_of
from explainer.text.inflection import Case
from explainer.text.lexicon import Noun, Verb
from explainer.text.nouns import people
from explainer.text.phrases import Nominal, Phrase, words
from explainer.text.words import verb


@dataclass(frozen=True)
class Predicate:
    """A verb and what goes with it.

    Attributes:
        verb: the verb.
        english: what follows the English verb.
        middle: what stands in the German middle field.
        negative: the same with nicht or kein in its place.
        progressive: whether English can say "is …ing".
        object: the object, if there is exactly one.
        case: the case of that object.
    """

    verb: Verb
    english: str
    middle: tuple[str, ...]
    negative: tuple[str, ...]
    progressive: bool
    object: Phrase | None = None
    case: Case = "accusative"


def choose_object(rng: Random, noun: Noun, subject: Nominal, *, own: bool = False, key: str = "") -> Phrase:
    """Draw determiner, number and perhaps an adjective for a thing that is done `key` to."""
    roll = rng.random()
    several = key in SEVERAL and bool(noun.german_plural)
    if noun.english in ALWAYS_THE:
        return Phrase(noun)
    if not noun.german_plural:
        phrase = Phrase(noun, "the" if roll < 0.4 else "")
    elif own and roll < 0.75:
        phrase = Phrase(noun, owner_of(subject), plural=several or wears_many(subject, noun))
    elif roll < 0.5:
        phrase = Phrase(noun, "the", plural=several or (roll < 0.06 and key not in SINGLE))
    elif roll < 0.82:
        phrase = Phrase(noun, "a", plural=several or (roll > 0.78 and key not in SINGLE))
    elif roll < 0.95 and key != "visit":
        phrase = Phrase(noun, rng.choice((owner_of(subject), "my", "your", "our")), plural=several)
    else:
        phrase = Phrase(noun, "this", plural=several)
    return describe(rng, phrase, 1) if rng.random() < 0.25 else phrase


def wears_many(subject: Nominal, noun: Noun) -> bool:
    """Whether several people put on several of these: their coats."""
    return subject.person in ("1p", "3p") and noun.english in CLOTHES.split()


def with_object(
    chosen: Verb, phrase: Phrase, case: Case = "accusative", *, progressive: bool = True
) -> Predicate:
    """Build a predicate with one object."""
    middle = phrase.german(case)
    if phrase.determiner in ("a", ""):
        negative = (Phrase(phrase.noun, "no", phrase.adjectives, phrase.plural).german(case),)
    else:
        negative = (middle, "nicht")
    source = phrase.head if phrase.noun.english in MEALTIMES else phrase.english()
    return Predicate(chosen, source, (middle,), negative, progressive, phrase, case)


def doing(rng: Random, subject: Nominal) -> Predicate:
    """Read a book, wash the car, buy bread."""
    key, nouns, own = rng.choice(OBJECTS)
    thing = choose_object(rng, rng.choice(nouns), subject, own=own, key=key)
    return with_object(verb(key), thing, progressive=key not in STATIVE)


def somebody_else(rng: Random, subject: Nominal) -> Phrase:
    """Draw a person who is not the subject."""
    while True:
        other = a_person(rng)
        same = isinstance(subject, Phrase) and subject.noun == other.noun
        if not same and other.determiner != owner_of(subject):
            return other


def meeting(rng: Random, subject: Nominal) -> Predicate:
    """Visit the farmer, help my sister."""
    key = rng.choice((*PERSONS, *DATIVE))
    case: Case = "dative" if key in DATIVE else "accusative"
    return with_object(verb(key), somebody_else(rng, subject), case, progressive=key not in STATIVE)


def giving(rng: Random, subject: Nominal) -> Predicate:
    """Give the boy an apple."""
    key, nouns = rng.choice(GIVING)
    thing = choose_object(rng, rng.choice(nouns), subject)
    other = somebody_else(rng, subject)
    given, receiver = thing.german("accusative"), other.german("dative")
    negative = (receiver, given, "nicht")
    if thing.determiner in ("a", ""):
        negative = (receiver, Phrase(thing.noun, "no", thing.adjectives, thing.plural).german("accusative"))
    return Predicate(verb(key), words(other.english(), thing.english()), (receiver, given), negative, True)


def from_idiom(idiom: Idiom) -> Predicate:
    """Build a predicate from a fixed phrase."""
    middle = (idiom.german,) if idiom.german else ()
    negative = (*middle, "nicht") if idiom.nicht_last else ("nicht", *middle)
    if idiom.negative:
        negative = (idiom.negative,)
    return Predicate(verb(idiom.key), idiom.english, middle, negative, not idiom.stative)


def idiom(rng: Random, subject: Nominal) -> Predicate:
    """Go home, play the guitar, wait for the bus."""
    return from_idiom(rng.choice(IDIOMS))


def separable(rng: Random, subject: Nominal) -> Predicate:
    """Turn on the lamp, get up, listen to the teacher."""
    key, nouns, own = rng.choice(SEPARABLE)
    chosen = verb(key)
    if not nouns:
        rest = "television" if key == "watch@television" else ""
        return Predicate(chosen, rest, (), ("nicht",), key not in STATIVE)
    if nouns[0] in people():
        case: Case = "dative" if key == "listen to" else "accusative"
        return with_object(chosen, somebody_else(rng, subject), case)
    return with_object(chosen, choose_object(rng, rng.choice(nouns), subject, own=own, key=key))


def anything(rng: Random, subject: Nominal) -> Predicate:
    """Draw any everyday predicate."""
    kinds = (doing, meeting, giving, idiom, separable)
    while True:
        drawn = rng.choices(kinds, (10, 3, 2, 6, 3))[0](rng, subject)
        if not (isinstance(subject, Phrase) and subject.noun.english in drawn.english.split()):
            return drawn
