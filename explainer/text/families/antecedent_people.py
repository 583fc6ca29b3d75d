"""The part of the antecedent family in which people act, so that "it" can only be a thing.

"I bought a car, but it was too expensive." "She opened the door and closed it again." "Tom didn't
put the cake in the fridge because it was too warm." (the cake) "… because it was too full." (the fridge)
"""

from collections.abc import Callable
from random import Random

from explainer.text import english, inflection
from explainer.text.families.belongings import DEEDS, PARTINGS
from explainer.text.families.handling import BEAST_CHAINS, CHAINS, LYING, PLACINGS
from explainer.text.families.looks import describe
from explainer.text.families.scenes import DEGREES, choose_degree
from explainer.text.families.speakers import NAMES, PRONOUNS, a_person, owner_of
from explainer.text.inflection import Case
from explainer.text.lexicon import Adjective
from explainer.text.nouns import NOUNS, pick
from explainer.text.phrases import (
    Clause,
    Nominal,
    Pair,
    Phrase,
    english_clause,
    german_clause,
    sentence,
    words,
)
from explainer.text.words import verb

FAMILY = "antecedent"


def subject(rng: Random, *, alone: bool = False) -> Nominal:
    """Draw a person, one only if `alone`; "you" is left out, because it hides du, ihr and Sie."""
    kind = rng.choices(("pronoun", "name", "person"), (5, 3, 4))[0]
    if kind == "pronoun":
        plural = () if alone else ("we", "they")
        return rng.choice([one for one in PRONOUNS if one.english_word in ("I", "he", "she", *plural)])
    return rng.choice(NAMES) if kind == "name" else a_person(rng, 0.0 if alone else 0.1)


def wearer(rng: Random, thing: str, *, alone: bool = False) -> Nominal:
    """Draw a person who may own or wear the thing: dresses, skirts and blouses are left to women."""
    while True:
        actor = subject(rng, alone=alone)
        if thing not in ("dress", "skirt", "blouse") or actor.english_pronoun in ("I", "she"):
            return actor


def tense_for(rng: Random, actor: Nominal) -> str:
    """Draw the German past tense: the perfect is commoner when people speak of themselves."""
    share = 0.45 if actor.person in ("1s", "1p") else 0.2
    return "perfect" if rng.random() < share else "past"


def state(phrase: Phrase, adjective: Adjective, degree: str) -> tuple[str, Clause]:
    """Return "it was too heavy" with the pronoun for the phrase, in both languages."""
    person = phrase.person
    source = words(phrase.english_pronoun, english.be("past", person), degree, adjective.english)
    middle = (words(DEGREES[degree], adjective.german),)
    return source, Clause(phrase.german_pronoun("nominative"), inflection.SEIN["past"][person], middle)


def package(source: str, target: str, about: Phrase, other: Nominal, adjective: str, case: Case) -> Pair:
    """Package the sentence; a pronoun as the subject is no second noun."""
    noun = other.head if isinstance(other, Phrase) or other.name else ""
    return Pair(
        sentence(source), sentence(target), FAMILY, about.head, noun, adjective, about.german_pronoun(case)
    )


def reason_for_deed(rng: Random) -> Pair:
    """I didn't buy the car because it was too expensive. / I bought the car because it was cheap."""
    chosen = rng.choice(DEEDS)
    target = rng.choice(chosen.targets)
    negated = rng.random() < 0.6 or not target.invites
    reason = rng.choice(target.stops if negated else target.invites)
    actor = wearer(rng, target.noun.english, alone=chosen.own)
    thing = Phrase(target.noun, owner_of(actor) if chosen.own and rng.random() < 0.7 else "the")
    source, state_clause = state(thing, reason, choose_degree(rng, reason, negated))
    subject_word, person = actor.german("nominative"), actor.person
    if negated and rng.random() < 0.25:
        main = words(actor.english(), "wanted to", chosen.verb.english, thing.english())
        german = german_clause(
            subject_word, person, chosen.verb, "past", (thing.german("accusative"),), "wollen"
        )
        source, target_text = f"{main}, but {source}", f"{german.main()}, aber {state_clause.main()}"
    else:
        main = english_clause(actor.english(), person, chosen.verb, "past", thing.english(), negated)
        middle = (thing.german("accusative"), "nicht" if negated else "")
        german = german_clause(subject_word, person, chosen.verb, tense_for(rng, actor), middle)
        source, target_text = (
            f"{main} because {source}",
            f"{german.main()}, weil {state_clause.subordinate()}",
        )
    return package(source, target_text, thing, actor, reason.english, "nominative")


def but_it_was(rng: Random) -> Pair:
    """I bought a car, but it was too expensive."""
    chosen = rng.choice(
        [each for each in DEEDS if each.verb.english in ("buy", "read", "eat", "drink", "visit")]
    )
    target = rng.choice(chosen.targets)
    reason = rng.choice([a for a in target.stops if a.english not in ("far away", "closed")])
    actor, thing = subject(rng), Phrase(target.noun, rng.choice(("a", "the")))
    if not target.noun.german_plural:
        thing = Phrase(target.noun, "the")
    source, clause = state(thing, reason, choose_degree(rng, reason, True))
    main = english_clause(actor.english(), actor.person, chosen.verb, "past", thing.english())
    german = german_clause(
        actor.german("nominative"),
        actor.person,
        chosen.verb,
        tense_for(rng, actor),
        (thing.german("accusative"),),
    )
    return package(
        f"{main}, but {source}",
        f"{german.main()}, aber {clause.main()}",
        thing,
        actor,
        reason.english,
        "nominative",
    )


def get_rid(rng: Random) -> Pair:
    """Anna sold her car because it was too slow."""
    chosen = rng.choice(PARTINGS)
    target = rng.choice(chosen.targets)
    actor = wearer(rng, target.noun.english, alone=True)
    reason = rng.choice([a for a in target.stops if a.english != "expensive"] or target.stops)
    thing = Phrase(target.noun, owner_of(actor))
    source, because = state(thing, reason, choose_degree(rng, reason, True))
    if chosen.verb.prefix:
        main = words(actor.english(), "threw", thing.english(), "away")
    else:
        main = english_clause(actor.english(), actor.person, chosen.verb, "past", thing.english())
    german = german_clause(
        actor.german("nominative"),
        actor.person,
        chosen.verb,
        tense_for(rng, actor),
        (thing.german("accusative"),),
    )
    return package(
        f"{main} because {source}", f"{german.main()}, weil {because.subordinate()}",
        thing, actor, reason.english, "nominative",
    )  # fmt: skip


def placing(rng: Random) -> Pair:
    """Tom didn't put the cake in the fridge because it was too warm / too full."""
    chosen = rng.choice(PLACINGS)
    one, other = rng.choice(chosen.things), rng.choice(chosen.places)
    about_thing = rng.random() < 0.5
    mine, yours = (one, other) if about_thing else (other, one)
    reasons = [a for a in mine.stops if a not in yours.stops]
    if not reasons:
        return placing(rng)
    actor, reason = subject(rng), rng.choice(reasons)
    thing, place = Phrase(one.noun), Phrase(other.noun)
    about, rest = (thing, place) if about_thing else (place, thing)
    source, because = state(about, reason, choose_degree(rng, reason, True))
    where = inflection.contract(chosen.german_preposition, place.german("accusative"))
    main = english_clause(
        actor.english(), actor.person, chosen.verb, "past",
        words(thing.english(), chosen.english_preposition, place.english()), negated=True,
    )  # fmt: skip
    german = german_clause(
        actor.german("nominative"), actor.person, chosen.verb, tense_for(rng, actor),
        (thing.german("accusative"), "nicht", where),
    )  # fmt: skip
    return package(
        f"{main} because {source}", f"{german.main()}, weil {because.subordinate()}",
        about, rest, reason.english, "nominative",
    )  # fmt: skip


def lying(rng: Random) -> Pair:
    """The book lay on the table. It was exciting (the book) / round (the table)."""
    key, preposition, german_preposition, things, places = rng.choice(LYING)
    one, other = rng.choice(things), rng.choice(places)
    thing, place = Phrase(one.noun), Phrase(other.noun)
    about_thing = rng.random() < 0.5
    reason = rng.choice((one if about_thing else other).invites)
    about, rest = (thing, place) if about_thing else (place, thing)
    degree = rng.choice(("", "very", "so")) if reason.graded else ""
    source, clause = state(about, reason, degree)
    shown = "lay" if key == "lie" else "stood" if one.noun.english in ("horse", "cow") else "was"
    main = words(thing.english(), shown, preposition, place.english())
    german_preposition = "auf" if other.noun.english == "field" else german_preposition
    where = inflection.contract(german_preposition, place.german("dative"))
    german = german_clause(thing.german("nominative"), thing.person, verb(key), "past", (where,))
    return package(
        f"{main}. {sentence(source, '')}", f"{german.main()}. {sentence(clause.main(), '')}",
        about, rest, reason.english, "nominative",
    )  # fmt: skip


def chain(rng: Random) -> Pair:
    """She opened the door and closed it again. / I read the text, but I didn't understand it."""
    first, second, things, adverb, german_adverb = rng.choice(CHAINS)
    noun = NOUNS[rng.choice(things.split())]
    actor = subject(rng)
    thing = Phrase(noun, rng.choice(("the", "the", "a")) if noun.german_plural else "the")
    if rng.random() < 0.35 and first not in ("write", "paint@picture"):
        thing = describe(rng, thing, 1)
    it, again = thing.german_pronoun("accusative"), verb(second)
    one = english_clause(actor.english(), actor.person, verb(first), "past", thing.english())
    german = german_clause(
        actor.german("nominative"), actor.person, verb(first), "past", (thing.german("accusative"),)
    )
    if second == "understand":
        who = actor.german_pronoun("nominative")
        two = words(", but", actor.english_pronoun, "didn't understand it")
        then = ", aber " + german_clause(who, actor.person, again, "past", (it, "nicht")).main()
    else:
        two = words(" and", again.past, "it", adverb, "up" if second == "hang@up" else "")
        then = " und " + german_clause("", actor.person, again, "past", (it, german_adverb)).main()
    return package(one + two, german.main() + then, thing, actor, "", "accusative")


def beast_chain(rng: Random) -> Pair:
    """The dog found the bone and ate it."""
    first, second, beasts, things = rng.choice(BEAST_CHAINS)
    beast = Phrase(rng.choice(pick(beasts)), rng.choice(("the", "the", "a")))
    noun = rng.choice([each for each in pick(things) if each != beast.noun])
    thing = Phrase(noun, rng.choice(("the", "a")) if noun.german_plural else "the")
    one = english_clause(beast.english(), "3s", verb(first), "past", thing.english())
    case: Case = "dative" if second == "follow" else "accusative"
    german = german_clause(
        beast.german("nominative"), "3s", verb(first), "past", (thing.german("accusative"),)
    )
    then = german_clause("", "3s", verb(second), "past", (thing.german_pronoun(case),))
    return package(
        f"{one} and {verb(second).past} it", f"{german.main()} und {then.main()}", thing, beast, "", case
    )


SHAPES: tuple[tuple[Callable[[Random], Pair], int], ...] = (
    (reason_for_deed, 9), (but_it_was, 4), (get_rid, 3), (placing, 5), (lying, 4), (chain, 6),
    (beast_chain, 4),
)  # fmt: skip


def people_antecedent(rng: Random) -> Pair:
    """Draw one sentence in which people act."""
    shapes, weights = zip(*SHAPES, strict=True)
    return rng.choices(shapes, weights)[0](rng)
