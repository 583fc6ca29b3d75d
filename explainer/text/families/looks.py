"""How things look: which adjectives may stand before which nouns, in the order English puts them."""

from random import Random

from explainer.text.lexicon import Adjective, Noun
from explainer.text.nouns import ANIMALS, MEN, WOMEN, pick
from explainer.text.phrases import Phrase
from explainer.text.words import adjectives

Look = tuple[tuple[Adjective, ...], ...]  # quality, size, age, colour; at most one of each


def look(quality: str, size: str, age: str, colour: str) -> Look:
    """Read the four classes of adjectives."""
    return tuple(adjectives(names) for names in (quality, size, age, colour))


ANIMAL = look(
    "quick lazy clever hungry tired thirsty wild friendly strong shy brave curious sleepy cheerful beautiful happy "
    "scared nervous stubborn proud sad angry lonely",
    "big little fat tiny huge", "old young", "brown black white grey spotted",
)  # fmt: skip
CUB = look("hungry curious cheerful sleepy shy happy sweet tired brave", "little tiny", "", "brown black white grey")
MAN = look(
    "tired happy sad friendly strong lazy brave clever rich poor funny famous curious lonely nervous angry proud",
    "tall little fat", "old young", "",
)  # fmt: skip
BUILDING = look("dark beautiful quiet modern ugly strange famous", "big small tall", "old new", "white grey yellow red")
ROOM = look("dark beautiful quiet warm cold bright dirty clean cosy", "big small", "old new", "")
HOLLOW = look("dark wet quiet warm cold narrow", "big small deep", "old", "")
WOODS = look("dark quiet dense beautiful strange", "big small", "old", "green")
GREEN = look("quiet beautiful wet", "big small wide", "", "green")
WATER = look("quiet beautiful cold clean wild", "big small deep wide", "", "blue")
HEIGHT = look("beautiful steep", "high low big small", "", "green grey")
HURDLE = look("ugly wet", "high low long", "old new", "white green brown")
WAY = look("dark quiet narrow dirty busy", "wide long", "old new", "")
TREE = look("beautiful", "tall big small", "old young", "")
FURNITURE = look("comfortable beautiful ugly expensive dirty", "big small long", "old new", "brown black white red blue")
OBJECT = look("beautiful expensive cheap ugly strange pretty", "big small", "old new", "red blue green yellow black white")
VEHICLE = look("fast slow expensive beautiful dirty", "big small", "old new", "red blue green yellow black white")
FOODSTUFF = look("tasty fresh sweet", "big small", "", "")

GROUPS: tuple[tuple[str, Look], ...] = (
    ("puppy kitten lamb calf foal chick", CUB),
    ("house church castle tower hotel school museum hut building barn stable", BUILDING),
    ("room kitchen cellar hall tent office cinema restaurant shop", ROOM),
    ("cave hole tunnel nest pipe cage", HOLLOW),
    ("forest jungle bush hedge", WOODS),
    ("meadow field garden park valley", GREEN),
    ("river lake pond stream canal sea swamp bay", WATER),
    ("mountain hill rock dune slope roof", HEIGHT),
    ("fence wall gate ditch trunk obstacle bench", HURDLE),
    ("street road path bridge square trail avenue corridor market village city island beach station", WAY),
    ("tree branch", TREE),
    ("table chair bed sofa cupboard shelf carpet bench chest door window", FURNITURE),
    ("car truck bus tractor taxi van motorbike carriage train tram ship boat ferry plane helicopter", VEHICLE),
    ("apple pear carrot bread fish cake egg banana pizza cheese sausage", FOODSTUFF),
)
LOOKS: dict[str, Look] = {name: kind for names, kind in GROUPS for name in names.split()}
PEOPLE = {**MEN, **WOMEN}
YOUNG = {noun.english for noun in pick("puppy kitten lamb calf foal chick boy son daughter")}


def look_of(noun: Noun) -> Look:
    """Return the adjectives that may stand before a noun."""
    if noun.english in LOOKS:
        return LOOKS[noun.english]
    return ANIMAL if noun.english in ANIMALS else MAN if noun.english in PEOPLE else OBJECT


def describe(rng: Random, phrase: Phrase, count: int) -> Phrase:
    """Return the phrase with up to `count` adjectives of different classes, in English order."""
    classes = [kind for kind in look_of(phrase.noun) if kind]
    chosen = sorted(rng.sample(range(len(classes)), min(count, len(classes))))
    drawn = tuple(rng.choice(classes[i]) for i in chosen)
    if phrase.noun.english in YOUNG:
        drawn = tuple(adjective for adjective in drawn if adjective.english not in ("old", "young"))
    return Phrase(phrase.noun, phrase.determiner, drawn, phrase.plural)
