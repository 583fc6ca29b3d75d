"""What things can be, scene by scene: "noun: what stops the actor / what invites it"."""

PLANT_FOOD = """
apple: sour hard rotten / sweet juicy
carrot: hard dirty rotten / sweet fresh
bread: hard dry / fresh soft
hay: wet dirty / dry fresh
grass: dry dirty bitter / juicy fresh
cabbage: bitter rotten / fresh juicy
pear: hard rotten sour / sweet juicy
nut: hard bitter / tasty
banana: bitter rotten / sweet soft
salad: bitter salty / fresh crunchy
potato: hot hard / soft tasty
"""
MEAT_FOOD = """
meat: tough hot spicy rotten / fresh tasty juicy
bone: hard dirty / tasty fresh
fish: salty rotten hot / fresh tasty
sausage: spicy hot salty / tasty fresh
cheese: salty hard / tasty soft
egg: rotten hot / fresh soft
"""
DRINKS = """
water: dirty salty hot / clean fresh cold
milk: hot sour / warm fresh sweet
"""
OPENABLE = """
door: heavy locked rusty /
gate: heavy locked rusty /
window: high locked / low
box: heavy locked / colourful pretty
bottle: slippery cold / pretty
can: hard rusty /
suitcase: heavy locked / pretty
drawer: locked / full
cupboard: high locked / full
chest: heavy locked rusty / pretty
cage: locked rusty / dirty
parcel: big heavy / colourful pretty
"""
HEAVY = """
stone: heavy big slippery / light small
box: heavy big / light empty
trunk: heavy thick long / light thin
sack: heavy full / light empty
table: heavy big / light small
piano: heavy big / light small
barrel: heavy full / light empty
container: heavy full / light empty
parcel: heavy big / light small
suitcase: heavy full / light empty
basket: heavy full / light empty
chest: heavy big / light empty
load: heavy big / light
bench: heavy long / light
carpet: heavy wet / light dry
"""
ROLLING = """
cart: heavy full / light empty
wagon: heavy full / light empty
box: heavy big / light empty
stone: heavy big / light round
barrel: heavy full / light empty round
cupboard: heavy big / light empty
bed: heavy wide / light
sofa: heavy long / light
table: heavy wide / light
carriage: heavy full / light empty
sledge: heavy full / light empty
"""
TOWED = """
cart: heavy full / light empty
sledge: heavy full / light empty
plough: heavy rusty / light new
carriage: heavy full / light empty
wagon: heavy full / light empty
boat: heavy long / light small
trunk: heavy thick / light thin
load: heavy big / light small
"""
WALLS = """
wall: thick hard / thin
gate: thick heavy / thin
tower: stable high / low
house: stable big / small
castle: stable big / small
bridge: stable long / narrow
rock: hard big / small
door: thick stable / thin
"""
CUTTABLE = """
wood: hard thick wet / soft thin dry
rope: thick wet / thin
meat: tough frozen / soft
bread: hard / soft fresh
branch: thick hard / thin
trunk: thick hard / thin
carpet: thick / thin
cabbage: hard / soft
cheese: hard / soft
sausage: hard frozen / soft
cake: hard frozen / soft
"""
FRAGILE = """
window: thick stable / thin
mirror: thick stable / thin fragile
bottle: thick stable / thin fragile
vase: thick stable / thin fragile
glass: thick stable / thin fragile
plate: thick stable / thin fragile
"""
