"""Lessons on questions: yes or no puts the verb first, a question word puts it second."""

from random import Random

from explainer.text import english, inflection
from explainer.text.inflection import Tense
from explainer.text.lessons import deeds, draw, places
from explainer.text.lessons.draw import anyone
from explainer.text.lessons.places import MOVES
from explainer.text.lessons.qualities import DEGREES, degree_of, quality, something
from explainer.text.lessons.saying import Exercise, combined, made, parts, say
from explainer.text.lessons.statements import any_deed
from explainer.text.lessons.vocabulary import nouns
from explainer.text.phrases import Clause, Nominal, Phrase, Someone, words

FORMS = ("present progressive", "present progressive", "present", "past")
WORDS = {"where": "wo", "when": "wann", "why": "warum"}
RESTING = tuple(
    each for each in MOVES if each.preposition in ("in", "on", "under", "behind", "in front of", "next to")
)


def somebody(rng: Random) -> Nominal:
    """Draw a subject that one asks about: anyone but oneself."""
    while True:
        subject = anyone(rng)
        if subject.person not in ("1s", "1p"):
            return subject


def yes_no(rng: Random) -> Exercise | None:
    """Is Anna reading a book? / Did the boy help you? / Is the soup hot? / Is the cat under the bed?"""
    roll = rng.random()
    if roll < 0.2:
        return is_it(rng)
    if roll < 0.3:
        thing, preposition, where = places.spot(rng)
        tense: Tense = rng.choice(("present", "past"))
        source, target = places.at(preposition, where)
        clause = Clause(thing.german("nominative"), inflection.SEIN[tense][thing.person], (target,))
        asked = words(english.be(tense, thing.person), thing.english(), source)
        return made("questions", asked, clause.question(), combined("be", thing, where), "?")
    subject = somebody(rng)
    deed = any_deed(rng, subject)
    said = say(subject, deed, rng.choice((*FORMS, "future")))
    return made("questions", said.english_question(), said.german().question(), parts(said), "?")


def is_it(rng: Random) -> Exercise | None:
    """Is the old car very slow?"""
    subject = something(rng) if rng.random() < 0.6 else somebody(rng)
    said = quality(rng, subject)
    if said is None:
        return None
    tense: Tense = rng.choice(("present", "present", "past"))
    degree = degree_of(rng, said)
    source = words(english.be(tense, subject.person), subject.english(), degree, said.english)
    middle = (DEGREES[degree], said.german)
    clause = Clause(subject.german("nominative"), inflection.SEIN[tense][subject.person], middle)
    noun = [(said.english, subject.noun.english, "be")] if isinstance(subject, Phrase) else []
    return made("questions", source, clause.question(), [*combined("be", subject), *noun], "?")


def question_word(rng: Random) -> Exercise | None:
    """Who is helping the girl? / Which book did Tom buy? / Where are you going?"""
    shapes = (who, whom, what, which, circumstance, where_to, how_many, how_old, colour, where_is)
    return rng.choices(shapes, (3, 3, 2, 3, 4, 2, 2, 1, 1, 1))[0](rng)


def asked(source: str, target: str, combinations: list[tuple[str, str, str]]) -> Exercise:
    """Package a question with a question word."""
    return made("question words", source, target, combinations, "?")


def who(rng: Random) -> Exercise | None:
    """Who washed the car?"""
    subject = Someone("he", "3s", "m")
    deed = any_deed(rng, subject)
    if " his " in f" {deed.english} ":
        return None
    said = say(subject, deed, rng.choice(FORMS))
    auxiliary, main = said.group()
    clause = said.german()
    target = words("wer", clause.finite, *clause.middle, clause.end, clause.prefix)
    return asked(words("who", auxiliary, main, deed.english), target, parts(said))


def whom(rng: Random) -> Exercise:
    """Who is Anna helping? Wem hilft Anna?"""
    subject = somebody(rng)
    deed = rng.choice((deeds.helping, deeds.meeting))(rng, subject)
    said = say(subject, deed, rng.choice(FORMS))
    word = "wem" if deed.case == "dative" else "wen"
    target = words(word, said.german(middle=()).question())
    return asked(said.english_question("who", rest=""), target, combined(deed.verb, subject))


def what(rng: Random) -> Exercise:
    """What did the man sell?"""
    subject = somebody(rng)
    deed = deeds.handling(rng, subject)
    said = say(subject, deed, rng.choice(FORMS))
    target = words("was", said.german(middle=()).question())
    return asked(said.english_question("what", rest=""), target, combined(deed.verb, subject))


def which(rng: Random) -> Exercise | None:
    """Which red car is your uncle buying?"""
    subject = somebody(rng)
    deed = rng.choice((deeds.handling, deeds.separable))(rng, subject)
    thing = deed.object
    if (
        thing is None
        or not thing.noun.german_plural
        or thing.noun.pronoun != "it"
        or thing.noun.english in draw.KIN
    ):
        return None
    thing = Phrase(thing.noun, "which", thing.adjectives, thing.plural)
    said = say(subject, deed, rng.choice(FORMS))
    target = words(thing.german("accusative"), said.german(middle=()).question())
    return asked(said.english_question(thing.english(), rest=""), target, parts(said))


def circumstance(rng: Random) -> Exercise | None:
    """Why is the boy laughing? / When did she buy the coat? / Where is Tom reading the letter?"""
    subject = somebody(rng)
    word = rng.choice(list(WORDS))
    deed = any_deed(rng, subject) if word != "where" else deeds.handling(rng, subject)
    form = "past" if word == "when" else rng.choice(FORMS)
    if (word != "why" or form == "present") and not deed.progressive:
        return None
    said = say(subject, deed, form)
    return asked(said.english_question(word), words(WORDS[word], said.german().question()), parts(said))


def where_to(rng: Random) -> Exercise:
    """Where is Anna going? Wohin geht Anna? / Where is the dog sleeping? Wo schläft der Hund?"""
    if rng.random() < 0.4:
        subject, key = somebody(rng), rng.choice(("go", "drive@to"))
        deed = deeds.Deed(deeds.verb(key), "", (), (), True)
        word = "wohin"
    else:
        move = rng.choice(RESTING)
        while (subject := places.mover(rng, move)).person in ("1s", "1p"):
            pass
        deed = deeds.Deed(move.verb, "", (), (), not move.stative)
        word = "wo"
    said = say(subject, deed, rng.choice(FORMS))
    target = words(word, said.german().question())
    return asked(said.english_question("where"), target, combined(deed.verb, subject))


def how_many(rng: Random) -> Exercise | None:
    """How many apples is the boy eating?"""
    subject = somebody(rng)
    row = rng.choice(
        [each for each in deeds.OBJECTS if each.key in ("buy", "eat", "see", "have", "need", "draw")]
    )
    noun = rng.choice(row.things)
    if not noun.german_plural or noun.english in ("fish", "soup", "house"):
        return None
    if isinstance(subject, Phrase) and deeds.counted(subject):
        return None
    thing = Phrase(noun, "a", draw.describe(rng, noun, rng.choice((0, 0, 1))), plural=True)
    said = say(subject, deeds.with_object(row, thing), rng.choice(FORMS))
    target = words("wie", Phrase(noun, "many", thing.adjectives, True).german("accusative"))
    source = said.english_question(words("how many", thing.english()), rest="")
    return asked(source, words(target, said.german(middle=()).question()), parts(said))


def how_old(rng: Random) -> Exercise:
    """How old is your brother?"""
    subject = (
        somebody(rng)
        if rng.random() < 0.5
        else draw.phrase(rng, rng.choice(nouns("PETS PLACES")), ("the", "your"), looks=(0,))
    )
    source = words("how old", english.be("present", subject.person), subject.english())
    target = words("wie alt", inflection.SEIN["present"][subject.person], subject.german("nominative"))
    return asked(source, target, combined("be", subject))


def colour(rng: Random) -> Exercise:
    """What colour is her new coat? Welche Farbe hat ihr neuer Mantel?"""
    subject = draw.phrase(
        rng,
        rng.choice(nouns("WEAR VEHICLES bag lamp chair door ball umbrella cat dog")),
        draw.DEFINITE,
        looks=(0,),
    )
    has = inflection.HABEN["present"][subject.person]
    source = words("what colour", english.be("present", subject.person), subject.english())
    return asked(source, words("welche Farbe", has, subject.german("nominative")), combined("be", subject))


def where_is(rng: Random) -> Exercise:
    """Where was my red umbrella?"""
    thing = places.spot(rng)[0]
    tense: Tense = rng.choice(("present", "present", "past"))
    source = words("where", english.be(tense, thing.person), thing.english())
    target = words("wo", inflection.SEIN[tense][thing.person], thing.german("nominative"))
    return asked(source, target, combined("be", thing))
