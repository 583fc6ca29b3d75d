"""Nouns for what acts: animals, vehicles, machines and people.

A row is: English, German, gender (w: masculine of the n-declension), plural (-: none), traits.
"""

from explainer.text.lexicon import read_nouns

# Traits of animals: j jumps over things, c climbs trees and walls, f flies, s swims, k creeps, r runs,
# g eats plants, m eats meat, t is strong enough to pull and push, h lives with people,
# i is small enough for indoors.
ANIMALS = read_nouns("""
animal Tier n Tiere jrst
dog Hund m Hunde jrsmhi
cat Katze f Katzen jrcmhi
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
mouse Maus f Mäuse jrgi
rat Ratte f Ratten jrcsi
rabbit Kaninchen n Kaninchen jrghi
hare Hase w Hasen jrgi
hedgehog Igel m Igel ki
squirrel Eichhörnchen n Eichhörnchen jrcgi
deer Reh n Rehe jrsg
stag Hirsch m Hirsche jrsg
frog Frosch m Frösche jsi
toad Kröte f Kröten ski
turtle Schildkröte f Schildkröten ski
snake Schlange f Schlangen ski
lizard Eidechse f Eidechsen cki
snail Schnecke f Schnecken ki
beetle Käfer m Käfer ki
spider Spinne f Spinnen ki
ant Ameise f Ameisen ki
bird Vogel m Vögel fi
eagle Adler m Adler fm
owl Eule f Eulen fm
raven Rabe w Raben fm
crow Krähe f Krähen fm
pigeon Taube f Tauben f
sparrow Spatz w Spatzen fi
stork Storch m Störche f
duck Ente f Enten fsh
goose Gans f Gänse fsgh
swan Schwan m Schwäne fs
hen Henne f Hennen rhi
rooster Hahn m Hähne rh
chick Küken n Küken hi
calf Kalb n Kälber rgh
lamb Lamm n Lämmer jrgh
foal Fohlen n Fohlen jrgh
kitten Kätzchen n Kätzchen jchi
puppy Welpe w Welpen jrhi
pony Pony n Ponys jrgth
kangaroo Känguru n Kängurus jrg
crocodile Krokodil n Krokodile smk
zebra Zebra n Zebras jrg
rhino Nashorn n Nashörner rgt
hippo Nilpferd n Nilpferde sgt
llama Lama n Lamas jrgth
hamster Hamster m Hamster rghi
guinea_pig Meerschweinchen n Meerschweinchen rghi
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
bee Biene f Bienen fi
butterfly Schmetterling m Schmetterlinge fi
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

# Traits of people: k is somebody's relative, y is young, u is one of a kind.
MEN = read_nouns(
    """
boy Junge w Jungen y
man Mann m Männer
father Vater m Väter ku
brother Bruder m Brüder k
son Sohn m Söhne ky
uncle Onkel m Onkel k
grandfather Großvater m Großväter ku
farmer Bauer w Bauern
neighbour Nachbar w Nachbarn
hunter Jäger m Jäger
king König m Könige u
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
grandson Enkel m Enkel ky
friend Freund m Freunde
painter Maler m Maler
fisherman Fischer m Fischer
pilot Pilot w Piloten
artist Künstler m Künstler
postman Briefträger m Briefträger
""",
    pronoun="he",
)
WOMEN = read_nouns(
    """
woman Frau f Frauen
mother Mutter f Mütter ku
sister Schwester f Schwestern k
daughter Tochter f Töchter ky
aunt Tante f Tanten k
grandmother Großmutter f Großmütter ku
queen Königin f Königinnen u
nurse Krankenschwester f Krankenschwestern
actress Schauspielerin f Schauspielerinnen
princess Prinzessin f Prinzessinnen
witch Hexe f Hexen
waitress Kellnerin f Kellnerinnen
girl Mädchen n Mädchen y
granddaughter Enkelin f Enkelinnen ky
singer Sängerin f Sängerinnen
dancer Tänzerin f Tänzerinnen
""",
    pronoun="she",
)
CHILDREN = read_nouns("""
child Kind n Kinder y
baby Baby n Babys y
""")
