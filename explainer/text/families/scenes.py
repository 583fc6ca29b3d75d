"""Scenes for the antecedent family: who does what to what, and which adjective speaks of whom.

In a scene the adjectives of the actor and those of each object never overlap, so an adjective
alone decides what *it* stands for: a street can be wide, only the animal can be tired.
"""

from dataclasses import dataclass
from random import Random

from explainer.text.families import burdens, places
from explainer.text.inflection import Case
from explainer.text.lexicon import Adjective, Noun, Verb
from explainer.text.nouns import MACHINES, MEN, VEHICLES, WOMEN, animals, pick
from explainer.text.words import adjectives, verb


@dataclass(frozen=True)
class Target:
    """An object of a scene with its adjectives: those that stop the actor and those that invite it."""

    noun: Noun
    stops: tuple[Adjective, ...]
    invites: tuple[Adjective, ...]


@dataclass(frozen=True)
class Scene:
    """A verb with its actors and objects.

    Attributes:
        verb: what the actor does or fails to do.
        actors: nouns that can do it.
        stops: adjectives of the actor that explain why it does not happen.
        drives: adjectives of the actor that explain why it does.
        targets: the objects.
        english_preposition: stands before the English object, or "".
        german_preposition: stands before the German object, or "".
        case: case of the German object.
        weight: how often the scene is drawn.
    """

    verb: Verb
    actors: tuple[Noun, ...]
    stops: tuple[Adjective, ...]
    drives: tuple[Adjective, ...]
    targets: tuple[Target, ...]
    english_preposition: str = ""
    german_preposition: str = ""
    case: Case = "accusative"
    weight: int = 1


DEGREES = {"too": "zu", "so": "so", "very": "sehr", "much too": "viel zu", "far too": "viel zu", "": ""}


def choose_degree(rng: Random, reason: Adjective, negated: bool) -> str:
    """Draw too, so, very or nothing; what is not graded takes nothing."""
    if not reason.graded:
        return ""
    if negated:
        return rng.choices(("too", "so", "very", "much too", "far too", ""), (60, 10, 7, 6, 3, 14))[0]
    return rng.choices(("so", "very", ""), (20, 30, 50))[0]


def read_targets(table: str) -> tuple[Target, ...]:
    """Read rows "noun: what stops / what invites"."""
    found = []
    for row in table.strip().splitlines():
        name, _, lists = row.partition(":")
        stops, _, invites = lists.partition("/")
        found.append(Target(pick(name)[0], adjectives(stops), adjectives(invites)))
    return tuple(found)


def without_invitations(table: str) -> str:
    """Return the table without what invites: a machine opens no box for its looks."""
    return "\n".join(row.partition("/")[0] for row in table.splitlines())


def scene(
    key: str,
    actors: tuple[Noun, ...],
    targets: str,
    *,
    stops: str,
    drives: str = "",
    frame: str = "- - accusative",
    weight: int = 1,
) -> Scene:
    """Build a scene; `frame` is "English preposition, German preposition, case"."""
    english, german, case = frame.replace("-", "").split(" ")
    built = Scene(
        verb(key), actors, adjectives(stops), adjectives(drives), read_targets(targets),
        english.replace("_", " "), german, "dative" if case == "dative" else "accusative", weight,
    )  # fmt: skip
    for target in built.targets:
        both = {*built.stops, *built.drives} & {*target.stops, *target.invites}
        if both:
            raise ValueError(f"scene {key}: {target.noun.english!r} shares {sorted(a.english for a in both)}")
    return built


WALKERS = tuple(noun for noun in animals("") if not noun.has("f"))
WALKERS += pick("duck goose hen swan stork pigeon")
RUNNERS = animals("r")
LAND = tuple(noun for noun in VEHICLES.values() if noun.has("l"))
WATER = tuple(noun for noun in VEHICLES.values() if noun.has("w"))
AIR = tuple(noun for noun in VEHICLES.values() if noun.has("a"))
POWER = tuple(noun for noun in MACHINES.values() if noun.has("p"))
BLADES = tuple(noun for noun in MACHINES.values() if noun.has("q"))
PEOPLE = (*MEN.values(), *WOMEN.values())
TRUCKS = pick("truck tractor van tank car")
ROBOT = pick("robot machine device")

TIMID = "tired weak scared lazy sick nervous sleepy exhausted injured shy old"
EAGER = "hungry thirsty curious brave impatient"

EAGER_FOR_FOOD = "hungry greedy curious"
WEARY = "tired weak sick exhausted lazy sleepy"
FEEBLE = "weak old damaged"
AT = "over über accusative"
INTO = "into in accusative"
THROUGH = "through durch accusative"

SCENES: tuple[Scene, ...] = (
    scene(
        "cross",
        WALKERS,
        places.ROADS,
        stops=TIMID + " slow young thirsty hungry",
        drives=EAGER + " lonely angry",
        weight=4,
    ),
    scene(
        "cross",
        LAND + ROBOT,
        places.DRIVEN,
        stops="slow old heavy damaged weak",
        drives="light fast",
        weight=2,
    ),
    scene("pass through", WALKERS, places.PASSAGES, stops=TIMID + " slow", drives=EAGER + " lonely strong"),
    scene("climb", RUNNERS, places.HILLS, stops=TIMID + " fat clumsy", drives=EAGER + " strong"),
    scene(
        "climb",
        animals("c") + animals("k"),
        places.CLIMBS,
        stops=TIMID + " fat clumsy",
        drives=EAGER + " strong",
    ),
    scene("climb", LAND + ROBOT, places.HILLS, stops="slow old heavy damaged weak", drives="strong light"),
    scene(
        "jump",
        animals("j"),
        places.HURDLES,
        stops=TIMID + " fat clumsy slow",
        drives=EAGER + " happy",
        frame=AT,
    ),
    scene(
        "enter",
        WALKERS,
        places.ROOMS,
        stops="scared shy nervous tired weak lazy big careful fat",
        drives=EAGER + " tired",
    ),
    scene("leave", WALKERS, places.LEAVING, stops=TIMID, drives=EAGER + " lonely angry happy"),
    scene(
        "eat@animal",
        animals("g"),
        burdens.PLANT_FOOD,
        stops=WEARY + " nervous sad excited shy",
        drives=EAGER_FOR_FOOD,
    ),
    scene(
        "eat@animal",
        animals("m"),
        burdens.MEAT_FOOD,
        stops=WEARY + " nervous sad excited shy",
        drives=EAGER_FOR_FOOD,
    ),
    scene(
        "drink",
        WALKERS,
        burdens.DRINKS,
        stops=WEARY + " nervous excited scared shy",
        drives="thirsty tired exhausted",
    ),
    scene(
        "open",
        ROBOT + animals("c") + pick("dog bear"),
        without_invitations(burdens.OPENABLE),
        stops="weak slow clumsy stupid",
        drives="clever",
    ),
    scene(
        "lift", POWER + pick("elephant gorilla bear"), burdens.HEAVY, stops=FEEBLE + " slow", drives="strong"
    ),
    scene(
        "push",
        animals("t"),
        burdens.ROLLING,
        stops="weak old tired lazy slow sick",
        drives="strong",
    ),
    scene("push", POWER[:2] + TRUCKS, burdens.ROLLING, stops="weak old slow damaged", drives="strong"),
    scene(
        "pull",
        animals("t"),
        burdens.TOWED,
        stops="weak old tired lazy sick stubborn",
        drives="strong young brave",
    ),
    scene("pull", TRUCKS + POWER, burdens.TOWED, stops="weak old damaged slow", drives="strong"),
    scene("carry", animals("t"), burdens.HEAVY, stops="weak old tired lazy slow", drives="strong"),
    scene("carry", ROBOT, burdens.HEAVY, stops="weak old slow damaged", drives="strong"),
    scene("reach", WALKERS, places.FAR, stops=TIMID + " slow clumsy", drives="fast strong brave clever"),
    scene("fit", LAND, places.HOLES, stops="wide big tall", drives="small", frame=THROUGH),
    scene("fit", animals("t"), places.HOLES, stops="big tall fat", drives="small thin", frame=THROUGH),
    scene(
        "crawl",
        animals("i") + pick("fox badger bear wolf lynx monkey beaver lamb penguin"),
        places.BURROWS,
        stops="big fat scared nervous",
        drives="small tired scared",
        frame=INTO,
    ),
    scene(
        "swim", animals("s"), places.WATERS, stops=TIMID + " slow", drives=EAGER + " strong", frame=THROUGH
    ),
    scene("follow", WALKERS, places.TRAILS, stops=TIMID + " slow", drives=EAGER, frame="- - dative"),
    scene(
        "destroy",
        POWER + pick("tank bulldozer monster dragon dinosaur"),
        burdens.WALLS,
        stops="weak slow",
        drives="strong",
    ),
    scene("cut through", BLADES, burdens.CUTTABLE, stops="blunt short light rusty", drives="sharp heavy"),
    scene(
        "stop",
        tuple(n for n in VEHICLES.values() if n.has("x")),
        places.HALTS,
        stops="full late fast",
        drives="empty",
        frame="at an dative",
    ),
    scene(
        "break",
        pick("ball stone hammer"),
        burdens.FRAGILE,
        stops="light small",
        drives="heavy hard",
        frame="- - accusative",
    ),
    scene("cross", WATER, places.SAILED, stops="slow old damaged small weak", drives="fast big"),
    scene("leave", WATER, places.HARBOURS, stops="slow old damaged heavy", drives="fast"),
    scene("reach", WATER, places.DISTANT, stops="slow old damaged heavy", drives="fast"),
    scene(
        "fly over",
        animals("f"),
        places.FLOWN_OVER,
        stops="weak tired old scared exhausted lazy injured",
        drives="brave strong curious",
    ),
    scene("fly over", AIR, places.FLOWN_OVER, stops="weak slow old heavy damaged", drives="fast"),
    scene(
        "use", animals("t"), places.USED, stops="heavy big nervous scared stubborn", drives="careful tired"
    ),
    scene("use", LAND, places.USED, stops="heavy big slow old"),
)
WEIGHTS = tuple(each.weight for each in SCENES)
