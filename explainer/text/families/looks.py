"""How things look: which adjectives may stand before which nouns, in the order English puts them."""

from random import Random

from explainer.text.lexicon import Adjective, Noun
from explainer.text.nouns import ANIMALS, MEN, WOMEN
from explainer.text.phrases import Phrase
from explainer.text.words import ADJECTIVES, adjectives

Look = tuple[tuple[Adjective, ...], ...]  # opinion, size, quality, kind, colour; at most one of each


def look(opinion: str, size: str, quality: str, kind: str, colour: str = "") -> Look:
    """Read the five classes of adjectives; empty classes are dropped."""
    return tuple(adjectives(names) for names in (opinion, size, quality, kind, colour) if names)


ANIMAL = look(
    "",
    "big small fat tiny huge",
    "quick lazy clever hungry tired thirsty wild friendly strong shy brave curious sleepy cheerful "
    "happy scared nervous "
    "stubborn proud sad angry lonely careful beautiful",
    "old young little",
    "brown black white grey spotted",
)
CUB = look("", "tiny small", "hungry curious cheerful sleepy shy happy sweet tired brave", "little",
           "brown black white grey spotted")  # fmt: skip
PERSON = look(
    "",
    "tall small",
    "tired happy sad friendly strong lazy brave clever rich poor famous curious lonely nervous "
    "angry proud careful funny",
    "old young little",
)
CHILD = look(
    "", "small",
    "tired happy sad friendly lazy brave clever curious lonely nervous angry proud hungry funny",
    "little",
)  # fmt: skip
BUILDING = look("beautiful ugly", "big small", "dark quiet famous", "old new modern", "white grey yellow red")
ROOM = look("beautiful cosy", "big small", "dark quiet warm cold bright dirty clean", "old new modern")
HOLLOW = look("", "big small deep narrow@inside", "dark wet quiet warm cold", "")
WOODS = look("beautiful", "big small dense", "dark quiet wet", "old", "green")
GREEN = look("beautiful", "big small wide", "quiet wet", "", "green")
WATER = look("beautiful", "big small deep wide", "quiet cold clean wild dirty", "", "blue")
SEA = look("beautiful", "deep wide", "calm cold wild stormy", "", "blue")
HEIGHT = look("beautiful", "high low big small", "steep bare", "", "green grey")
HURDLE = look("ugly", "high low long", "wet", "old new", "white green brown")
DITCH = look("", "deep wide small big", "wet muddy dirty", "")
GATE = look("beautiful ugly", "big high small", "open rusty", "old new", "green white black")
WAY = look("", "wide long narrow", "dark quiet dirty busy", "old new")
TOWN = look("beautiful ugly", "big small", "quiet famous", "old")
SAND = look("beautiful", "long wide", "quiet warm", "")
TREE = look("beautiful", "tall big small", "bare", "old young", "green")
SEAT = look("comfortable beautiful ugly expensive", "big small long", "dirty clean", "old new",
            "brown black white red blue")  # fmt: skip
FURNITURE = look(
    "beautiful ugly expensive", "big small", "dirty heavy", "old new", "brown black white red blue"
)
OBJECT = look("beautiful ugly pretty expensive cheap", "big small", "", "old new",
              "red blue green yellow black white brown")  # fmt: skip
PRINT = look("beautiful", "long short", "interesting boring exciting difficult funny sad", "old new")
VEHICLE = look("beautiful expensive cheap", "big small", "fast slow dirty", "old new",
               "red blue green yellow black white")  # fmt: skip
MEAL = look("tasty", "big small", "fresh sweet", "")
DISH = look("tasty", "", "hot cold fresh", "")
DRINK = look("tasty", "", "hot cold warm", "")
GLASS = look("tasty", "", "cold sweet", "")
IDEA = look("", "", "strange difficult easy", "old new")
TALE = look("", "long short", "funny strange sad boring", "old new")

GROUPS: tuple[tuple[str, Look], ...] = (
    ("puppy kitten lamb calf foal chick", CUB),
    ("boy girl child son daughter grandson granddaughter", CHILD),
    ("house church castle tower hotel school museum hut building barn stable station", BUILDING),
    ("room kitchen cellar hall tent office cinema restaurant shop classroom bathroom", ROOM),
    ("cave hole tunnel nest pipe cage", HOLLOW),
    ("forest jungle bush hedge", WOODS),
    ("meadow field garden park valley", GREEN),
    ("river lake pond stream canal swamp bay", WATER),
    ("sea", SEA),
    ("mountain hill rock dune slope roof", HEIGHT),
    ("fence wall trunk obstacle", HURDLE),
    ("ditch puddle", DITCH),
    ("gate door window", GATE),
    ("street road path bridge trail avenue corridor", WAY),
    ("village city market square island", TOWN),
    ("beach", SAND),
    ("tree branch", TREE),
    ("chair bed sofa bench", SEAT),
    ("table cupboard shelf carpet chest", FURNITURE),
    ("book letter newspaper story text novel poem email", PRINT),
    (
        "car truck bus tractor taxi van motorbike carriage train tram ship boat ferry plane helicopter",
        VEHICLE,
    ),
    ("apple pear carrot bread fish cake egg banana pizza cheese sausage potato", MEAL),
    ("soup rice meat salad", DISH),
    ("water milk tea coffee", DRINK),
    ("juice wine beer", GLASS),
    ("question answer word exercise exam problem plan mistake language game idea", IDEA),
    ("song film joke secret", TALE),
)
LOOKS: dict[str, Look] = {name: kind for names, kind in GROUPS for name in names.split()}
PEOPLE = {**MEN, **WOMEN}
SIZES = {"big", "small", "tiny", "huge"}
LITTLE = ADJECTIVES["little"]


def look_of(noun: Noun) -> Look:
    """Return the adjectives that may stand before a noun."""
    if noun.english in LOOKS:
        return LOOKS[noun.english]
    return ANIMAL if noun.english in ANIMALS else PERSON if noun.english in PEOPLE else OBJECT


def describe(rng: Random, phrase: Phrase, count: int) -> Phrase:
    """Return the phrase with up to `count` adjectives of different classes, in English order."""
    classes = look_of(phrase.noun)
    chosen = sorted(rng.sample(range(len(classes)), min(count, len(classes))))
    drawn = tuple(rng.choice(classes[i]) for i in chosen)
    if phrase.noun.has("u"):  # nobody's father is little
        drawn = tuple(
            adjective for adjective in drawn if adjective.english not in ("little", "small", "young")
        )
    sized = any(adjective.english in SIZES for adjective in drawn)
    if len({adjective.german for adjective in drawn}) < len(drawn) or (sized and LITTLE in drawn):
        drawn = drawn[-1:]  # not "the small little dog"
    return Phrase(phrase.noun, phrase.determiner, drawn, phrase.plural)
