"""Statements and questions: a subject and a predicate in a tense, in the word order of each language."""

from dataclasses import dataclass
from random import Random

from explainer.text import english, inflection
from explainer.text.families.daily import (
    FREQUENCIES,
    FUTURE_TIMES,
    HABITS,
    LASTING,
    LONG,
    NOW_TIMES,
    PAST_TIMES,
    UNUSUAL,
)
from explainer.text.families.predicates import Predicate
from explainer.text.inflection import Person
from explainer.text.lexicon import Verb
from explainer.text.phrases import Clause, Nominal, german_clause, words

NARRATED = {"haben", "wissen", "kennen", "mögen", "bleiben"}  # these keep the preterite in speech


@dataclass(frozen=True)
class Statement:
    """What is said, before word order.

    Attributes:
        subject: who.
        predicate: does what.
        form: the English tense: present, past, each also progressive, perfect, future or going.
        negated: whether it is denied.
        time: the time in both languages, or two empty strings.
        german_tense: present, past, perfect or future.
    """

    subject: Nominal
    predicate: Predicate
    form: str
    negated: bool
    time: tuple[str, str]
    german_tense: str

    @property
    def frequency(self) -> bool:
        """Whether the time is a word such as often, which stands before the English verb."""
        return self.time[0] in FREQUENCIES

    def group(self, asked: bool = False) -> tuple[str, str]:
        """The English auxiliary ("" if none is needed) and the main verb."""
        return verb_group(self.predicate.verb, self.form, self.subject.person, self.negated, asked)

    def english(self, *, timed: bool = True) -> str:
        """The English statement; the time stands at the end, often before the verb."""
        auxiliary, main = self.group()
        early = self.time[0] if self.frequency else ""
        late = self.time[0] if timed and not self.frequency else ""
        return words(self.subject.english(), auxiliary, early, main, self.predicate.english, late)

    def english_question(self, first: str = "", *, rest: str | None = None) -> str:
        """The English question after a question word; `rest` replaces what follows the verb."""
        auxiliary, main = self.group(asked=True)
        early = self.time[0] if self.frequency else ""
        late = "" if self.frequency else self.time[0]
        tail = self.predicate.english if rest is None else rest
        return words(first, auxiliary, self.subject.english(), early, main, tail, late)

    def german(self, *, timed: bool = True, middle: tuple[str, ...] | None = None) -> Clause:
        """The German clause; the time stands first in the middle field."""
        inner = self.predicate.negative if self.negated else self.predicate.middle
        inner = inner if middle is None else middle
        if timed and self.time[1]:
            inner = (self.time[1], *inner)
        subject, person, verb = self.subject.german("nominative"), self.subject.person, self.predicate.verb
        if self.german_tense == "future":
            form = inflection.WERDEN["present"][person]
            return Clause(subject, form, inner, verb.prefix + verb.infinitive)
        return german_clause(subject, person, verb, self.german_tense, inner)


def verb_group(verb: Verb, form: str, person: Person, negated: bool, asked: bool) -> tuple[str, str]:
    """Return the English auxiliary ("" if none is needed) and the main verb of a form."""
    head, _, particle = verb.english.partition(" ")
    past = form.startswith("past")
    if form.endswith("progressive"):
        return english.be("past" if past else "present", person, negated), words(english.ing(head), particle)
    if form == "going":
        return english.be("present", person, negated), words("going to", verb.english)
    if form == "future":
        return ("won't" if negated else "will"), verb.english
    if form == "perfect":
        return english.have(person) + ("n't" if negated else ""), verb.participle
    if negated or asked:
        return english.do("past" if past else "present", person, negated), verb.english
    return "", english.finite(verb, "past" if past else "present", person)


def past_tense(rng: Random, subject: Nominal, verb: Verb) -> str:
    """Draw the German tense for an English past: people speak of themselves in the perfect."""
    if verb.infinitive in NARRATED:
        return "past"
    share = {"2s": 1.0, "2p": 1.0, "1s": 0.6, "1p": 0.6}.get(subject.person, 0.3)
    return "perfect" if rng.random() < share else "past"


def state_it(
    rng: Random,
    subject: Nominal,
    predicate: Predicate,
    form: str,
    *,
    negated: bool = False,
    timed: float = 0.0,
) -> Statement:
    """Choose a fitting time and the German tense for a statement; `timed` is the share with a time."""
    if (
        not predicate.progressive
    ):  # no "is knowing", and no "has known", which German would not say in the perfect
        form = "present" if form in ("present", "present progressive") else "past"
    if predicate.verb.english in ("lose", "forget", "find"):
        form = "past" if form != "perfect" else form
    time = choose_time(rng, form, predicate, negated) if rng.random() < timed else ("", "")
    if form == "past":
        tense = past_tense(rng, subject, predicate.verb)
    elif form in ("future", "going"):
        tense = "present" if time[0] and rng.random() < 0.5 else "future"
    else:
        tense = "perfect" if form == "perfect" else form.split()[0]
    return Statement(subject, predicate, form, negated, time, tense)


def choose_time(rng: Random, form: str, predicate: Predicate, negated: bool) -> tuple[str, str]:
    """Draw a time that goes with the English form; few things take a year."""
    if form in ("past", "future", "going"):
        times = PAST_TIMES if form == "past" else FUTURE_TIMES
        short = {word: german for word, german in times.items() if word not in LONG}
        if not predicate.progressive:
            times = {word: german for word, german in times.items() if word in LONG}
        elif predicate.verb.english not in LASTING:
            times = short
        return rng.choice(list(times.items()))
    if form == "present progressive":
        return rng.choice(list(NOW_TIMES.items()))
    if form == "present" and predicate.progressive and predicate.verb.english not in UNUSUAL:
        if negated:  # "not every day" would deny the time, not the deed
            return "", ""
        return rng.choice(list((HABITS if rng.random() < 0.5 else FREQUENCIES).items()))
    return "", ""
