"""The words of classroom German that are looked at: its nouns, and which adjectives may describe each.

The nouns come from the lexicon of the grammar; a few that it lacks stand here. Every English word has one German
word, so that no sentence has two translations: *clock* is here but not *watch* (both die Uhr), *woman* and *waitress*
but not *teacher* (der Lehrer or die Lehrerin).
"""

from functools import cache

from explainer.text.lexicon import Adjective, Noun, read_nouns
from explainer.text.nouns import NOUNS
from explainer.text.words import adjectives

ADDED = read_nouns("waiter Kellner m Kellner\nactor Schauspieler m Schauspieler", pronoun="he")

# At most one adjective of a class describes a noun; the classes stand in the order of both languages.
CLASSES = tuple(
    adjectives(names)
    for names in (
        "beautiful ugly friendly funny famous interesting boring exciting expensive cheap difficult easy strange "
        "modern comfortable practical lazy brave clever curious",
        "big small long short high deep wide heavy",
        "tired sick hungry thirsty happy sad angry strong rich poor quiet loud dark warm cold hot fresh sweet sour "
        "clean dirty full empty broken fast slow wild wet dry",
        "old new young",
        "red blue green yellow black white brown grey",
    )
)
RANK = {adjective.english: rank for rank, group in enumerate(CLASSES) for adjective in group}
AGE = 3  # the class of old, new and young

PEOPLE = """
man woman: friendly funny famous clever happy sad tired sick hungry strong rich poor angry old young
boy girl child: friendly funny clever lazy brave curious small happy sad tired sick hungry thirsty angry
king queen: famous friendly clever happy sad angry old young
prince princess: famous friendly clever brave happy sad rich young
waiter waitress: friendly funny lazy tired old young
actor actress: famous friendly funny rich old young
policeman: friendly brave strong tired old young
witch: ugly clever angry friendly old
"""
KIN = """
father mother grandfather grandmother: friendly funny clever tired sick happy sad angry
brother sister uncle aunt: friendly funny clever lazy brave tired sick happy sad rich old young
son daughter: friendly funny clever lazy brave small tired sick happy sad hungry
"""
PETS = """
dog cat: friendly clever lazy big small hungry thirsty tired wild old young black white brown grey
horse donkey: beautiful big small hungry thirsty tired strong old young black white brown grey
cow goat: big small hungry thirsty old young black white brown
pig: lazy clever big small hungry dirty old
rabbit: small big hungry young grey white brown
bird: beautiful small big hungry young red blue green yellow black
duck goose: small big hungry white grey
"""
WILD = """
mouse: small hungry clever young grey white brown
fox: clever hungry wild brave young red
wolf: hungry wild big strong old grey black
bear: hungry wild big strong lazy old brown black
lion tiger: hungry wild strong big brave old young
elephant: big strong clever curious old young grey
monkey: funny clever curious small hungry young brown
"""
FOOD = """
apple: red green yellow big small sweet sour fresh
pear: yellow green big small sweet fresh
banana: yellow green big small sweet
egg: fresh big small brown white
potato: hot big small old
sausage: hot big small cold
cake: sweet fresh big small dry
pizza: hot cold big small
salad: fresh big small green
bread: fresh warm dry dark
soup: hot cold warm
cheese: fresh
rice: hot cold
meat: fresh cold
fish: fresh big small
"""
DRINKS = """
water: cold warm fresh hot
milk: cold warm hot fresh
tea: hot cold sweet strong
coffee: hot cold strong
juice: cold fresh sweet
"""
PRINT = """
book story: interesting boring exciting funny difficult long short old new
letter: interesting funny long short old
newspaper: interesting boring old new
text: interesting boring difficult easy long short
"""
WEAR = """
coat: warm heavy beautiful ugly expensive long short old new clean dirty red blue green black brown grey
jacket pullover: warm beautiful ugly expensive cheap old new clean dirty red blue green yellow black white brown
shirt hat: beautiful ugly expensive cheap old new clean dirty red blue green yellow black white
dress skirt: beautiful ugly expensive long short old new red blue green yellow black white
shoe: beautiful comfortable expensive old new clean dirty red black white brown
"""
VEHICLES = """
car bus: beautiful expensive big small fast slow old new clean dirty red blue green yellow black white
bicycle: expensive cheap fast old new red blue green yellow black white
train: fast slow long modern old new
boat ship: beautiful big small fast slow old new white red blue
"""
GOODS = """
bag suitcase: heavy practical big small full empty old new red blue green black brown
box basket: heavy big small full empty old new red blue green yellow
bottle: big small full empty green white brown
cup glass: beautiful big small full empty clean dirty red blue green
plate: beautiful big small clean dirty white blue
table: heavy expensive beautiful big small long old new white black brown
chair sofa bench: comfortable expensive beautiful ugly old new red blue green white black brown
bed: comfortable big small old new white
lamp: modern beautiful ugly expensive cheap big small broken old new red blue green yellow white
clock: beautiful expensive broken big small old new
umbrella: practical cheap broken big small old new red blue green yellow black
camera computer phone: practical expensive cheap modern broken fast slow small old new
radio: loud broken expensive modern small old
television: big expensive modern broken old new
guitar: beautiful expensive cheap old new red black brown
picture: beautiful ugly interesting famous big small old new
ball: big small old new red blue green yellow white
key: small old new
pen pencil: expensive cheap old new red blue green black
ring: beautiful expensive small old
flower: beautiful small red blue yellow white
door window: big small dirty old new green white
cupboard: heavy big small old new white brown
present: beautiful practical interesting strange small big
toy: beautiful practical broken small old new red blue green yellow
"""
THOUGHTS = """
question answer: interesting difficult easy strange long short
exercise: difficult easy boring long short new
game: interesting boring exciting difficult easy old new
song film: beautiful famous interesting boring funny sad long short old new
problem: difficult strange big small old new
plan idea: interesting strange clever new
word: difficult strange long short new
bill: high
"""
PLACES = """
house castle: beautiful big small dark famous modern quiet expensive old new white yellow red
church museum: beautiful famous big small dark quiet modern old new
hotel restaurant: expensive cheap modern famous big small quiet loud old new
school hospital: modern big small old new
garden park: beautiful big small quiet green
forest: big small dark quiet old
kitchen room: big small dark warm cold clean dirty
classroom: big small dark loud quiet
street: long wide short quiet loud old
bridge: long high old new
river: long wide deep cold wild
lake: big small deep cold quiet
mountain: high beautiful famous
village city: small big beautiful quiet famous old
market: big small old famous loud
station: big small old new modern
beach: beautiful long quiet dirty
island: beautiful small big quiet
cinema theatre: modern big small old new famous
library: big small quiet modern old
tree: beautiful big small high old young green
shop: expensive cheap modern small big old new
barn stable: big small dark old
tower wall: high old new
zoo: big small famous old
"""
MASS = {"bread", "soup", "cheese", "rice", "meat", "water", "milk", "tea", "coffee", "juice"}
ONE = {"bill", "fish", "market"}  # what is spoken of in the singular only


def noun(key: str) -> Noun:
    """Return the noun with this English key."""
    return ADDED.get(key) or NOUNS[key]


def read_group(table: str) -> dict[str, tuple[Adjective, ...]]:
    """Read rows "nouns: adjectives"."""
    found: dict[str, tuple[Adjective, ...]] = {}
    for row in table.strip().splitlines():
        names, _, looks = row.partition(":")
        for name in names.split():
            found[name] = adjectives(looks)
    return found


GROUPS = {
    name: read_group(table)
    for name, table in {
        "people": PEOPLE, "kin": KIN, "pets": PETS, "wild": WILD, "food": FOOD, "drinks": DRINKS, "print": PRINT,
        "wear": WEAR, "vehicles": VEHICLES, "goods": GOODS, "thoughts": THOUGHTS, "places": PLACES,
    }.items()
}  # fmt: skip
LOOKS = {name: looks for group in GROUPS.values() for name, looks in group.items()}  # by the English noun


@cache
def nouns(keys: str) -> tuple[Noun, ...]:
    """Return the nouns of the given groups and keys; "GROUP" in capitals stands for all nouns of a group."""
    found: list[Noun] = []
    for key in keys.split():
        found += map(noun, GROUPS[key.lower()]) if key.isupper() else [noun(key)]
    return tuple(found)
