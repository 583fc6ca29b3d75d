"""Things that are put somewhere, lie somewhere or are handled twice; data for `antecedent_people`."""

from dataclasses import dataclass

from explainer.text.families.scenes import Target, read_targets
from explainer.text.lexicon import Verb
from explainer.text.words import verb


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
    (
        "lie",
        "on",
        "auf",
        read_targets("""
book: / interesting exciting boring difficult
newspaper: / boring interesting
letter: / short sad
apple: / juicy sour sweet rotten
cat: / hungry tired sleepy
dog: / hungry tired friendly
dress: / elegant tight
fish: / rotten fresh salty
cake: / tasty sweet
"""),
        read_targets("""
table: / round low made_of_wood
bench: / comfortable made_of_wood
chair: / comfortable low made_of_wood
sofa: / comfortable
shelf: / high made_of_wood
carpet: / colourful
"""),
    ),
    (
        "stand",
        "in",
        "in",
        read_targets("""
milk: / sour fresh
soup: / salty spicy hot
juice: / sweet sour
cake: / tasty sweet
"""),
        read_targets("""
kitchen: / dark bright narrow@inside
cellar: / dark narrow@inside
fridge: / modern broken
"""),
    ),
    (
        "stand",
        "in",
        "in",
        read_targets("""
car: / fast expensive broken
bicycle: / rusty broken
tractor: / slow loud broken
horse: / hungry tired nervous
cow: / hungry sick fat
"""),
        read_targets("""
barn: / dark made_of_wood
garden: / quiet muddy
stable: / dark made_of_wood
hall: / bright dark
field: / muddy dry
"""),
    ),
)
CHAINS = (  # what is done to a thing, then to "it"; things that allow both
    (
        "open",
        "close",
        "door window box suitcase book drawer bottle gate cupboard umbrella",
        "again",
        "wieder",
    ),
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
    (
        "find",
        "eat@animal",
        "dog cat rat fox wolf bear hyena raven crow",
        "bone sausage fish egg cheese meat cake",
    ),
    (
        "find",
        "eat@animal",
        "horse cow goat donkey hare rabbit squirrel monkey",
        "apple pear carrot nut banana cabbage",
    ),
    ("see", "chase", "dog cat fox lynx wolf", "mouse rabbit hare duck squirrel rat hen"),
    ("catch", "eat@animal", "cat owl snake fox eagle stork", "mouse frog rat fish lizard bird"),
    ("take", "hide", "dog squirrel monkey raven rat crow", "bone nut key ring hat spoon sausage"),
    ("see", "follow", "dog wolf tiger lion bear", "horse cow sheep goat deer donkey"),
)
