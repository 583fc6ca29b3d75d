"""The nouns of the classroom lexicon, in groups that say what a thing can do or have done to it.

A row is: English, German, gender (w: masculine of the n-declension), plural (-: none), traits.
"""

from explainer.text.lexicon import Noun, read_nouns

# Traits of animals: j jumps over things, c climbs trees and walls, f flies, s swims, k creeps, r runs,
# g eats plants, m eats meat, t is strong enough to pull and push, h lives with people.
ANIMALS = read_nouns("""
animal Tier n Tiere jrst
dog Hund m Hunde jrsmh
cat Katze f Katzen jrcmh
horse Pferd n Pferde jrsgth
cow Kuh f Kühe rgth
pig Schwein n Schweine rgh
sheep Schaf n Schafe jrgh
goat Ziege f Ziegen jrcgh
donkey Esel m Esel rgth
fox Fuchs m Füchse jrm
wolf Wolf m Wölfe jrsm
bear Bär w Bären rcsmt
lion Löwe w Löwen jrm
tiger Tiger m Tiger jrsm
elephant Elefant w Elefanten gst
camel Kamel n Kamele rgth
giraffe Giraffe f Giraffen rg
monkey Affe w Affen jrcg
mouse Maus f Mäuse jrg
rat Ratte f Ratten jrcs
rabbit Kaninchen n Kaninchen jrgh
hare Hase w Hasen jrg
hedgehog Igel m Igel k
squirrel Eichhörnchen n Eichhörnchen jrcg
deer Reh n Rehe jrsg
stag Hirsch m Hirsche jrsg
frog Frosch m Frösche js
toad Kröte f Kröten sk
turtle Schildkröte f Schildkröten sk
snake Schlange f Schlangen sk
lizard Eidechse f Eidechsen ck
snail Schnecke f Schnecken k
beetle Käfer m Käfer k
spider Spinne f Spinnen k
ant Ameise f Ameisen k
bird Vogel m Vögel f
eagle Adler m Adler fm
owl Eule f Eulen fm
raven Rabe w Raben fm
crow Krähe f Krähen fm
pigeon Taube f Tauben f
sparrow Spatz w Spatzen f
stork Storch m Störche f
duck Ente f Enten fsh
goose Gans f Gänse fsgh
swan Schwan m Schwäne fs
hen Henne f Hennen rh
rooster Hahn m Hähne rh
chick Küken n Küken h
calf Kalb n Kälber rgh
lamb Lamm n Lämmer jrgh
foal Fohlen n Fohlen jrgh
kitten Kätzchen n Kätzchen jch
puppy Welpe w Welpen jrh
pony Pony n Ponys jrgth
kangaroo Känguru n Kängurus jrg
crocodile Krokodil n Krokodile smk
zebra Zebra n Zebras jrg
rhino Nashorn n Nashörner rgt
hippo Nilpferd n Nilpferde sgt
llama Lama n Lamas jrgth
hamster Hamster m Hamster rgh
guinea_pig Meerschweinchen n Meerschweinchen rgh
badger Dachs m Dachse m
lynx Luchs m Luchse jrcm
panther Panther m Panther jrcm
beaver Biber m Biber sg
ox Ochse w Ochsen gth
buffalo Büffel m Büffel rgt
mule Maultier n Maultiere rgth
dragon Drache w Drachen fmt
dinosaur Dinosaurier m Dinosaurier rt
unicorn Einhorn n Einhörner jrg
bee Biene f Bienen f
butterfly Schmetterling m Schmetterlinge f
penguin Pinguin m Pinguine s
hyena Hyäne f Hyänen jrm
antelope Antilope f Antilopen jrg
gorilla Gorilla m Gorillas cgt
monster Monster n Monster jrsmt
creature Kreatur f Kreaturen js
""")

# Traits of vehicles: l drives on roads, w goes on water, a flies, x stops at stops.
VEHICLES = read_nouns("""
car Auto n Autos l
truck Lastwagen m Lastwagen l
bus Bus m Busse lx
tractor Traktor m Traktoren l
taxi Taxi n Taxis lx
van Lieferwagen m Lieferwagen l
motorbike Motorrad n Motorräder l
ambulance Krankenwagen m Krankenwagen l
carriage Kutsche f Kutschen l
limousine Limousine f Limousinen l
bulldozer Planierraupe f Planierraupen l
tank Panzer m Panzer l
vehicle Fahrzeug n Fahrzeuge l
train Zug m Züge x
tram Straßenbahn f Straßenbahnen x
locomotive Lokomotive f Lokomotiven -
ship Schiff n Schiffe w
boat Boot n Boote w
ferry Fähre f Fähren w
yacht Yacht f Yachten w
steamer Dampfer m Dampfer w
raft Floß n Flöße w
plane Flugzeug n Flugzeuge a
helicopter Hubschrauber m Hubschrauber a
airship Luftschiff n Luftschiffe a
drone Drohne f Drohnen a
""")

# Machines and tools: p has power to lift and pull, q cuts.
MACHINES = read_nouns("""
robot Roboter m Roboter p
machine Maschine f Maschinen p
crane Kran m Kräne p
excavator Bagger m Bagger p
device Gerät n Geräte p
knife Messer n Messer q
saw Säge f Sägen q
axe Axt f Äxte q
sword Schwert n Schwerter q
blade Klinge f Klingen q
dagger Dolch m Dolche q
""")

MEN = read_nouns(
    """
boy Junge w Jungen
man Mann m Männer
father Vater m Väter
brother Bruder m Brüder
son Sohn m Söhne
uncle Onkel m Onkel
grandfather Großvater m Großväter
farmer Bauer w Bauern
neighbour Nachbar w Nachbarn
hunter Jäger m Jäger
king König m Könige
teacher Lehrer m Lehrer
student Student w Studenten
doctor Arzt m Ärzte
baker Bäcker m Bäcker
driver Fahrer m Fahrer
policeman Polizist w Polizisten
prince Prinz w Prinzen
thief Dieb m Diebe
gardener Gärtner m Gärtner
soldier Soldat w Soldaten
tourist Tourist w Touristen
cook Koch m Köche
""",
    pronoun="he",
)
WOMEN = read_nouns(
    """
woman Frau f Frauen
mother Mutter f Mütter
sister Schwester f Schwestern
daughter Tochter f Töchter
aunt Tante f Tanten
grandmother Großmutter f Großmütter
queen Königin f Königinnen
nurse Krankenschwester f Krankenschwestern
actress Schauspielerin f Schauspielerinnen
princess Prinzessin f Prinzessinnen
witch Hexe f Hexen
waitress Kellnerin f Kellnerinnen
""",
    pronoun="she",
)

PLACES = read_nouns("""
street Straße f Straßen
road Straße f Straßen
motorway Autobahn f Autobahnen
crossing Kreuzung f Kreuzungen
square Platz m Plätze
avenue Allee f Alleen
path Weg m Wege
trail Pfad m Pfade
bridge Brücke f Brücken
river Fluss m Flüsse
stream Bach m Bäche
lake See m Seen
canal Kanal m Kanäle
pond Teich m Teiche
sea Meer n Meere
swamp Sumpf m Sümpfe
moor Moor n Moore
field Feld n Felder
meadow Wiese f Wiesen
desert Wüste f Wüsten
valley Tal n Täler
gorge Schlucht f Schluchten
mountain Berg m Berge
hill Hügel m Hügel
rock Felsen m Felsen
dune Düne f Dünen
slope Hang m Hänge
roof Dach n Dächer
tower Turm m Türme
tree Baum m Bäume
ladder Leiter f Leitern
stairs Treppe f -
ramp Rampe f Rampen
fence Zaun m Zäune
wall Mauer f Mauern
hedge Hecke f Hecken
ditch Graben m Gräben
gate Tor n Tore
trunk Baumstamm m Baumstämme
obstacle Hindernis n Hindernisse
puddle Pfütze f Pfützen
bush Busch m Büsche
hole Loch n Löcher
pipe Rohr n Rohre
house Haus n Häuser
room Zimmer n Zimmer
cave Höhle f Höhlen
barn Scheune f Scheunen
stable Stall m Ställe
forest Wald m Wälder
jungle Dschungel m Dschungel
garden Garten m Gärten
church Kirche f Kirchen
cellar Keller m Keller
tunnel Tunnel m Tunnel
hut Hütte f Hütten
kitchen Küche f Küchen
hall Halle f Hallen
castle Schloss n Schlösser
building Gebäude n Gebäude
cage Käfig m Käfige
tent Zelt n Zelte
school Schule f Schulen
park Park m Parks
village Dorf n Dörfer
city Stadt f Städte
island Insel f Inseln
shore Ufer n Ufer
summit Gipfel m Gipfel
coast Küste f Küsten
harbour Hafen m Häfen
bay Bucht f Buchten
station Bahnhof m Bahnhöfe
stop Haltestelle f Haltestellen
beach Strand m Strände
branch Ast m Äste
nest Nest n Nester
entrance Eingang m Eingänge
opening Öffnung f Öffnungen
gap Lücke f Lücken
lift Aufzug m Aufzüge
corridor Gang m Gänge
market Markt m Märkte
restaurant Restaurant n Restaurants
museum Museum n Museen
hotel Hotel n Hotels
shop Geschäft n Geschäfte
office Büro n Büros
cinema Kino n Kinos
""")
THINGS = read_nouns("""
door Tür f Türen
window Fenster n Fenster
box Kiste f Kisten
bottle Flasche f Flaschen
can Dose f Dosen
suitcase Koffer m Koffer
drawer Schublade f Schubladen
parcel Paket n Pakete
cupboard Schrank m Schränke
chest Truhe f Truhen
stone Stein m Steine
sack Sack m Säcke
table Tisch m Tische
piano Klavier n Klaviere
barrel Fass n Fässer
bag Tasche f Taschen
basket Korb m Körbe
container Behälter m Behälter
cart Karren m Karren
sledge Schlitten m Schlitten
plough Pflug m Pflüge
wagon Wagen m Wagen
rope Seil n Seile
load Last f Lasten
chair Stuhl m Stühle
rucksack Rucksack m Rucksäcke
bed Bett n Betten
sofa Sofa n Sofas
shelf Regal n Regale
mirror Spiegel m Spiegel
vase Vase f Vasen
ball Ball m Bälle
hammer Hammer m Hämmer
book Buch n Bücher
letter Brief m Briefe
newspaper Zeitung f Zeitungen
story Geschichte f Geschichten
text Text m Texte
novel Roman m Romane
poem Gedicht n Gedichte
dress Kleid n Kleider
coat Mantel m Mäntel
jacket Jacke f Jacken
shirt Hemd n Hemden
skirt Rock m Röcke
hat Hut m Hüte
cap Mütze f Mützen
watch Uhr f Uhren
bicycle Fahrrad n Fahrräder
computer Computer m Computer
phone Telefon n Telefone
lamp Lampe f Lampen
carpet Teppich m Teppiche
picture Bild n Bilder
fridge Kühlschrank m Kühlschränke
key Schlüssel m Schlüssel
lock Schloss n Schlösser
cup Tasse f Tassen
glass Glas n Gläser
plate Teller m Teller
pot Topf m Töpfe
pan Pfanne f Pfannen
oven Ofen m Öfen
guitar Gitarre f Gitarren
violin Geige f Geigen
umbrella Regenschirm m Regenschirme
present Geschenk n Geschenke
toy Spielzeug n Spielzeuge
wood Holz n -
ring Ring m Ringe
bench Bank f Bänke
""")
FOOD = read_nouns("""
meat Fleisch n -
bone Knochen m Knochen
apple Apfel m Äpfel
pear Birne f Birnen
carrot Karotte f Karotten
bread Brot n Brote
fish Fisch m Fische
soup Suppe f Suppen
hay Heu n -
grass Gras n -
cabbage Kohl m -
sausage Wurst f Würste
cheese Käse m -
cake Kuchen m Kuchen
egg Ei n Eier
rice Reis m -
salad Salat m Salate
potato Kartoffel f Kartoffeln
pizza Pizza f Pizzas
water Wasser n -
milk Milch f -
tea Tee m -
coffee Kaffee m -
juice Saft m Säfte
nut Nuss f Nüsse
banana Banane f Bananen
lemon Zitrone f Zitronen
honey Honig m -
porridge Brei m -
""")

NOUNS: dict[str, Noun] = {
    **ANIMALS, **VEHICLES, **MACHINES, **MEN, **WOMEN, **PLACES, **THINGS, **FOOD
}  # fmt: skip


def animals(trait: str) -> tuple[Noun, ...]:
    """Return the animals with a trait, or all with ""."""
    return tuple(noun for noun in ANIMALS.values() if noun.has(trait) or not trait)


def pick(names: str) -> tuple[Noun, ...]:
    """Return the nouns named in a string of English words; `_` is a space."""
    return tuple(NOUNS[name.replace("_", " ")] for name in names.split())
