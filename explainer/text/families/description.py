"""Family "description": adjectives before the noun, and prepositions that choose the case.

"The quick brown fox jumps over the lazy dog." A motion takes the accusative (über den Hund), a
place the dative (unter dem Baum).
"""

from dataclasses import dataclass
from random import Random

from explainer.text import english, inflection
from explainer.text.families.looks import describe
from explainer.text.inflection import Case, Person, Tense
from explainer.text.lexicon import Noun, Verb
from explainer.text.nouns import ANIMALS, MEN, WOMEN, animals, pick
from explainer.text.phrases import Pair, Phrase, german_clause, sentence, words
from explainer.text.words import verb

FAMILY = "description"
PEOPLE = (*MEN.values(), *WOMEN.values())
OWNED = {*(noun for noun in ANIMALS.values() if noun.has("h")), *pick("house garden car table bed sofa room kitchen")}
POSSESSIVES = ("my", "your", "his", "her", "our", "their")


@dataclass(frozen=True)
class Movement:
    """Who moves (or rests), how, and where: one preposition in each language, one German case."""

    verbs: tuple[Verb, ...]
    actors: tuple[Noun, ...]
    english_preposition: str
    german_preposition: str
    case: Case
    places: tuple[Noun, ...]


def movement(keys: str, actors: tuple[Noun, ...], frame: str, places: tuple[Noun, ...]) -> Movement:
    """Build a movement; `frame` is "English preposition, German preposition, a(ccusative) or d(ative)"."""
    source, target, case = frame.split()
    verbs = tuple(verb(key.replace("_", " ")) for key in keys.split())
    name: Case = "accusative" if case == "a" else "dative"
    return Movement(verbs, actors, source.replace("_", " "), target, name, places)


WALKERS = tuple(noun for noun in animals("") if not noun.has("f") and not noun.has("k"))
CREEPERS = (*animals("k"), *pick("cat lizard frog mouse puppy"))
BEATS = (*WALKERS, *PEOPLE)
INSIDE = pick("house room kitchen cellar barn stable cave hut castle church tent garden forest park hall school")
WILD_INSIDE = pick("forest cave barn stable garden hole jungle cellar tent")
OPEN = pick("forest park garden jungle tunnel valley village city")
GROUND = pick("meadow field")
ACROSS = pick("meadow field bridge street road square")
LANDMARKS = pick(
    "house church castle tree fence wall barn stable bridge hut tent school tower hedge bush lake river gate rock"
)
SMALL_HURDLES = pick("fence wall hedge ditch stream gate trunk puddle bush bench")
RESTING = pick("table bed bench tree bridge bush sofa chair")
SURFACES = pick("table bench chair bed sofa carpet roof wall hill rock branch bridge beach")
SOFT = pick("bed sofa carpet bench beach")
WATERS = pick("river lake pond sea canal")
RISES = pick("tree wall roof hill rock mountain tower table fence")

MOVEMENTS: tuple[Movement, ...] = (
    movement("jump", animals("j"), "over über a", SMALL_HURDLES),
    movement("jump", animals("j"), "over über a", animals("h") + animals("m")),
    movement("jump", (*animals("j"), *PEOPLE), "into in a", pick("lake river pond ditch puddle boat car")),
    movement("run", (*animals("r"), *PEOPLE), "through durch a", OPEN),
    movement("run", (*animals("r"), *PEOPLE), "across über a", ACROSS),
    movement("run walk", BEATS, "into in a", INSIDE),
    movement("run", (*animals("r"), *PEOPLE), "around um a", LANDMARKS),
    movement("crawl", CREEPERS, "under unter a", RESTING),
    movement("crawl", CREEPERS, "through durch a", pick("hole pipe garden hedge tunnel")),
    movement("crawl", CREEPERS, "into in a", pick("hole cave pipe nest box basket")),
    movement("crawl", CREEPERS, "over über a", pick("trunk stone path wall rock carpet")),
    movement("walk", PEOPLE, "through durch a", OPEN + pick("street corridor market")),
    movement("walk", BEATS, "across über a", ACROSS),
    movement("walk", BEATS, "to zu d", LANDMARKS),
    movement("fly", animals("f"), "over über a", OPEN[:1] + pick("house lake river mountain sea meadow village city field")),
    movement("fly", animals("f"), "to zu d", pick("tree nest lake roof tower river")),
    movement("swim", animals("s"), "through durch a", WATERS),
    movement("swim", (*animals("s"), *PEOPLE), "in in d", WATERS),
    movement("climb@onto", (*animals("c"), *PEOPLE), "onto auf a", RISES),
    movement("come", BEATS, "out_of aus d", INSIDE),
    movement("sleep", BEATS, "in in d", WILD_INSIDE),
    movement("sleep lie", animals(""), "under unter d", RESTING),
    movement("sit", animals(""), "under unter d", RESTING),
    movement("sit stand wait", (*animals(""), *PEOPLE), "in_front_of vor d", LANDMARKS),
    movement("sit stand wait", (*animals(""), *PEOPLE), "behind hinter d", LANDMARKS),
    movement("sit stand sleep lie", (*animals(""), *PEOPLE), "next_to neben d", LANDMARKS),
    movement("sit", (*animals(""), *PEOPLE), "on auf d", SURFACES),
    movement("sleep lie", (*animals("h"), *PEOPLE), "on auf d", SOFT),
    movement("stand sit lie sleep play", (*animals(""), *PEOPLE), "in auf d", GROUND),
    movement("play", (*animals("h"), *PEOPLE), "in in d", pick("garden house park forest barn room kitchen")),
    movement("live", animals(""), "in in d", pick("forest barn stable cave jungle garden valley")),
    movement("live", PEOPLE, "in in d", pick("house castle village city hut street tower")),
)


def choose_phrase(rng: Random, noun: Noun, count: int) -> Phrase:
    """Draw determiner, number and adjectives for a noun."""
    roll = rng.random()
    plural = bool(noun.german_plural) and rng.random() < 0.13
    given = "the" if roll < 0.6 else "a"
    if noun in OWNED and roll > 0.8:
        given = rng.choice(POSSESSIVES)
    elif roll > 0.95:
        given = "this"
    return describe(rng, Phrase(noun, given, plural=plural), count)


def english_verb(chosen: Verb, person: Person, form: str) -> str:
    """Return "jumps", "is jumping", "jumped" or "was jumping"."""
    tense: Tense = "past" if form.startswith("past") else "present"
    if form.endswith("progressive"):
        return f"{english.be(tense, person)} {english.ing(chosen.english)}"
    return english.finite(chosen, tense, person)


def moving(rng: Random) -> Pair:
    """The quick brown fox jumps over the lazy dog."""
    kind = rng.choice(MOVEMENTS)
    chosen = rng.choice(kind.verbs)
    actor = choose_phrase(rng, rng.choice(kind.actors), rng.choices((0, 1, 2), (1, 4, 5))[0])
    noun = rng.choice([place for place in kind.places if place != actor.noun])
    place = choose_phrase(rng, noun, rng.choices((0, 1, 2), (3, 6, 1))[0])
    form = rng.choices(("present", "present progressive", "past", "past progressive"), (4, 2, 4, 1))[0]
    if chosen.english == "live" and form.endswith("progressive"):
        form = "present"
    source = words(
        actor.english(), english_verb(chosen, actor.person, form), kind.english_preposition, place.english()
    )
    where = inflection.contract(kind.german_preposition, place.german(kind.case))
    clause = german_clause(actor.german("nominative"), actor.person, chosen, form.split()[0], (where,))
    return Pair(sentence(source), sentence(clause.main()), FAMILY)


def description(rng: Random) -> Pair:
    """Draw one sentence of the family."""
    return moving(rng)
