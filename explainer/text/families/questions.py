"""Family "question": yes/no questions put the verb first, w-questions put it second."""

from random import Random

from explainer.text.families.being import ask_about_being, ask_the_price
from explainer.text.families.daily import UNUSUAL
from explainer.text.families.predicates import anything, doing, meeting
from explainer.text.families.speakers import anyone
from explainer.text.families.statements import state_it
from explainer.text.phrases import Nominal, Pair, Phrase, Someone, sentence, words


def question(rng: Random) -> Pair:
    """Did you read the book? / Where did Tom buy the car?"""
    shapes = (yes_no, when_where, who, what, which, being, cost)
    return rng.choices(shapes, (20, 10, 10, 10, 10, 10, 2))[0](rng)


def asked(source: str, target: str) -> Pair:
    """Package a question."""
    return Pair(sentence(source, "?"), sentence(target, "?"), "question")


def somebody(rng: Random) -> Nominal:
    """Draw a subject that one asks about: anyone but oneself."""
    while True:
        subject = anyone(rng)
        if subject.person not in ("1s", "1p"):
            return subject


def yes_no(rng: Random) -> Pair:
    """Is Anna reading a book? / Don't you know the farmer?"""
    subject = somebody(rng)
    form = rng.choice(("present", "present progressive", "past", "perfect", "future"))
    said = state_it(rng, subject, anything(rng, subject), form, timed=0.3)
    return asked(said.english_question(), said.german().question())


WORDS = {"where": "wo", "when": "wann", "why": "warum", "how often": "wie oft"}


def when_where(rng: Random) -> Pair:
    """When did you buy the car?"""
    subject = somebody(rng)
    word = rng.choice(list(WORDS))
    predicate = doing(rng, subject) if word == "where" else anything(rng, subject)
    form = "present" if word == "how often" else rng.choice(("past", "past", "present progressive", "future"))
    said = state_it(rng, subject, predicate, form)
    unusual = (
        not predicate.progressive or predicate.verb.english in UNUSUAL or predicate.verb.english == "buy"
    )
    if (word == "how often" and unusual) or (word == "when" and said.form == "present"):
        return when_where(rng)
    return asked(said.english_question(word), words(WORDS[word], said.german().question()))


def who(rng: Random) -> Pair:
    """Who washed the car? / Who did Anna visit?"""
    subject = Someone("he", "3s", "m")
    form = rng.choice(("present", "past", "present progressive"))
    if rng.random() < 0.5:
        predicate = anything(rng, subject)
        if " his " in f" {predicate.english} ":
            return who(rng)
        said = state_it(rng, subject, predicate, form)
        auxiliary, main = said.group()
        clause = said.german()
        target = words("wer", clause.finite, *clause.middle, clause.end, clause.prefix)
        return asked(words("who", auxiliary, main, predicate.english), target)
    subject = somebody(rng)
    predicate = meeting(rng, subject)
    said = state_it(rng, subject, predicate, form)
    word = "wem" if predicate.case == "dative" else "wen"
    return asked(said.english_question("who", rest=""), words(word, said.german(middle=()).question()))


def what(rng: Random) -> Pair:
    """What did the farmer sell?"""
    subject = somebody(rng)
    said = state_it(
        rng, subject, doing(rng, subject), rng.choice(("present progressive", "past", "perfect")), timed=0.3
    )
    return asked(said.english_question("what", rest=""), words("was", said.german(middle=()).question()))


def which(rng: Random) -> Pair:
    """Which book are you reading?"""
    subject = somebody(rng)
    predicate = doing(rng, subject)
    if predicate.object is None or not predicate.object.noun.german_plural:
        return which(rng)
    thing = Phrase(predicate.object.noun, "which", plural=predicate.object.plural)
    said = state_it(rng, subject, predicate, rng.choice(("present progressive", "past", "perfect")))
    source = said.english_question(thing.english(), rest="")
    return asked(source, words(thing.german("accusative"), said.german(middle=()).question()))


def being(rng: Random) -> Pair:
    """Is the house old? / Where is my key? / How old is your brother?"""
    return asked(*ask_about_being(rng))


def cost(rng: Random) -> Pair:
    """How much does the red car cost?"""
    return asked(*ask_the_price(rng))
