"""Families "simple", "modal", "perfect", "time" and "separable": one predicate in one word order."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from explainer.text import inflection
from explainer.text.families import predicates
from explainer.text.families.being import is_like, is_somewhere
from explainer.text.families.daily import INVOLUNTARY
from explainer.text.families.predicates import Predicate, anything, doing
from explainer.text.families.speakers import PRONOUNS, anyone
from explainer.text.families.statements import choose_time, state_it, verb_group
from explainer.text.inflection import Person, Tense
from explainer.text.lexicon import Verb
from explainer.text.phrases import Clause, Nominal, Pair, sentence, words

YOU = PRONOUNS[1]
MODALS = ("können", "müssen", "wollen", "dürfen", "sollen")
FORMS = ("present", "present progressive", "past", "past progressive")


def simple(rng: Random) -> Pair:
    """The farmer is washing his car. / Anna doesn't drink milk. / The soup is hot. / Close the door!"""
    roll = rng.random()
    if roll < 0.25:
        source, target = is_like(rng) if roll < 0.17 else is_somewhere(rng)
        return Pair(sentence(source), sentence(target), "simple")
    if roll < 0.32:
        return command(rng, "simple", anything)
    subject = anyone(rng)
    form = rng.choices(FORMS, (5, 4, 6, 1))[0]
    said = state_it(rng, subject, anything(rng, subject), form, negated=rng.random() < 0.35, timed=0.15)
    return Pair(sentence(said.english()), sentence(said.german().main()), "simple")


def command(rng: Random, family: str, draw: Callable[[Random, Nominal], Predicate]) -> Pair:
    """Turn on the lamp! / Please don't close the window."""
    predicate = draw(rng, YOU)
    if predicate.verb.english in INVOLUNTARY or not predicate.progressive:
        return command(rng, family, draw)
    verb, negated = predicate.verb, rng.random() < 0.2
    middle = predicate.negative if negated else predicate.middle
    source = words("don't" if negated else "", verb.english, predicate.english)
    target = words(inflection.imperative(verb), *middle, verb.prefix)
    if rng.random() < 0.4:
        return Pair(sentence(f"please {source}"), sentence(f"bitte {target}"), family)
    return Pair(sentence(source, "!"), sentence(target, "!"), family)


def time(rng: Random) -> Pair:
    """Yesterday the farmer washed his car: the German verb stays second, so the subject follows it."""
    subject = anyone(rng)
    form = rng.choice(("past", "past", "present progressive", "present", "future", "going"))
    said = state_it(rng, subject, anything(rng, subject), form, negated=rng.random() < 0.15, timed=1.0)
    if not said.time[0] or said.time[0] in ("never", "always", "rarely", "right now"):
        return time(rng)
    clause = said.german(timed=False).main(said.time[1])
    if said.frequency or rng.random() < 0.3:
        return Pair(sentence(said.english()), sentence(clause), "time")
    return Pair(sentence(words(said.time[0], said.english(timed=False))), sentence(clause), "time")


def separable(rng: Random) -> Pair:
    """Anna turns on the lamp: Anna schaltet die Lampe ein."""
    if rng.random() < 0.12:
        return command(rng, "separable", predicates.separable)
    subject = anyone(rng)
    predicate = predicates.separable(rng, subject)
    form = rng.choices((*FORMS, "perfect", "future"), (6, 4, 6, 1, 2, 2))[0]
    said = state_it(rng, subject, predicate, form, negated=rng.random() < 0.2, timed=0.35)
    if rng.random() < 0.2 and said.form in ("present", "present progressive", "past"):
        return Pair(
            sentence(said.english_question(), "?"), sentence(said.german().question(), "?"), "separable"
        )
    return Pair(sentence(said.english()), sentence(said.german().main()), "separable")


def perfect(rng: Random) -> Pair:
    """I have read the book. / We went home: haben or sein, and the participle at the end."""
    subject = anyone(rng)
    predicate = anything(rng, subject)
    if not predicate.progressive and predicate.verb.english in INVOLUNTARY - {
        "lose",
        "forget",
        "find",
        "see",
        "hear",
    }:
        return perfect(rng)
    asked = rng.random() < 0.2 and subject.english() not in ("I", "we")
    said = state_it(
        rng, subject, predicate, rng.choice(("perfect", "past")), negated=rng.random() < 0.25, timed=0.4
    )
    said = replace(said, german_tense="perfect")
    if said.form == "perfect" and not said.negated and not asked and rng.random() < 0.25:
        auxiliary, main = said.group()
        source = words(subject.english(), auxiliary, "already", main, predicate.english)
        clause = said.german(middle=before_object(predicate, "schon"))
        return Pair(sentence(source), sentence(clause.main()), "perfect")
    if asked:
        return Pair(
            sentence(said.english_question(), "?"), sentence(said.german().question(), "?"), "perfect"
        )
    return Pair(sentence(said.english()), sentence(said.german().main()), "perfect")


def before_object(predicate: Predicate, adverb: str) -> tuple[str, ...]:
    """Put schon behind a definite object and before everything else."""
    if predicate.object is not None and predicate.object.determiner not in ("a", ""):
        return (*predicate.middle, adverb)
    return (adverb, *predicate.middle)


def modal(rng: Random) -> Pair:
    """You can open the window. / We don't have to go home."""
    subject = anyone(rng)
    predicate = doing(rng, subject) if rng.random() < 0.5 else anything(rng, subject)
    if predicate.verb.english in INVOLUNTARY or not predicate.progressive:
        return modal(rng)
    german = rng.choice(MODALS)
    asked = rng.random() < 0.25
    negated = not asked and rng.random() < 0.35
    past = rng.random() < 0.3 and german not in ("sollen", "dürfen")
    auxiliary, after = modal_english(rng, german, subject.person, (past, negated, asked))
    time = (
        choose_time(rng, "past" if past else "future", predicate, negated)
        if rng.random() < 0.25
        else ("", "")
    )
    verb = predicate.verb
    tense: Tense = "past" if past or german == "sollen" else "present"  # should is sollte
    clause = Clause(
        subject.german("nominative"), inflection.modal(german, tense, subject.person),
        (time[1], *(predicate.negative if negated else predicate.middle)), verb.prefix + verb.infinitive,
    )  # fmt: skip
    rest = words(after, verb.english, predicate.english, time[0])
    if asked:
        source = words(auxiliary, subject.english(), rest)
        return Pair(sentence(source, "?"), sentence(clause.question(), "?"), "modal")
    return Pair(sentence(words(subject.english(), auxiliary, rest)), sentence(clause.main()), "modal")


def modal_english(rng: Random, german: str, person: Person, how: tuple[bool, bool, bool]) -> tuple[str, str]:
    """Return the English for a German modal: the auxiliary, and what stands before the infinitive.

    Args:
        rng: chooses between must and have to.
        german: the modal.
        person: of the subject.
        how: past, negated, asked.
    """
    past, negated, asked = how
    if german in ("dürfen", "sollen"):
        plain, denied = ("may", "mustn't") if german == "dürfen" else ("should", "shouldn't")
        return (denied if negated else "can" if asked and german == "dürfen" else plain), ""
    if german == "können":
        return (("couldn't" if negated else "could") if past else ("can't" if negated else "can")), ""
    if german == "müssen" and not (past or negated or asked) and rng.random() < 0.5:
        return "must", ""
    base = {
        "müssen": Verb("have", "had", "had", "", "", "", ""),
        "wollen": Verb("want", "wanted", "wanted", "", "", "", ""),
    }
    auxiliary, main = verb_group(base[german], "past" if past else "present", person, negated, asked)
    return (auxiliary, f"{main} to") if auxiliary else (f"{main} to", "")
