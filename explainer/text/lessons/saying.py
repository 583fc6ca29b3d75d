"""From who does what to a sentence pair: tenses, times and the record of what was combined.

The rules that give each English sentence one German sentence: *you* is one person, du; the English past of a full
verb is the German perfect, as people speak, but was, had, liked, knew and the modal verbs have the preterite; *will*
is werden; "is reading" and "reads" are both the present.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from explainer.text.families.statements import Statement
from explainer.text.lessons.deeds import Deed
from explainer.text.lexicon import Verb
from explainer.text.phrases import Nominal, Phrase, sentence

Combination = tuple[
    str, str, str
]  # English adjective, noun and verb: they describe, name and act in one clause
Time = tuple[str, str]
NO_TIME: Time = ("", "")
PRETERITE = {"haben", "kennen", "mögen"}
NOW: tuple[Time, ...] = (("now", "jetzt"), ("today", "heute"))
HABIT: tuple[Time, ...] = (
    ("every day", "jeden Tag"), ("every evening", "jeden Abend"), ("on Mondays", "montags"), ("often", "oft"),
    ("sometimes", "manchmal"),
)  # fmt: skip
PAST: tuple[Time, ...] = (
    ("yesterday", "gestern"), ("on Sunday", "am Sonntag"), ("last week", "letzte Woche"),
    ("two days ago", "vor zwei Tagen"), ("this morning", "heute Morgen"),
)  # fmt: skip
FUTURE: tuple[Time, ...] = (
    ("tomorrow", "morgen"), ("next week", "nächste Woche"), ("on Friday", "am Freitag"),
    ("this evening", "heute Abend"),
)  # fmt: skip
TIMES = {"present progressive": NOW, "present": HABIT, "past": PAST, "future": FUTURE}


@dataclass(frozen=True)
class Exercise:
    """A sentence pair, the lesson that it belongs to, and which adjective, noun and verb it combines."""

    english: str
    german: str
    lesson: str
    combinations: frozenset[Combination]


def made(
    lesson: str, source: str, target: str, combinations: Iterable[Combination], mark: str = "."
) -> Exercise:
    """Capitalise and punctuate a pair."""
    return Exercise(sentence(source, mark), sentence(target, mark), lesson, frozenset(combinations))


def combined(verb: Verb | str, *nominals: Nominal) -> list[Combination]:
    """Return what the noun phrases of a clause combine with its verb."""
    act = verb if isinstance(verb, str) else verb.english
    return [
        (adjective.english, each.noun.english, act)
        for each in nominals
        if isinstance(each, Phrase)
        for adjective in each.adjectives
    ]


def say(subject: Nominal, deed: Deed, form: str, *, negated: bool = False, time: Time = NO_TIME) -> Statement:
    """Put a deed into an English form (present, past, each progressive, perfect, future) and its German tense."""
    if not deed.progressive:  # no "is knowing", no "will have"
        form = "present" if form == "future" else form.removesuffix(" progressive")
    tense = {"past": "perfect", "past progressive": "perfect"}.get(form, form.split()[0])
    if form == "past" and deed.verb.infinitive in PRETERITE:
        tense = "past"
    return Statement(subject, deed, form, negated, time, tense)


def parts(said: Statement) -> list[Combination]:
    """Return the combinations of a statement."""
    deed = said.predicate
    assert isinstance(deed, Deed)
    return combined(deed.verb, said.subject, *deed.phrases)


def two_readings(said: Statement) -> bool:
    """Whether the English could be present or past: "they read a book", "I put on my coat"."""
    verb = said.predicate.verb
    same = verb.english == verb.past and said.form in ("present", "past")
    return same and not said.negated and said.subject.person != "3s"


def a_form(rng: Random, subject: Nominal, deed: Deed) -> str:
    """Draw a form in which the English has one reading."""
    form = rng.choice(("present progressive", "present progressive", "present", "past"))
    return "present progressive" if two_readings(say(subject, deed, form)) else form
