"""The adjectives and verbs of the classroom lexicon."""

from explainer.text.lexicon import Adjective, Verb, read_adjectives, read_verbs

# A final ! marks what cannot be "too …".
ADJECTIVES = read_adjectives("""
tired=müde weak=schwach scared=ängstlich lazy=faul sick=krank nervous=nervös sleepy=schläfrig old=alt
young=jung slow=langsam exhausted=erschöpft injured=verletzt! shy=scheu clumsy=ungeschickt hungry=hungrig
thirsty=durstig curious=neugierig brave=mutig careful=vorsichtig angry=wütend sad=traurig lonely=einsam
impatient=ungeduldig stubborn=stur confused=verwirrt stupid=dumm clever=klug greedy=gierig excited=aufgeregt
strong=stark fast=schnell happy=glücklich proud=stolz friendly=freundlich poor=arm rich=reich
drunk=betrunken big=groß small=klein little=klein fat=dick tall=groß heavy=schwer light=leicht thin=dünn
thick=dick wide=breit busy=belebt icy=vereist! dangerous=gefährlich empty=leer quiet=ruhig calm=ruhig
safe=sicher narrow=schmal tight=eng narrow@inside=eng made_of_wood=aus_Holz! deep=tief shallow=flach
cold=kalt hot=heiß warm=warm wild=wild muddy=schlammig steep=steil high=hoch low=niedrig slippery=rutschig
dry=trocken wet=nass dark=dunkel loud=laut dirty=schmutzig clean=sauber full=voll cosy=gemütlich bright=hell
locked=verschlossen! closed=geschlossen! open=offen! broken=kaputt! rusty=rostig salty=salzig spicy=scharf
hard=hart soft=weich sour=sauer bitter=bitter sweet=süß tough=zäh fresh=frisch tasty=lecker
rotten=verdorben! juicy=saftig crunchy=knusprig frozen=gefroren! far_away=weit_weg close=nah
crowded=überfüllt! blunt=stumpf sharp=scharf short=kurz long=lang dense=dicht stable=stabil
fragile=zerbrechlich expensive=teuer cheap=billig beautiful=schön ugly=hässlich new=neu modern=modern
boring=langweilig interesting=interessant difficult=schwierig easy=einfach exciting=spannend funny=lustig
strange=seltsam comfortable=bequem elegant=elegant practical=praktisch famous=berühmt damaged=beschädigt!
overloaded=überladen! late=verspätet! stormy=stürmisch smooth=glatt bare=kahl peaceful=friedlich
blind=blind! spooky=unheimlich early=früh brown=braun! black=schwarz! white=weiß! grey=grau! red=rot!
green=grün! blue=blau! yellow=gelb! quick=schnell large=groß tiny=winzig huge=riesig spotted=gefleckt!
pretty=hübsch cheerful=fröhlich round=rund! wooden=hölzern! colourful=bunt
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
hang/hung/hung@up = auf|hängen
write/wrote/written = schreiben/schreibt/schrieb/geschrieben
understand/understood/understood = verstehen/versteht/verstand/verstanden
paint@picture = malen
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
leap/leapt/leapt = springen/springt/sprang/gesprungen+
have/had/had = haben/hat/hatte/gehabt
watch = beobachten/beobachtet/beobachtete/beobachtet
help = helfen/hilft/half/geholfen
love = lieben
feed/fed/fed = füttern
paint = streichen/streicht/strich/gestrichen
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
go/went/gone = gehen/geht/ging/gegangen+
go/went/gone@ride = fahren/fährt/fuhr/gefahren+
travel/travelled/travelled = reisen+
stay = bleiben/bleibt/blieb/geblieben+
live@home = wohnen
work = arbeiten
learn/learnt/learnt = lernen
speak/spoke/spoken = sprechen/spricht/sprach/gesprochen
talk = sprechen/spricht/sprach/gesprochen
sing/sang/sung = singen/singt/sang/gesungen
dance = tanzen
laugh = lachen
cry = weinen
smile = lächeln
cook = kochen
bake = backen/backt/backte/gebacken
do/did/done = machen
make/made/made = machen
ask = fragen
answer = antworten
answer@question = beantworten
meet/met/met = treffen/trifft/traf/getroffen
know/knew/known@person = kennen/kennt/kannte/gekannt
know/knew/known = wissen/weiß/wusste/gewusst
think/thought/thought = denken/denkt/dachte/gedacht
believe = glauben
say/said/said = sagen
hope = hoffen
hear/heard/heard = hören
like = mögen/mag/mochte/gemocht
need = brauchen
bring/brought/brought = bringen/bringt/brachte/gebracht
give/gave/given = geben/gibt/gab/gegeben
show/showed/shown = zeigen
send/sent/sent = schicken
lend/lent/lent = leihen/leiht/lieh/geliehen
tell/told/told = erzählen
thank = danken
look_for/looked_for/looked_for = suchen
wait_for/waited_for/waited_for = warten
drive/drove/driven = fahren/fährt/fuhr/gefahren
draw/drew/drawn = zeichnen
build/built/built = bauen
pay/paid/paid = bezahlen
greet = grüßen
belong = gehören
cost/cost/cost = kosten
explain = erklären
rain = regnen
snow = schneien
dream/dreamt/dreamt = träumen
win/won/won = gewinnen/gewinnt/gewann/gewonnen
count = zählen
celebrate = feiern
translate = übersetzen/übersetzt/übersetzte/übersetzt
open@up = auf|machen
close@up = zu|machen
turn_on/turned_on/turned_on = ein|schalten
turn_off/turned_off/turned_off = aus|schalten
call = an|rufen/ruft/rief/angerufen
invite = ein|laden/lädt/lud/eingeladen
pick_up/picked_up/picked_up = ab|holen
bring_along/brought_along/brought_along = mit|bringen/bringt/brachte/mitgebracht
tidy/tidied/tidied = auf|räumen
put_on/put_on/put_on = an|ziehen/zieht/zog/angezogen
take_off/took_off/taken_off = aus|ziehen/zieht/zog/ausgezogen
try_on/tried_on/tried_on = an|probieren
throw_away/threw_away/thrown_away = weg|werfen/wirft/warf/weggeworfen
give_back/gave_back/given_back = zurück|geben/gibt/gab/zurückgegeben
write_down/wrote_down/written_down = auf|schreiben/schreibt/schrieb/aufgeschrieben
prepare = vor|bereiten
look_at/looked_at/looked_at = an|sehen/sieht/sah/angesehen
listen_to/listened_to/listened_to = zu|hören
watch@television = fern|sehen/sieht/sah/ferngesehen
get_up/got_up/got_up = auf|stehen/steht/stand/aufgestanden+
wake_up/woke_up/woken_up = auf|wachen+
fall_asleep/fell_asleep/fallen_asleep = ein|schlafen/schläft/schlief/eingeschlafen+
go_out/went_out/gone_out = aus|gehen/geht/ging/ausgegangen+
go_away/went_away/gone_away = weg|gehen/geht/ging/weggegangen+
come_back/came_back/come_back = zurück|kommen/kommt/kam/zurückgekommen+
come_along/came_along/come_along = mit|kommen/kommt/kam/mitgekommen+
arrive = an|kommen/kommt/kam/angekommen+
leave/left/left@depart = ab|fahren/fährt/fuhr/abgefahren+
go_shopping/went_shopping/gone_shopping = ein|kaufen
get_on/got_on/got_on = ein|steigen/steigt/stieg/eingestiegen+
get_off/got_off/got_off = aus|steigen/steigt/stieg/ausgestiegen+
run_away/ran_away/run_away = weg|laufen/läuft/lief/weggelaufen+
fly_away/flew_away/flown_away = weg|fliegen/fliegt/flog/weggeflogen+
take_part/took_part/taken_part = teil|nehmen/nimmt/nahm/teilgenommen
""")


def adjectives(names: str) -> tuple[Adjective, ...]:
    """Return the adjectives named in a string of English words; `_` is a space."""
    return tuple(ADJECTIVES[name.replace("_", " ")] for name in names.split())


def verb(name: str) -> Verb:
    """Return the verb with this key."""
    return VERBS[name]
