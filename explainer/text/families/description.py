"""Family "description": adjectives before the noun, and prepositions that choose the case.

"The quick brown fox jumps over the lazy dog." A motion takes the accusative (über den Hund), a
place the dative (unter dem Baum).
"""

from dataclasses import dataclass
from random import Random

from explainer.text import inflection
from explainer.text.families.looks import describe
from explainer.text.families.speakers import POSSESSIVES, english_verb
from explainer.text.inflection import Case
from explainer.text.lexicon import Noun, Verb
from explainer.text.nouns import ANIMALS, animals, people, pick
from explainer.text.phrases import Clause, Pair, Phrase, german_clause, sentence, words
from explainer.text.words import verb

FAMILY = "description"
OWNED = {noun.english for noun in ANIMALS.values() if noun.has("h")} | {
    noun.english for noun in pick("house garden car table bed sofa room kitchen tent boat carpet bag")
}


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


PEOPLE = people()
RUNNERS = (*animals("r"), *PEOPLE)
CREEPERS = (*animals("k"), *pick("cat lizard frog mouse puppy kitten rat hedgehog"))
WALKERS = tuple(noun for noun in animals("") if not noun.has("f") and not noun.has("k"))
BEATS = (*WALKERS, *PEOPLE)
TAME = (*animals("h"), *PEOPLE)
CALM = tuple(noun for noun in animals("") if not noun.has("k") and noun.english not in ("bee", "butterfly"))
SITTERS = tuple(
    noun
    for noun in animals("")
    if any(noun.has(t) for t in "ifcm") and noun.english not in ("ant", "beetle", "snail")
)
STANDERS = tuple(noun for noun in animals("r") if not noun.has("i") and noun.english not in ("fox", "wolf"))
CLIMBERS = (*animals("c"), *pick("boy girl painter thief postman hunter tourist prince"))
PLAYERS = (*people("y"), *pick("dog cat puppy kitten child monkey lamb foal"))
INSIDE = pick(
    "house room kitchen cellar barn stable cave hut castle church tent garden forest park hall school"
)
DENS = pick("forest cave barn stable garden jungle cellar tent")
OPEN = pick("forest park garden jungle tunnel valley village city")
GROUND = pick("meadow field")
ACROSS = pick("meadow field bridge street road square")
LANDMARKS = pick(
    "house church castle tree fence wall barn stable bridge hut tent school tower hedge bush gate rock"
)
GOALS = LANDMARKS + pick("lake river pond forest")
HURDLES = pick("fence wall hedge ditch stream gate trunk puddle bush bench")
COVERS = pick("table bed bench tree bridge bush sofa chair")
OUTDOOR_COVERS = pick("tree bridge bush hedge roof")
SEATS = pick("bench chair bed sofa wall hill rock beach")
PERCHES = pick("table bench chair sofa carpet roof wall rock fence bed")
SOFT = pick("bed sofa carpet bench")
WATERS = pick("river lake pond sea canal")
RISES = pick("tree wall roof hill rock mountain tower fence")

MOVEMENTS: tuple[Movement, ...] = (
    movement("jump", animals("j"), "over über a", HURDLES),
    movement("jump", animals("j"), "over über a", animals("h") + animals("m")),
    movement("leap", animals("j"), "over über a", HURDLES + animals("h")),
    movement("jump", (*animals("s"), *PEOPLE), "into in a", pick("lake river pond boat water")),
    movement("run", RUNNERS, "through durch a", OPEN),
    movement("run", RUNNERS, "across über a", ACROSS),
    movement("run walk", BEATS, "into in a", INSIDE),
    movement("run", RUNNERS, "around um a", GOALS),
    movement("crawl", CREEPERS, "under unter a", COVERS),
    movement("crawl", CREEPERS, "through durch a", pick("hole pipe garden hedge tunnel")),
    movement("crawl", CREEPERS, "into in a", pick("hole cave pipe nest box basket")),
    movement("crawl", CREEPERS, "over über a", pick("trunk stone path wall rock carpet")),
    movement("walk", PEOPLE, "through durch a", OPEN + pick("street corridor")),
    movement("walk", PEOPLE, "over über a", pick("market")),
    movement("walk", BEATS, "across über a", ACROSS),
    movement("walk", BEATS, "to zu d", GOALS),
    movement(
        "fly",
        animals("f"),
        "over über a",
        pick("forest house lake river mountain sea meadow village city field"),
    ),
    movement("fly", animals("f"), "to zu d", pick("tree nest lake roof tower river")),
    movement("swim", animals("s"), "through durch a", WATERS),
    movement("swim", (*animals("s"), *PEOPLE), "in in d", WATERS),
    movement("climb@onto", CLIMBERS, "onto auf a", RISES),
    movement("come", BEATS, "out_of aus d", INSIDE),
    movement("sleep", BEATS, "in in d", DENS),
    movement("sleep lie", animals("i"), "under unter d", COVERS),
    movement("sleep lie", animals(""), "under unter d", OUTDOOR_COVERS),
    movement("sit", animals("i"), "under unter d", COVERS),
    movement("sit wait", (*SITTERS, *PEOPLE), "in_front_of vor d", LANDMARKS),
    movement("stand wait", (*STANDERS, *PEOPLE), "in_front_of vor d", LANDMARKS),
    movement("sit", (*SITTERS, *PEOPLE), "behind hinter d", LANDMARKS),
    movement("stand", (*STANDERS, *PEOPLE), "behind hinter d", LANDMARKS),
    movement("sleep lie", animals(""), "next_to neben d", LANDMARKS),
    movement("stand", (*STANDERS, *PEOPLE), "next_to neben d", LANDMARKS),
    movement("sit", PEOPLE, "on auf d", SEATS),
    movement("sit", (*animals("i"), *pick("raven crow owl pigeon")), "on auf d", PERCHES),
    movement("sit", (*animals("f"), *animals("c")), "on auf d", pick("branch roof rock tree wall")),
    movement("sleep lie", (*pick("dog cat puppy kitten"), *PEOPLE), "on auf d", SOFT),
    movement("stand lie sleep", STANDERS, "in auf d", GROUND),
    movement("play", PLAYERS, "in auf d", GROUND),
    movement("play", PLAYERS, "in in d", pick("garden house park forest barn room kitchen")),
    movement("live", animals(""), "in in d", pick("forest barn stable cave jungle garden valley")),
    movement("live", PEOPLE, "in in d", pick("house castle village city hut street tower")),
)
STANDING = pick("tree house church bench tower bicycle car horse cow bus truck taxi carriage hut")
FRONTS = pick("house church school castle hotel museum barn stable station hospital cinema")
OWNERS = PEOPLE
GOODS = pick(
    "dog cat horse bird rabbit hat coat bag car bicycle house garden book umbrella basket watch "
    "guitar suitcase boat ring"
)
HUNTS = (  # verb, hunters, hunted, case of the hunted
    (
        "chase",
        pick("wolf lion tiger panther hyena"),
        pick("zebra antelope deer sheep goat hare lamb calf"),
        "a",
    ),
    ("chase", pick("dog fox lynx cat"), pick("hare rabbit mouse duck rat squirrel hen"), "a"),
    ("follow", PEOPLE + animals("h"), PEOPLE + animals("h"), "d"),
    ("see", PEOPLE, animals("") + PEOPLE, "a"),
    ("watch", PEOPLE + pick("cat fox wolf eagle owl dog"), animals("i") + animals("h"), "a"),
    ("help", PEOPLE, PEOPLE, "d"),
    ("visit", PEOPLE, PEOPLE, "a"),
    ("love", PEOPLE, PEOPLE + animals("h"), "a"),
    ("feed", PEOPLE, animals("h"), "a"),
    ("paint", PEOPLE, pick("house wall fence door boat bench chair gate"), "a"),
    ("wash", PEOPLE, pick("car dog horse shirt window dress"), "a"),
)


def choose_phrase(rng: Random, noun: Noun, count: int, *, place: bool = False) -> Phrase:
    """Draw determiner, number and adjectives for a noun; relatives belong to somebody."""
    roll = rng.random()
    plural = bool(noun.german_plural) and rng.random() < (0.05 if place else 0.13) and not noun.has("u")
    given = "the" if roll < 0.6 or (place and plural) else "a"
    if noun.has("k") and noun.pronoun != "it":
        given = rng.choice(POSSESSIVES) if roll < 0.7 else "the"
    elif noun.english in OWNED and roll > 0.8:
        given = rng.choice(POSSESSIVES)
    elif roll > 0.96:
        given = "this"
    return describe(rng, Phrase(noun, given, plural=plural), count)


def moving(rng: Random) -> Pair:
    """Draw who moves or rests where."""
    kind = rng.choice(MOVEMENTS)
    chosen = rng.choice(kind.verbs)
    actor = choose_phrase(rng, rng.choice(kind.actors), rng.choices((0, 1, 2), (1, 4, 5))[0])
    noun = rng.choice([place for place in kind.places if place != actor.noun])
    place = choose_phrase(rng, noun, rng.choices((0, 1, 2), (3, 6, 1))[0], place=True)
    form = rng.choices(("present", "present progressive", "past", "past progressive"), (4, 2, 4, 1))[0]
    if chosen.english == "live" and form.endswith("progressive"):
        form = "present"
    return moved(kind, chosen, actor, place, form)


def moved(kind: Movement, chosen: Verb, actor: Phrase, place: Phrase, form: str) -> Pair:
    """The quick brown fox jumps over the lazy dog."""
    source = words(
        actor.english(), english_verb(chosen, actor.person, form), kind.english_preposition, place.english()
    )
    where = inflection.contract(kind.german_preposition, place.german(kind.case))
    clause = german_clause(actor.german("nominative"), actor.person, chosen, form.split()[0], (where,))
    return Pair(sentence(source), sentence(clause.main()), FAMILY)


def acting(rng: Random) -> Pair:
    """The grey wolf chases the little white sheep. / The boy helps the old woman."""
    key, actors, others, letter = rng.choice(HUNTS)
    chosen, case = verb(key), "accusative" if letter == "a" else "dative"
    actor = choose_phrase(rng, rng.choice(actors), rng.choices((0, 1, 2), (1, 5, 4))[0])
    other = choose_phrase(rng, rng.choice([n for n in others if n != actor.noun]), rng.choice((1, 1, 2)))
    states = ("present", "past") if key in ("see", "love") else ("present", "present progressive", "past")
    form = rng.choice(states)
    source = words(actor.english(), english_verb(chosen, actor.person, form), other.english(as_object=True))
    clause = german_clause(
        actor.german("nominative"), actor.person, chosen, form.split()[0], (other.german(case),)
    )
    return Pair(sentence(source), sentence(clause.main()), FAMILY)


def owning(rng: Random) -> Pair:
    """The tall man has a little black dog."""
    owner = choose_phrase(rng, rng.choice(OWNERS), rng.choice((0, 1, 1, 2)))
    thing = describe(rng, Phrase(rng.choice(GOODS), "a"), rng.choice((1, 2, 2)))
    form = rng.choice(("present", "present", "past"))
    source = words(owner.english(), english_verb(verb("have"), owner.person, form), thing.english())
    clause = german_clause(
        owner.german("nominative"), owner.person, verb("have"), form, (thing.german("accusative"),)
    )
    return Pair(sentence(source), sentence(clause.main()), FAMILY)


def standing(rng: Random) -> Pair:
    """There is an old tree in front of our house."""
    thing = describe(rng, Phrase(rng.choice(STANDING), "a"), rng.choice((1, 2, 2)))
    place = choose_phrase(
        rng, rng.choice([n for n in FRONTS if n != thing.noun]), rng.choice((0, 1)), place=True
    )
    form, verb_form = rng.choice((("is", "steht"), ("was", "stand")))
    near, dative = rng.choice((("in front of", "vor"), ("behind", "hinter"), ("next to", "neben")))
    where = inflection.contract(dative, place.german("dative"))
    source = words("there", form, thing.english(), near, place.english())
    return Pair(sentence(source), sentence(Clause(thing.german("nominative"), verb_form).main(where)), FAMILY)


def description(rng: Random) -> Pair:
    """Draw one sentence of the family."""
    return rng.choices((moving, acting, owning, standing), (10, 3, 1, 1))[0](rng)
