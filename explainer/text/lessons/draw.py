"""Draws noun phrases of classroom German: who does it, and what it is done to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from explainer.text.families.speakers import BOYS, GIRLS, POSSESSIVES, PRONOUNS, owner_of
from explainer.text.inflection import Case
from explainer.text.lessons.vocabulary import AGE, LOOKS, MASS, ONE, RANK, nouns
from explainer.text.lexicon import Adjective, Noun
from explainer.text.phrases import Nominal, Phrase, Someone

NAMES = tuple(
    Someone(name, "3s", key, name=True)
    for group, key in ((BOYS[:5], "m"), (GIRLS[:5], "f"))
    for name in group
)
DEFINITE = ("the", "the", "the", "the", "this", *POSSESSIVES)
PUBLIC = ("the", "the", "the", "this")  # of places that are nobody's own
ANY = ("the", "the", "the", "a", "a", "a", "a", "this", *POSSESSIVES)
SEVERAL = ("the", "the", "a", "a", "two", "three", "four", "five", "many")
DEFINITES = ("the", "the", "the", "this", "my", "your", "our")
OURS = {
    noun.english
    for noun in nouns("PETS WEAR GOODS VEHICLES PRINT house garden kitchen room school plan idea")
}
KIN = {noun.english for noun in nouns("KIN")}


@dataclass(frozen=True)
class Couple(Someone):
    """Two names joined by and: "Anna and Tom", Anna und Tom."""

    german_word: str = ""

    @property
    def english_pronoun(self) -> str:
        """They."""
        return "they"

    def german(self, case: Case) -> str:
        """The names in German; they have no cases."""
        return self.german_word


def couple(rng: Random) -> Couple:
    """Draw two different first names joined by and."""
    one, other = (name.english_word for name in rng.sample(NAMES, 2))
    return Couple(f"{one} and {other}", "3p", "3p", True, f"{one} und {other}")


def describe(rng: Random, noun: Noun, count: int) -> tuple[Adjective, ...]:
    """Draw up to `count` adjectives that fit the noun, in the order of both languages.

    Of two, the second tells age or colour: "the friendly old man" needs no comma in either language.
    """
    chosen = rng.sample(LOOKS[noun.english], min(count, len(LOOKS[noun.english])))
    ranks = {RANK[adjective.english]: adjective for adjective in chosen}
    if max(ranks, default=0) < AGE:
        return tuple(chosen[:1])
    return tuple(ranks[rank] for rank in sorted(ranks))


def phrase(
    rng: Random,
    noun: Noun,
    given: Sequence[str] = ANY,
    *,
    plural: float = 0.15,
    looks: Sequence[int] = (0, 1, 1, 2),
) -> Phrase:
    """Draw determiner, number and adjectives for a noun.

    Args:
        rng: makes the choices.
        noun: what is spoken of.
        given: the determiners to choose from; of somebody's relative it is a possessive, of what cannot be
            counted none or *the*.
        plural: how often there are several.
        looks: how many adjectives, to choose from.
    """
    adjectives = describe(rng, noun, rng.choice(looks))
    if noun.english in MASS:
        definite = "a" not in given or rng.random() < 0.3
        return Phrase(noun, "the" if definite else "", adjectives)
    if noun.english in KIN:
        return Phrase(noun, rng.choice(POSSESSIVES), adjectives, not noun.has("u") and rng.random() < plural)
    many = (
        bool(noun.german_plural) and noun.english not in ONE and not noun.has("u") and rng.random() < plural
    )
    fitting = SEVERAL if many and "a" in given else DEFINITES if many else given
    if noun.english not in OURS:
        fitting = [word for word in fitting if word not in POSSESSIVES]
    return Phrase(noun, rng.choice(fitting), adjectives, many)


def person(rng: Random, given: Sequence[str] = ("the", "the", "the", "a", "this")) -> Phrase:
    """Draw a person: "the old man", "my sister"."""
    group = rng.choice(("people", "people", "kin"))
    return counted(rng, phrase(rng, rng.choice(nouns(group.upper())), given))


def counted(rng: Random, several: Phrase) -> Phrase:
    """Give a bare plural a number: people are "two women", not "women"."""
    bare = several.plural and several.determiner == "a"
    return replace(several, determiner=rng.choice(("two", "three", "four", "many"))) if bare else several


def named(rng: Random) -> Nominal:
    """Draw a first name or a known person."""
    return rng.choice(NAMES) if rng.random() < 0.4 else person(rng, PUBLIC)


def anyone(rng: Random) -> Nominal:
    """Draw a pronoun, a first name, two, or a person."""
    roll = rng.random()
    if roll < 0.35:
        return rng.choice(PRONOUNS)
    if roll > 0.92:
        return couple(rng)
    return rng.choice(NAMES) if roll < 0.55 else person(rng)


def known(rng: Random) -> Nominal:
    """Draw anybody but an unknown person: whom the next clause can take up with a pronoun."""
    while True:
        subject = anyone(rng)
        if not isinstance(subject, Phrase) or subject.determiner in DEFINITE:
            return subject


def other_than(rng: Random, subject: Nominal, given: Sequence[str] = ("the", "the", "the", "this")) -> Phrase:
    """Draw a person who is not the subject."""
    while True:
        other = person(rng, given)
        if not (isinstance(subject, Phrase) and subject.noun == other.noun):
            return other


def own(rng: Random, noun: Noun, subject: Nominal, looks: Sequence[int] = (0, 1, 1)) -> Phrase:
    """Draw what belongs to the subject: "her red coat", and of several people "their red coats"."""
    several = subject.person in ("1p", "3p") or noun.english == "shoe"
    return Phrase(noun, owner_of(subject), describe(rng, noun, rng.choice(looks)), several)


def takes_up(subject: Nominal) -> Someone | None:
    """Return the pronoun that takes up a person, or None for a child, whose pronoun the languages choose unlike."""
    if isinstance(subject, Phrase) and not subject.plural and subject.noun.gender == "n":
        return None
    return next((one for one in PRONOUNS if one.english_word == subject.english_pronoun), None)
