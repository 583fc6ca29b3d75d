"""Lessons on modal verbs, whose infinitive stands at the end, and on commands."""

from dataclasses import dataclass
from random import Random

from explainer.text import inflection
from explainer.text.families.speakers import PRONOUNS
from explainer.text.families.statements import verb_group
from explainer.text.inflection import Person, Tense
from explainer.text.lessons.deeds import Deed
from explainer.text.lessons.draw import anyone
from explainer.text.lessons.questions import somebody
from explainer.text.lessons.saying import FUTURE, NO_TIME, Exercise, combined, made
from explainer.text.lessons.statements import any_deed
from explainer.text.lexicon import Verb
from explainer.text.phrases import Clause, words

YOU = PRONOUNS[1]
HAVE = Verb("have", "had", "had", "", "", "", "")
WANT = Verb("want", "wanted", "wanted", "", "", "", "")
MOECHTE = {
    "1s": "möchte",
    "2s": "möchtest",
    "3s": "möchte",
    "1p": "möchten",
    "2p": "möchtet",
    "3p": "möchten",
}


@dataclass(frozen=True)
class Modal:
    """One use of a modal verb: German infinitive and tense, and what may be done with it in English."""

    key: str
    german: str
    tense: Tense = "present"
    negated: bool = True
    asked: bool = True


MODALS = (
    Modal("can", "können"), Modal("can", "können"), Modal("must", "müssen", negated=False, asked=False),
    Modal("have to", "müssen"), Modal("want to", "wollen"), Modal("should", "sollen", "past"),
    Modal("be allowed to", "dürfen"), Modal("would like to", "möchten", negated=False),
    Modal("have to", "müssen", "past"), Modal("want to", "wollen", "past"),
    Modal("be allowed to", "dürfen", "past"),
)  # fmt: skip
NEVER_TOLD = {
    "see",
    "hear",
    "arrive",
    "live",
    "sit",
    "stand",
    "lie",
}  # German says setz dich, stell dich, leg dich
BE = {"present": {"1s": "am", "3s": "is"}, "past": {"1s": "was", "3s": "was"}}


def english_modal(modal: Modal, person: Person, negated: bool, asked: bool) -> tuple[str, str]:
    """Return the auxiliary, and what stands before the English infinitive."""
    if modal.key in ("can", "should", "must"):
        denied = {"can": "can't", "should": "shouldn't"}
        return (denied[modal.key] if negated else modal.key), ""
    if modal.key == "would like to":
        return "would", "like to"
    if modal.key == "be allowed to":
        be = BE[modal.tense].get(person, "are" if modal.tense == "present" else "were")
        return be, "not allowed to" if negated else "allowed to"
    auxiliary, main = verb_group(
        HAVE if modal.key == "have to" else WANT, modal.tense, person, negated, asked
    )
    return auxiliary, f"{main} to"


def german_modal(modal: Modal, person: Person) -> str:
    """Return the finite modal verb."""
    return (
        MOECHTE[person] if modal.german == "möchten" else inflection.modal(modal.german, modal.tense, person)
    )


def willing(deed: Deed, modal: Modal) -> bool:
    """Whether one can want, may or must do this; what one can, one also understands or finds."""
    if modal.key == "can" and deed.verb.english in ("see", "hear", "find", "understand"):
        return True
    return deed.willing and deed.verb.english not in ("see", "hear", "know", "have")


def modal(rng: Random) -> Exercise | None:
    """You can open the door. / We didn't have to help him. / Would you like to drink tea?"""
    how = rng.choice(MODALS)
    asked = how.asked and rng.random() < 0.25
    negated = how.negated and not asked and rng.random() < 0.35
    subject = somebody(rng) if asked else anyone(rng)
    deed = any_deed(rng, subject)
    if not willing(deed, how) or (negated and not deed.plain):
        return None
    loose = how.tense == "present" and deed.object is None and not negated
    time = rng.choice(FUTURE) if loose and rng.random() < 0.4 else NO_TIME
    auxiliary, after = english_modal(how, subject.person, negated, asked)
    rest = words(after, deed.verb.english, deed.english, time[0])
    middle = (time[1], *(deed.negative if negated else deed.middle))
    clause = Clause(
        subject.german("nominative"),
        german_modal(how, subject.person),
        middle,
        deed.verb.prefix + deed.verb.infinitive,
    )
    combinations = combined(deed.verb, subject, *deed.phrases)
    if asked:
        return made("modals", words(auxiliary, subject.english(), rest), clause.question(), combinations, "?")
    return made("modals", words(subject.english(), auxiliary, rest), clause.main(), combinations)


def command(rng: Random) -> Exercise | None:
    """Open the window! / Please don't help the witch."""
    deed = any_deed(rng, YOU)
    negated = rng.random() < 0.25
    if not deed.willing or deed.verb.english in NEVER_TOLD or (negated and not deed.plain):
        return None
    middle = deed.negative if negated else deed.middle
    source = words("don't" if negated else "", deed.verb.english, deed.english)
    target = words(inflection.imperative(deed.verb), *middle, deed.verb.prefix)
    combinations = combined(deed.verb, *deed.phrases)
    if rng.random() < 0.4:
        return made("commands", f"please {source}", f"bitte {target}", combinations)
    return made("commands", source, target, combinations, "!")
