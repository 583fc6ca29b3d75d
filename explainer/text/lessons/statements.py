"""Lessons on statements: cases, numbers, adjectives, places, word order, separable verbs, negation, the perfect."""

from dataclasses import replace
from random import Random

from explainer.text import english, inflection
from explainer.text.families.plain import before_object
from explainer.text.inflection import Tense
from explainer.text.lessons import deeds, draw, places
from explainer.text.lessons.deeds import OBJECTS, Deed, with_object
from explainer.text.lessons.draw import anyone, phrase
from explainer.text.lessons.qualities import DEGREES, degree_of, quality, something
from explainer.text.lessons.saying import (
    FUTURE,
    HABIT,
    NO_TIME,
    NOW,
    PAST,
    Exercise,
    a_form,
    combined,
    made,
    parts,
    say,
    two_readings,
)
from explainer.text.lessons.vocabulary import ONE, nouns
from explainer.text.phrases import Clause, Nominal, Phrase, words

# fmt: off
REPEATED = {"visit", "help", "meet", "greet", "feed", "wash", "clean", "tidy", "listen to", "call", "see", "thank"}
MEALS = {"eat", "drink", "cook", "bake", "buy", "read", "write", "draw"}
# fmt: on


def any_deed(rng: Random, subject: Nominal) -> Deed:
    """Draw what a person does."""
    kinds = (deeds.handling, deeds.meeting, deeds.helping, deeds.giving, deeds.separable, deeds.idiom)
    return rng.choices((*kinds, places.human_move), (9, 2, 2, 1, 4, 2, 4))[0](rng, subject)


def habitual(deed: Deed) -> bool:
    """Whether one does it again and again."""
    thing = deed.object
    if not deed.progressive or not deed.plain:
        return False
    if thing is None:
        return len(deed.phrases) < 2
    return deed.verb.english in REPEATED or (thing.determiner in ("a", "") and deed.verb.english in MEALS)


def objects(rng: Random) -> Exercise:
    """The man is buying a red bicycle: the accusative."""
    subject = anyone(rng)
    deed = deeds.handling(rng, subject)
    said = say(subject, deed, a_form(rng, subject, deed))
    return made("objects", said.english(), said.german().main(), parts(said))


def datives(rng: Random) -> Exercise:
    """The boy helps the old woman. / She is giving her brother a book. / The car belongs to my uncle."""
    if rng.random() < 0.25:
        return belonging(rng)
    subject = anyone(rng)
    deed = rng.choice((deeds.helping, deeds.giving))(rng, subject)
    said = say(subject, deed, a_form(rng, subject, deed))
    return made("datives", said.english(), said.german().main(), parts(said))


def belonging(rng: Random) -> Exercise:
    """The car belongs to my uncle. / The letter is for the queen."""
    thing = phrase(
        rng, rng.choice(nouns("VEHICLES GOODS WEAR PRINT PETS house garden")), ("the", "the", "this")
    )
    other = draw.person(rng, ("the", "the", "a", "this"))
    if rng.random() < 0.5:
        tense: Tense = rng.choice(("present", "present", "past"))
        source = words(thing.english(), english.be(tense, thing.person), "for", other.english())
        form = inflection.SEIN[tense][thing.person]
        clause = Clause(thing.german("nominative"), form, (f"für {other.german('accusative')}",))
        return made("datives", source, clause.main(), combined("be", thing, other))
    verb = deeds.verb("belong")
    source = words(thing.english(), english.finite(verb, "present", thing.person), "to", other.english())
    finite = inflection.finite(verb, "present", thing.person)
    clause = Clause(thing.german("nominative"), finite, (other.german("dative"),))
    return made("datives", source, clause.main(), combined(verb, thing, other))


def numbers(rng: Random) -> Exercise | None:
    """Three small children are feeding the ducks: the plural."""
    if rng.random() < 0.35:
        subject, deed = places.moving(rng)
        if not isinstance(subject, Phrase):
            return None
        subject = phrase(rng, subject.noun, draw.ANY, plural=1)
    else:
        subject = (
            anyone(rng)
            if rng.random() < 0.6
            else draw.counted(rng, phrase(rng, rng.choice(nouns("PEOPLE")), plural=1))
        )
        row = rng.choice(OBJECTS)
        noun = rng.choice(row.things)
        if not noun.german_plural or noun.english in ("soup", *ONE) or row.key in ("wear", "cook"):
            return None
        given = (
            draw.DEFINITES if "known" in row.marks else draw.SEVERAL if "some" not in row.marks else ("a",)
        )
        thing = phrase(rng, noun, given, plural=1)
        if noun.english in draw.KIN:
            thing = Phrase(noun, rng.choice(("two", "three", "four")), thing.adjectives, plural=True)
        deed = with_object(row, thing)
    said = say(subject, deed, a_form(rng, subject, deed))
    return made("numbers", said.english(), said.german().main(), parts(said))


def being(rng: Random) -> Exercise | None:
    """The green lamp isn't very expensive. / We were tired."""
    subject = something(rng) if rng.random() < 0.65 else anyone(rng)
    said = quality(rng, subject)
    if said is None:
        return None
    tense: Tense = rng.choice(("present", "present", "past"))
    negated = rng.random() < 0.25
    degree = degree_of(rng, said)
    source = words(subject.english(), english.be(tense, subject.person, negated), degree, said.english)
    middle = ("nicht" if negated else "", DEGREES[degree], said.german)
    clause = Clause(subject.german("nominative"), inflection.SEIN[tense][subject.person], middle)
    noun = [(said.english, subject.noun.english, "be")] if isinstance(subject, Phrase) else []
    return made("being", source, clause.main(), [*combined("be", subject), *noun])


def whereabouts(rng: Random) -> Exercise | None:
    """The dog is sleeping under the tree. / She is putting the cup on the table. / The key is in the bag."""
    roll = rng.random()
    if roll < 0.2:
        thing, preposition, where = places.spot(rng)
        tense: Tense = rng.choice(("present", "present", "past"))
        source, target = places.at(preposition, where)
        negated = rng.random() < 0.2
        form = english.be(tense, thing.person, negated)
        middle = ("nicht" if negated else "", target)
        clause = Clause(thing.german("nominative"), inflection.SEIN[tense][thing.person], middle)
        return made(
            "places", words(thing.english(), form, source), clause.main(), combined("be", thing, where)
        )
    subject, deed = places.moving(rng)
    if roll > 0.75:
        subject = anyone(rng)
        deed = deeds.putting(rng, subject)
    said = say(subject, deed, a_form(rng, subject, deed))
    return made("places", said.english(), said.german().main(), parts(said))


def order(rng: Random) -> Exercise | None:
    """Yesterday the man bought a boat. / In front of the house there is an old tree: the verb stays second."""
    if rng.random() < 0.3:
        return standing(rng)
    subject = anyone(rng)
    deed = any_deed(rng, subject)
    form, times = rng.choice(
        (("past", PAST), ("present progressive", NOW), ("present", HABIT), ("future", FUTURE))
    )
    if form == "present" and not habitual(deed):
        return None
    if not deed.progressive:  # what lasts has no time
        return None
    said = say(subject, deed, form)
    time = rng.choice(times)
    if two_readings(said) and form != "past":
        return None
    source = words(time[0], said.english())
    late = rng.random() < 0.4 and deed.object is None and len(deed.phrases) < 2
    if not late:
        return made("order", source, said.german().main(time[1]), parts(said))
    timed = replace(said, time=time)
    return made("order", timed.english(), timed.german().main(), parts(timed))


def standing(rng: Random) -> Exercise:
    """Behind the church there are two old trees."""
    thing, preposition, where = places.spot(rng)
    given = ("a", "a", "two", "three", "many") if thing.plural else ("a",)
    thing = replace(thing, determiner=rng.choice(given) if thing.noun.german_plural else "")
    tense: Tense = rng.choice(("present", "present", "past"))
    source, target = places.at(preposition, where)
    there = words("there", english.be(tense, thing.person), thing.english())
    whole = words(source, there) if rng.random() < 0.5 else words(there, source)
    clause = Clause(thing.german("nominative"), inflection.SEIN[tense][thing.person])
    return made("order", whole, clause.main(target), combined("be", thing, where))


def separable(rng: Random) -> Exercise | None:
    """Anna turns on the lamp: Anna schaltet die Lampe ein."""
    subject = anyone(rng)
    deed = deeds.separable(rng, subject)
    form = rng.choice(("present progressive", "present progressive", "present", "past", "future"))
    negated = rng.random() < 0.2 and deed.plain
    said = say(subject, deed, form, negated=negated)
    if two_readings(said):
        return None
    return made("separable", said.english(), said.german().main(), parts(said))


def negation(rng: Random) -> Exercise | None:
    """Tom isn't buying the car. / We don't have a dog. / She never drinks coffee."""
    subject = anyone(rng)
    deed = any_deed(rng, subject)
    if not deed.plain:
        return None
    if deed.case == "dative" and deed.object is not None and deed.object.determiner == "a":
        return None
    if rng.random() < 0.15:
        if not habitual(deed) or (deed.object is not None and deed.object.determiner not in ("a", "")):
            return None
        said = say(subject, deed, "present", time=("never", "nie"))
        return (
            None
            if two_readings(said)
            else made("negation", said.english(), said.german().main(), parts(said))
        )
    form = rng.choice(("present progressive", "present progressive", "present", "past"))
    loose = deed.progressive and deed.negative[-1] != "nicht" and form == "present progressive"
    time = rng.choice(NOW) if loose and rng.random() < 0.3 else NO_TIME
    said = say(subject, deed, form, negated=True, time=time)
    return made("negation", said.english(), said.german().main(), parts(said))


def perfect(rng: Random) -> Exercise | None:
    """We have already read the letter. / Tom hasn't woken up yet."""
    subject = anyone(rng)
    deed = any_deed(rng, subject)
    if not deed.progressive and deed.verb.infinitive in (
        "haben",
        "mögen",
        "kennen",
        "lieben",
        "brauchen",
        "wohnen",
    ):
        return None
    if rng.random() < 0.4:
        said = say(subject, deed, "past", negated=deed.plain and rng.random() < 0.2)
        if two_readings(said) or said.german_tense != "perfect":
            return None
        return made("perfect", said.english(), said.german().main(), parts(said))
    return already(rng, subject, deed)


def already(rng: Random, subject: Nominal, deed: Deed) -> Exercise | None:
    """The present perfect with already (schon), with yet (noch nicht, noch kein), or in a question."""
    said = say(subject, deed, "perfect")
    if (
        not deed.plain
        or said.form != "perfect"
        or len(deed.phrases) > 1
        or deed.verb.english in ("live", "wear")
    ):
        return None
    auxiliary, main = said.group()
    if rng.random() < 0.5:
        source = words(subject.english(), auxiliary, "already", main, deed.english)
        clause = said.german(middle=before_object(deed, "schon"))
        return made("perfect", source, clause.main(), parts(said))
    source = words(subject.english(), f"{auxiliary}n't", main, deed.english, "yet")
    negative = deed.negative
    middle = (*negative[:-1], "noch nicht") if negative[-1] == "nicht" else ("noch", *negative)
    return made("perfect", source, said.german(middle=middle).main(), parts(said))
