"""What people do with things, and what is good or bad about the things; data for `antecedent_people`."""

from dataclasses import dataclass

from explainer.text.families.scenes import Target, read_targets
from explainer.text.families.targets import HEAVY, OPENABLE
from explainer.text.lexicon import Verb
from explainer.text.words import verb


@dataclass(frozen=True)
class Deed:
    """A verb with the things people do it to; `own` if people do it to what belongs to them."""

    verb: Verb
    targets: tuple[Target, ...]
    own: bool = False


def deed(key: str, table: str, own: bool = False) -> Deed:
    """Build a deed from a table of targets."""
    return Deed(verb(key), read_targets(table), own)


GOODS = """
car: expensive old slow ugly / cheap new fast beautiful
house: expensive old dark small / cheap beautiful big
bicycle: expensive old heavy / cheap new light
table: expensive big ugly / cheap beautiful practical
coat: expensive thin ugly / cheap warm elegant
dress: expensive short tight / cheap beautiful elegant
jacket: expensive thin small / cheap warm practical
skirt: expensive short ugly / cheap pretty
shirt: expensive tight ugly / cheap pretty
hat: expensive ugly big / cheap elegant
watch: expensive ugly broken / cheap beautiful
computer: expensive slow old / cheap fast modern
phone: expensive old slow / cheap modern practical
lamp: expensive ugly bright / cheap modern
carpet: expensive ugly small / cheap colourful soft
guitar: expensive old / cheap beautiful
violin: expensive old / cheap beautiful
sofa: expensive hard ugly / cheap soft comfortable
picture: expensive ugly dark / cheap beautiful
ring: expensive small / cheap beautiful
boat: expensive old slow / cheap fast
camera: expensive old heavy / cheap light modern
suitcase: expensive heavy small / cheap light practical
horse: expensive old wild / cheap young strong
vase: expensive ugly / cheap colourful
umbrella: expensive small / cheap practical
"""
WORN = """
coat: heavy warm dirty wet / warm elegant
dress: short tight dirty old / beautiful elegant
jacket: thin dirty tight wet / warm practical
skirt: short tight dirty / pretty colourful
shirt: tight dirty wet / clean pretty
hat: big ugly old / elegant beautiful
cap: small ugly dirty / warm colourful
pullover: warm tight dirty / warm soft
scarf: long warm ugly / warm soft
blouse: tight thin dirty / pretty elegant
"""
PRINT = """
book: difficult long boring / interesting exciting short
letter: long difficult / short interesting
newspaper: old boring / interesting
story: long sad boring / funny exciting short
novel: long boring difficult / exciting famous
poem: difficult sad long / short beautiful
text: difficult long boring / easy short
email: long boring / short interesting
"""
MEALS = """
soup: hot salty spicy cold / tasty hot
meat: tough salty / tasty
fish: salty cold / fresh tasty
cake: sweet dry hard / sweet tasty fresh
apple: sour hard rotten / sweet juicy
pear: hard rotten / sweet juicy
bread: hard dry old / fresh soft
sausage: spicy hot salty / tasty
pizza: cold hot spicy / tasty fresh
egg: hard cold rotten / fresh soft
cheese: salty hard / tasty soft
salad: salty bitter sour / fresh crunchy
banana: soft rotten / sweet
"""
DRINKS = """
tea: hot cold bitter strong / hot sweet
coffee: hot cold bitter strong / strong fresh
milk: hot cold sour / fresh warm sweet
juice: sour sweet warm / fresh cold
water: cold dirty warm / clean fresh
beer: warm bitter / cold
wine: sour sweet expensive / tasty
"""
VENUES = """
restaurant: expensive full loud / cheap famous cosy
museum: expensive crowded boring / famous interesting
hotel: expensive loud dirty / cheap quiet
cinema: expensive crowded loud / cheap modern
church: dark cold closed / beautiful famous
castle: closed far_away dark crowded / famous beautiful
market: loud crowded dirty / cheap colourful
park: crowded loud far_away / quiet beautiful
zoo: expensive closed crowded / famous
city: loud crowded dirty / beautiful famous
island: far_away small / beautiful quiet
beach: crowded dirty far_away / beautiful clean
village: far_away boring / quiet beautiful
library: closed loud / quiet modern
"""
BROKEN = """
car: old broken /
bicycle: old broken rusty /
computer: old broken slow /
radio: old broken /
lamp: old broken /
watch: old broken /
roof: old broken /
phone: old broken /
camera: old broken /
oven: old broken /
chair: old broken /
machine: old broken slow /
"""
RUBBISH = """
bicycle: old broken rusty /
computer: old broken slow /
radio: old broken loud /
lamp: old broken ugly /
watch: old broken /
phone: old broken slow /
camera: old broken /
chair: old broken ugly /
vase: ugly broken /
hat: old ugly dirty /
bag: old dirty ugly /
carpet: old dirty wet ugly /
shirt: old dirty tight /
"""
DEEDS = (
    deed("buy", GOODS), deed("buy", GOODS), deed("wear", WORN, own=True), deed("read", PRINT), deed("eat", MEALS),
    deed("drink", DRINKS), deed("open", OPENABLE), deed("lift", HEAVY), deed("carry", HEAVY), deed("visit", VENUES),
    deed("repair", BROKEN, own=True),
)  # fmt: skip
PARTINGS = (  # here the "stops" are the reasons to do it
    deed("sell", GOODS, own=True), deed("throw@away", RUBBISH, own=True)
)  # fmt: skip


@dataclass(frozen=True)
class Placing:
    """Putting one thing somewhere: what can be wrong with the thing and what with the place."""

    verb: Verb
    things: tuple[Target, ...]
    places: tuple[Target, ...]
    english_preposition: str
    german_preposition: str


PLACINGS = (
    Placing(verb("put@upright"), read_targets("""
cake: warm hot big
soup: hot warm
milk: warm hot
salad: warm big
bottle: big high
pot: hot big
plate: hot dirty
juice: warm
"""), read_targets("""
fridge: full broken dirty
cupboard: full narrow@inside
cellar: far_away wet
"""), "in", "in"),
    Placing(verb("put@flat"), read_targets("""
book: big heavy wet
letter: long wet
newspaper: wet big
dress: dirty wet
pullover: dirty wet
hat: big wet
coat: heavy wet
camera: expensive fragile big
picture: big fragile
"""), read_targets("""
drawer: full narrow@inside locked
suitcase: full small
box: full small closed
cupboard: full narrow@inside locked
bag: full small
chest: full narrow@inside locked
"""), "in", "in"),
    Placing(verb("put@upright"), read_targets("""
vase: heavy wet full
lamp: heavy bright hot
radio: heavy loud
pot: hot heavy wet
glass: full wet
bottle: wet full
cup: hot full
television: heavy big
"""), read_targets("""
table: small low
shelf: high narrow
cupboard: high narrow
chair: small low
bench: narrow low
"""), "on", "auf"),
    Placing(verb("hang"), read_targets("""
picture: heavy ugly big
mirror: heavy ugly big
map: old ugly big
clock: loud ugly heavy
calendar: old ugly big
"""), read_targets("""
wall@room: wet cold
door: narrow wet thin
"""), "on", "an"),
)  # fmt: skip
LYING = (  # verb, preposition, things, places; the adjectives of the two never overlap
    ("lie", "on", "auf", read_targets("""
book: / interesting exciting boring difficult
newspaper: / boring interesting
letter: / short sad
apple: / juicy sour sweet rotten
cat: / hungry tired sleepy
dog: / hungry tired friendly
dress: / elegant tight
fish: / rotten fresh salty
cake: / tasty sweet
"""), read_targets("""
table: / round low made_of_wood
bench: / comfortable made_of_wood
chair: / comfortable low made_of_wood
sofa: / comfortable
shelf: / high made_of_wood
carpet: / colourful
""")),
    ("stand", "in", "in", read_targets("""
milk: / sour fresh
soup: / salty spicy hot
juice: / sweet sour
cake: / tasty sweet
"""), read_targets("""
kitchen: / dark bright narrow@inside
cellar: / dark narrow@inside
fridge: / modern broken
""")),
    ("stand", "in", "in", read_targets("""
car: / fast expensive broken
bicycle: / rusty broken
tractor: / slow loud broken
horse: / hungry tired nervous
cow: / hungry sick fat
"""), read_targets("""
barn: / dark made_of_wood
garden: / quiet muddy
stable: / dark made_of_wood
hall: / bright dark
field: / muddy dry
""")),
)
CHAINS = (  # what is done to a thing, then to "it"; things that allow both
    ("open", "close", "door window box suitcase book drawer bottle gate cupboard umbrella", "again", "wieder"),
    ("buy", "sell", "car house bicycle boat horse watch guitar picture ring computer", "again", "wieder"),
    ("wash", "hang@up", "shirt dress skirt coat jacket blouse pullover", "", ""),
    ("find", "eat", "apple pear egg cake banana sausage nut", "", ""),
    ("find", "read", "book letter newspaper poem map", "", ""),
    ("take", "open", "letter bottle box suitcase book parcel umbrella", "", ""),
    ("buy", "eat", "apple pizza cake fish sausage banana bread", "", ""),
    ("write", "forget", "letter poem story email novel text", "", ""),
    ("take", "carry", "suitcase box sack chair basket bag table parcel", "home", "nach Hause"),
    ("find", "hide", "ring key letter box picture map", "", ""),
    ("wash", "eat", "apple pear carrot salad potato", "", ""),
    ("see", "buy", "dress hat lamp car coat ring skirt watch vase", "", ""),
    ("lose", "find", "key ring bag watch hat book ticket umbrella", "again", "wieder"),
    ("repair", "sell", "car bicycle computer radio watch boat machine lamp", "", ""),
    ("read", "understand", "text letter book poem story exercise", "", ""),
    ("paint@picture", "sell", "picture", "", ""),
)
BEAST_CHAINS = (  # what animals do to a thing and then to "it"
    ("find", "eat@animal", "dog cat rat fox wolf bear hyena raven crow", "bone sausage fish egg cheese meat cake"),
    ("find", "eat@animal", "horse cow goat donkey hare rabbit squirrel monkey", "apple pear carrot nut banana cabbage"),
    ("see", "chase", "dog cat fox lynx wolf", "mouse rabbit hare duck squirrel rat hen"),
    ("catch", "eat@animal", "cat owl snake fox eagle stork", "mouse frog rat fish lizard bird"),
    ("take", "hide", "dog squirrel monkey raven rat crow", "bone nut key ring hat spoon sausage"),
    ("see", "follow", "dog wolf tiger lion bear", "horse cow sheep goat deer donkey"),
)
