"""The adjectives and verbs of the classroom lexicon."""

from explainer.text.lexicon import Adjective, Verb, read_adjectives, read_verbs

# A final ! marks what cannot be "too …".
ADJECTIVES = read_adjectives("""
tired=müde weak=schwach scared=ängstlich lazy=faul sick=krank nervous=nervös sleepy=schläfrig old=alt young=jung
slow=langsam exhausted=erschöpft injured=verletzt! shy=scheu clumsy=ungeschickt hungry=hungrig thirsty=durstig
curious=neugierig brave=mutig careful=vorsichtig angry=wütend sad=traurig lonely=einsam impatient=ungeduldig
stubborn=stur confused=verwirrt stupid=dumm clever=klug greedy=gierig excited=aufgeregt strong=stark fast=schnell
happy=glücklich proud=stolz friendly=freundlich poor=arm rich=reich drunk=betrunken
big=groß small=klein little=klein fat=dick tall=groß heavy=schwer light=leicht thin=dünn thick=dick
wide=breit busy=belebt icy=vereist! dangerous=gefährlich empty=leer quiet=ruhig calm=ruhig safe=sicher narrow=schmal
tight=eng deep=tief shallow=flach cold=kalt hot=heiß warm=warm wild=wild muddy=schlammig steep=steil high=hoch
low=niedrig slippery=rutschig dry=trocken wet=nass dark=dunkel loud=laut dirty=schmutzig clean=sauber full=voll
cosy=gemütlich bright=hell locked=verschlossen! closed=geschlossen! open=offen! broken=kaputt! rusty=rostig
salty=salzig spicy=scharf hard=hart soft=weich sour=sauer bitter=bitter sweet=süß tough=zäh fresh=frisch
tasty=lecker rotten=verdorben! juicy=saftig crunchy=knusprig frozen=gefroren! far_away=weit_weg close=nah
crowded=überfüllt! blunt=stumpf sharp=scharf short=kurz long=lang dense=dicht stable=stabil fragile=zerbrechlich
expensive=teuer cheap=billig beautiful=schön ugly=hässlich new=neu modern=modern boring=langweilig
interesting=interessant difficult=schwierig easy=einfach exciting=spannend funny=lustig strange=seltsam
comfortable=bequem elegant=elegant practical=praktisch famous=berühmt damaged=beschädigt! overloaded=überladen!
late=verspätet! stormy=stürmisch smooth=glatt bare=kahl peaceful=friedlich blind=blind! spooky=unheimlich early=früh
brown=braun! black=schwarz! white=weiß! grey=grau! red=rot! green=grün! blue=blau! yellow=gelb!
quick=schnell large=groß tiny=winzig huge=riesig spotted=gefleckt! pretty=hübsch cheerful=fröhlich
round=rund! wooden=hölzern! colourful=bunt
""")

VERBS = read_verbs("""
cross = überqueren/überquert/überquerte/überquert
pass_through/passed_through/passed_through = durchqueren/durchquert/durchquerte/durchquert
climb = erklimmen/erklimmt/erklomm/erklommen
climb@onto = klettern+
jump = springen/springt/sprang/gesprungen+
enter = betreten/betritt/betrat/betreten
leave/left/left = verlassen/verlässt/verließ/verlassen
eat/ate/eaten@animal = fressen/frisst/fraß/gefressen
eat/ate/eaten = essen/isst/aß/gegessen
drink/drank/drunk = trinken/trinkt/trank/getrunken
open = öffnen
lift = heben/hebt/hob/gehoben
push = schieben/schiebt/schob/geschoben
pull = ziehen/zieht/zog/gezogen
carry = tragen/trägt/trug/getragen
reach = erreichen
fit/fitted/fitted = passen
follow = folgen+
swim/swam/swum = schwimmen/schwimmt/schwamm/geschwommen+
crawl = kriechen/kriecht/kroch/gekrochen+
catch/caught/caught = fangen/fängt/fing/gefangen
chase = jagen
destroy = zerstören
use = benutzen
cut/cut/cut = schneiden/schneidet/schnitt/geschnitten
cut_through/cut_through/cut_through = durchtrennen/durchtrennt/durchtrennte/durchtrennt
stop/stopped/stopped = halten/hält/hielt/gehalten
break/broke/broken = zerbrechen/zerbricht/zerbrach/zerbrochen
buy/bought/bought = kaufen
sell/sold/sold = verkaufen
read/read/read = lesen/liest/las/gelesen
wear/wore/worn = tragen/trägt/trug/getragen
put/put/put@upright = stellen
put/put/put@flat = legen
hang/hung/hung = hängen
run/ran/run = laufen/läuft/lief/gelaufen+
walk = gehen/geht/ging/gegangen+
fly/flew/flown = fliegen/fliegt/flog/geflogen+
sleep/slept/slept = schlafen/schläft/schlief/geschlafen
sit/sat/sat = sitzen/sitzt/saß/gesessen
stand/stood/stood = stehen/steht/stand/gestanden
lie/lay/lain = liegen/liegt/lag/gelegen
come/came/come = kommen/kommt/kam/gekommen+
wait = warten
play = spielen
live = leben
close = schließen/schließt/schloss/geschlossen
find/found/found = finden/findet/fand/gefunden
see/saw/seen = sehen/sieht/sah/gesehen
take/took/taken = nehmen/nimmt/nahm/genommen
wash = waschen/wäscht/wusch/gewaschen
repair = reparieren
clean = putzen
visit = besuchen
sweep/swept/swept = fegen
hide/hid/hidden = verstecken
lose/lost/lost = verlieren/verliert/verlor/verloren
throw/threw/thrown@away = weg|werfen/wirft/warf/weggeworfen
forget/forgot/forgotten = vergessen/vergisst/vergaß/vergessen
fly_over/flew_over/flown_over = überfliegen/überfliegt/überflog/überflogen
""")


def adjectives(names: str) -> tuple[Adjective, ...]:
    """Return the adjectives named in a string of English words; `_` is a space."""
    return tuple(ADJECTIVES[name.replace("_", " ")] for name in names.split())


def verb(name: str) -> Verb:
    """Return the verb with this key."""
    return VERBS[name]
