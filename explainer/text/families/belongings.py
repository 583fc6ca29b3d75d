"""What people do with things, and what is good or bad about the things; data for `antecedent_people`."""

from dataclasses import dataclass

from explainer.text.families.burdens import HEAVY, OPENABLE
from explainer.text.families.scenes import Target, read_targets
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
    deed("buy", GOODS), deed("buy", GOODS), deed("wear", WORN, own=True), deed("read", PRINT),
    deed("eat", MEALS),
    deed("drink", DRINKS), deed("open", OPENABLE), deed("lift", HEAVY), deed("carry", HEAVY),
    deed("visit", VENUES),
    deed("repair", BROKEN, own=True),
)  # fmt: skip
PARTINGS = (  # here the "stops" are the reasons to do it
    deed("sell", GOODS, own=True), deed("throw@away", RUBBISH, own=True)
)  # fmt: skip
