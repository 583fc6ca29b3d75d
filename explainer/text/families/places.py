"""What places can be, scene by scene: "noun: what stops the actor / what invites it"."""

ROADS = """
street: wide busy dangerous icy loud / empty quiet
road: wide busy dangerous icy / empty quiet
motorway: wide busy dangerous loud / empty quiet
crossing: dangerous busy icy / empty quiet
square: wide crowded loud / empty quiet
avenue: wide busy / empty quiet
bridge: narrow icy dangerous long slippery / short wide stable
river: wide deep dangerous cold / narrow shallow
stream: wide deep cold / narrow shallow
canal: wide deep dirty / narrow shallow
field: wide muddy icy / dry
meadow: wide wet muddy / dry
desert: hot wide / beautiful
swamp: deep dangerous muddy / frozen
moor: wet deep dangerous / frozen dry
valley: deep wide dark / beautiful peaceful
gorge: deep wide dangerous / narrow
path: muddy icy slippery / dry empty
"""
DRIVEN = """
street: narrow dangerous icy muddy / empty wide
road: narrow dangerous icy muddy / empty wide
crossing: dangerous busy icy / empty
square: crowded icy / empty
bridge: narrow icy dangerous slippery / wide stable short
field: wet muddy icy / dry
meadow: wet muddy steep / dry
desert: hot wide dangerous / beautiful
moor: wet dangerous / frozen dry
valley: deep dark muddy / beautiful peaceful
path: narrow muddy steep slippery / dry wide
swamp: deep wet dangerous / frozen
"""
PASSAGES = """
forest: dark dense spooky / peaceful
jungle: hot dense dangerous / beautiful
tunnel: dark narrow@inside spooky long / bright short
desert: hot dangerous / beautiful
valley: dark deep icy / beautiful peaceful
swamp: deep muddy dangerous / frozen
park: dark crowded / empty peaceful
village: loud crowded / quiet peaceful
city: loud crowded dangerous / quiet beautiful
"""
HILLS = """
mountain: steep high icy dangerous / low
hill: steep high slippery / low
rock: steep high smooth slippery / low
dune: steep high hot / low
slope: steep icy slippery muddy / dry
ramp: steep icy slippery / dry low
"""
CLIMBS = """
wall: high smooth / low
tower: high dangerous / low
roof: steep high slippery / low
tree: high wet bare / low
rock: steep high smooth slippery / low
mountain: steep high icy dangerous / low
ladder: high long slippery / low
fence: high wet slippery / low
"""
HURDLES = """
fence: high / low
wall: high wide / low
hedge: high dense wide / low
ditch: wide deep / narrow
gate: high / low
stream: wide deep / narrow
trunk: thick high / thin
obstacle: high wide / low
puddle: deep wide / shallow
bush: high dense / low
gap: wide deep / narrow
wagon: high / low empty
"""
ROOMS = """
house: dark loud cold spooky / warm quiet
room: dark cold loud dirty / warm bright cosy
cave: dark wet narrow@inside spooky / dry warm
barn: dark cold loud / warm dry
stable: dark dirty cold / warm dry clean
forest: dark dense spooky / peaceful
garden: muddy wet / beautiful peaceful
church: dark cold / peaceful warm
cellar: dark wet cold spooky / dry warm
tunnel: dark narrow@inside wet spooky / dry
hut: dark cold dirty / warm cosy
kitchen: hot loud dirty / warm clean
hall: loud cold crowded / warm
castle: dark cold spooky / beautiful
building: dark loud / warm
cage: narrow@inside dirty / clean
tent: hot wet narrow@inside / warm dry
"""
LEAVING = """
house: warm cosy / loud cold
room: warm cosy / loud cold dark hot
cave: warm dry / cold wet dark
barn: warm dry / cold wet loud
stable: warm clean / dirty cold loud
garden: peaceful beautiful / loud wet
forest: peaceful / dark spooky
hut: warm cosy / cold dirty
kitchen: warm cosy / hot loud
cellar: dry warm / cold wet dark
park: peaceful / loud crowded
village: peaceful quiet / loud
island: peaceful beautiful / dangerous cold
tent: warm dry / wet cold hot
"""
FAR = """
branch: high / low
nest: high / low
shore: far_away / close
island: far_away / close
summit: high far_away / close
village: far_away / close
valley: far_away / close
forest: far_away / close
lake: far_away / close
river: far_away / close
castle: far_away high / close
stable: far_away / close
hut: far_away high / close
"""
HOLES = """
gate: narrow low / high
door: narrow low / high
opening: narrow@inside low / high
tunnel: narrow@inside low / high
entrance: narrow@inside low / high
gap: narrow /
corridor: narrow@inside low / high
"""
BURROWS = """
hole: narrow@inside dark wet / warm dry
pipe: narrow@inside dirty wet / dry
cave: narrow@inside dark wet / warm dry
tunnel: narrow@inside dark wet / warm dry
nest: dirty wet / warm dry
basket: narrow@inside dirty / warm soft
bush: dense wet / dry
hedge: dense wet / dry
bed: narrow@inside cold / warm soft
"""
WATERS = """
river: wide cold dirty dangerous / warm clean
lake: cold dirty wide / warm clean
pond: cold dirty / warm clean
canal: dirty cold narrow / warm clean
sea: cold stormy / warm clean
stream: cold shallow / warm deep
"""
TRAILS = """
path: steep muddy narrow long / dry wide
trail: steep muddy icy narrow / dry
stream: muddy / shallow beautiful
road: icy dangerous long / empty wide
river: wild dangerous / peaceful
"""
HALTS = """
station: closed small / big famous
stop: closed crowded / small
airport: closed small / famous
zoo: closed small / famous
museum: closed small / famous
hospital: closed small / big
harbour: closed small / big
"""
SAILED = """
sea: stormy dangerous wild / calm
lake: stormy icy wide / calm
river: shallow wild narrow / calm wide
canal: narrow shallow / calm wide
bay: shallow stormy / calm
"""
HARBOURS = """
harbour: icy shallow / crowded dirty loud
bay: stormy icy / shallow dangerous
"""
DISTANT = """
island: far_away / close
coast: far_away / close
harbour: far_away / close
shore: far_away / close
bay: far_away / close
"""
FLOWN_OVER = """
mountain: high / low
sea: stormy wide / peaceful
desert: wide hot / beautiful
forest: wide spooky / beautiful
city: wide loud / beautiful
lake: wide stormy / beautiful
valley: wide dark / beautiful
island: far_away stormy / beautiful close
"""
USED = """
bridge: narrow icy dangerous slippery / stable wide
ramp: steep narrow slippery icy / wide
lift: narrow@inside crowded / modern
entrance: narrow@inside low dark / wide bright
path: narrow icy muddy steep / wide dry
tunnel: dark narrow@inside low / wide bright
road: icy muddy steep / wide dry
"""
