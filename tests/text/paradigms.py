"""Paradigms of classroom German, written out by hand from school grammars: the judge of the corpus."""

# Infinitive, with | after a separable prefix: ich, du, er, wir; auxiliary and participle; du imperative or "-".
VERBS = """
arbeiten: arbeite arbeitest arbeitet arbeiten, hat gearbeitet, arbeite
backen: backe backst backt backen, hat gebacken, back
bauen: baue baust baut bauen, hat gebaut, bau
besuchen: besuche besuchst besucht besuchen, hat besucht, besuch
bezahlen: bezahle bezahlst bezahlt bezahlen, hat bezahlt, bezahl
bleiben: bleibe bleibst bleibt bleiben, ist geblieben, bleib
brauchen: brauche brauchst braucht brauchen, hat gebraucht, -
bringen: bringe bringst bringt bringen, hat gebracht, bring
mit|bringen: bringe bringst bringt bringen, hat mitgebracht, bring
danken: danke dankst dankt danken, hat gedankt, danke
erklären: erkläre erklärst erklärt erklären, hat erklärt, erklär
essen: esse isst isst essen, hat gegessen, iss
fahren: fahre fährst fährt fahren, ist gefahren, fahr
finden: finde findest findet finden, hat gefunden, -
fliegen: fliege fliegst fliegt fliegen, ist geflogen, flieg
folgen: folge folgst folgt folgen, ist gefolgt, folge
fragen: frage fragst fragt fragen, hat gefragt, frag
füttern: füttere fütterst füttert füttern, hat gefüttert, füttere
geben: gebe gibst gibt geben, hat gegeben, gib
zurück|geben: gebe gibst gibt geben, hat zurückgegeben, gib
gehen: gehe gehst geht gehen, ist gegangen, geh
aus|gehen: gehe gehst geht gehen, ist ausgegangen, geh
weg|gehen: gehe gehst geht gehen, ist weggegangen, geh
grüßen: grüße grüßt grüßt grüßen, hat gegrüßt, grüß
haben: habe hast hat haben, hat gehabt, -
helfen: helfe hilfst hilft helfen, hat geholfen, hilf
ab|holen: hole holst holt holen, hat abgeholt, hol
hören: höre hörst hört hören, hat gehört, -
zu|hören: höre hörst hört hören, hat zugehört, hör
kaufen: kaufe kaufst kauft kaufen, hat gekauft, kauf
ein|kaufen: kaufe kaufst kauft kaufen, hat eingekauft, kauf
kennen: kenne kennst kennt kennen, hat gekannt, -
klettern: klettere kletterst klettert klettern, ist geklettert, klettere
kochen: koche kochst kocht kochen, hat gekocht, koch
kommen: komme kommst kommt kommen, ist gekommen, komm
an|kommen: komme kommst kommt kommen, ist angekommen, -
mit|kommen: komme kommst kommt kommen, ist mitgekommen, komm
zurück|kommen: komme kommst kommt kommen, ist zurückgekommen, komm
lachen: lache lachst lacht lachen, hat gelacht, lach
ein|laden: lade lädst lädt laden, hat eingeladen, lade
laufen: laufe läufst läuft laufen, ist gelaufen, lauf
leben: lebe lebst lebt leben, hat gelebt, -
legen: lege legst legt legen, hat gelegt, leg
leihen: leihe leihst leiht leihen, hat geliehen, leih
lernen: lerne lernst lernt lernen, hat gelernt, lern
lesen: lese liest liest lesen, hat gelesen, lies
lieben: liebe liebst liebt lieben, hat geliebt, -
liegen: liege liegst liegt liegen, hat gelegen, -
machen: mache machst macht machen, hat gemacht, mach
auf|machen: mache machst macht machen, hat aufgemacht, mach
zu|machen: mache machst macht machen, hat zugemacht, mach
mögen: mag magst mag mögen, hat gemocht, -
teil|nehmen: nehme nimmst nimmt nehmen, hat teilgenommen, nimm
an|probieren: probiere probierst probiert probieren, hat anprobiert, probiere
putzen: putze putzt putzt putzen, hat geputzt, putz
räumen: räume räumst räumt räumen, hat geräumt, räum
auf|räumen: räume räumst räumt räumen, hat aufgeräumt, räum
reparieren: repariere reparierst repariert reparieren, hat repariert, repariere
an|rufen: rufe rufst ruft rufen, hat angerufen, ruf
aus|schalten: schalte schaltest schaltet schalten, hat ausgeschaltet, schalte
ein|schalten: schalte schaltest schaltet schalten, hat eingeschaltet, schalte
schicken: schicke schickst schickt schicken, hat geschickt, schick
schlafen: schlafe schläfst schläft schlafen, hat geschlafen, schlaf
ein|schlafen: schlafe schläfst schläft schlafen, ist eingeschlafen, -
schreiben: schreibe schreibst schreibt schreiben, hat geschrieben, schreib
auf|schreiben: schreibe schreibst schreibt schreiben, hat aufgeschrieben, schreib
schwimmen: schwimme schwimmst schwimmt schwimmen, ist geschwommen, schwimm
sehen: sehe siehst sieht sehen, hat gesehen, -
an|sehen: sehe siehst sieht sehen, hat angesehen, sieh
fern|sehen: sehe siehst sieht sehen, hat ferngesehen, sieh
singen: singe singst singt singen, hat gesungen, sing
sitzen: sitze sitzt sitzt sitzen, hat gesessen, -
spielen: spiele spielst spielt spielen, hat gespielt, spiel
sprechen: spreche sprichst spricht sprechen, hat gesprochen, sprich
springen: springe springst springt springen, ist gesprungen, spring
stehen: stehe stehst steht stehen, hat gestanden, -
auf|stehen: stehe stehst steht stehen, ist aufgestanden, steh
aus|steigen: steige steigst steigt steigen, ist ausgestiegen, steig
ein|steigen: steige steigst steigt steigen, ist eingestiegen, steig
stellen: stelle stellst stellt stellen, hat gestellt, stell
suchen: suche suchst sucht suchen, hat gesucht, such
tanzen: tanze tanzt tanzt tanzen, hat getanzt, tanz
tragen: trage trägst trägt tragen, hat getragen, trag
treffen: treffe triffst trifft treffen, hat getroffen, triff
trinken: trinke trinkst trinkt trinken, hat getrunken, trink
verkaufen: verkaufe verkaufst verkauft verkaufen, hat verkauft, verkauf
verstehen: verstehe verstehst versteht verstehen, hat verstanden, -
auf|wachen: wache wachst wacht wachen, ist aufgewacht, -
warten: warte wartest wartet warten, hat gewartet, warte
waschen: wasche wäschst wäscht waschen, hat gewaschen, wasch
weg|werfen: werfe wirfst wirft werfen, hat weggeworfen, wirf
weinen: weine weinst weint weinen, hat geweint, wein
wohnen: wohne wohnst wohnt wohnen, hat gewohnt, -
zeichnen: zeichne zeichnest zeichnet zeichnen, hat gezeichnet, zeichne
zeigen: zeige zeigst zeigt zeigen, hat gezeigt, zeig
an|ziehen: ziehe ziehst zieht ziehen, hat angezogen, zieh
aus|ziehen: ziehe ziehst zieht ziehen, hat ausgezogen, zieh
übersetzen: übersetze übersetzt übersetzt übersetzen, hat übersetzt, übersetze
gehören: gehöre gehörst gehört gehören, hat gehört, -
"""

# Verbs that only help others, and the preterites of those that have one here: ich, du, er, wir.
HELPERS = """
bin bist ist sind; war warst war waren; habe hast hat haben; hatte hattest hatte hatten
werde wirst wird werden; kann kannst kann können; muss musst muss müssen; will willst will wollen
darf darfst darf dürfen; musste musstest musste mussten; wollte wolltest wollte wollten
durfte durftest durfte durften; sollte solltest sollte sollten; möchte möchtest möchte möchten
mochte mochtest mochte mochten; kannte kanntest kannte kannten; weiß weißt weiß wissen
"""

# English: article and singular, plural, dative plural; "+en" or "+n" marks the weak masculine nouns.
NOUNS = """
man: der Mann Männer Männern
woman: die Frau Frauen Frauen
boy: der Junge+n Jungen Jungen
girl: das Mädchen Mädchen Mädchen
child: das Kind Kinder Kindern
king: der König Könige Königen
queen: die Königin Königinnen Königinnen
prince: der Prinz+en Prinzen Prinzen
princess: die Prinzessin Prinzessinnen Prinzessinnen
waiter: der Kellner Kellner Kellnern
waitress: die Kellnerin Kellnerinnen Kellnerinnen
actor: der Schauspieler Schauspieler Schauspielern
actress: die Schauspielerin Schauspielerinnen Schauspielerinnen
policeman: der Polizist+en Polizisten Polizisten
witch: die Hexe Hexen Hexen
father: der Vater Väter Vätern
mother: die Mutter Mütter Müttern
grandfather: der Großvater Großväter Großvätern
grandmother: die Großmutter Großmütter Großmüttern
brother: der Bruder Brüder Brüdern
sister: die Schwester Schwestern Schwestern
uncle: der Onkel Onkel Onkeln
aunt: die Tante Tanten Tanten
son: der Sohn Söhne Söhnen
daughter: die Tochter Töchter Töchtern
dog: der Hund Hunde Hunden
cat: die Katze Katzen Katzen
horse: das Pferd Pferde Pferden
donkey: der Esel Esel Eseln
cow: die Kuh Kühe Kühen
goat: die Ziege Ziegen Ziegen
pig: das Schwein Schweine Schweinen
rabbit: das Kaninchen Kaninchen Kaninchen
bird: der Vogel Vögel Vögeln
duck: die Ente Enten Enten
goose: die Gans Gänse Gänsen
mouse: die Maus Mäuse Mäusen
fox: der Fuchs Füchse Füchsen
wolf: der Wolf Wölfe Wölfen
bear: der Bär+en Bären Bären
lion: der Löwe+n Löwen Löwen
tiger: der Tiger Tiger Tigern
elephant: der Elefant+en Elefanten Elefanten
monkey: der Affe+n Affen Affen
apple: der Apfel Äpfel Äpfeln
pear: die Birne Birnen Birnen
banana: die Banane Bananen Bananen
egg: das Ei Eier Eiern
potato: die Kartoffel Kartoffeln Kartoffeln
sausage: die Wurst Würste Würsten
cake: der Kuchen Kuchen Kuchen
pizza: die Pizza Pizzas Pizzas
salad: der Salat Salate Salaten
bread: das Brot
soup: die Suppe Suppen Suppen
cheese: der Käse
rice: der Reis
meat: das Fleisch
fish: der Fisch Fische Fischen
water: das Wasser
milk: die Milch
tea: der Tee
coffee: der Kaffee
juice: der Saft
book: das Buch Bücher Büchern
story: die Geschichte Geschichten Geschichten
letter: der Brief Briefe Briefen
newspaper: die Zeitung Zeitungen Zeitungen
text: der Text Texte Texten
coat: der Mantel Mäntel Mänteln
jacket: die Jacke Jacken Jacken
pullover: der Pullover Pullover Pullovern
shirt: das Hemd Hemden Hemden
hat: der Hut Hüte Hüten
dress: das Kleid Kleider Kleidern
skirt: der Rock Röcke Röcken
shoe: der Schuh Schuhe Schuhen
car: das Auto Autos Autos
bus: der Bus Busse Bussen
bicycle: das Fahrrad Fahrräder Fahrrädern
train: der Zug Züge Zügen
boat: das Boot Boote Booten
ship: das Schiff Schiffe Schiffen
bag: die Tasche Taschen Taschen
suitcase: der Koffer Koffer Koffern
box: die Kiste Kisten Kisten
basket: der Korb Körbe Körben
bottle: die Flasche Flaschen Flaschen
cup: die Tasse Tassen Tassen
glass: das Glas Gläser Gläsern
plate: der Teller Teller Tellern
table: der Tisch Tische Tischen
chair: der Stuhl Stühle Stühlen
sofa: das Sofa Sofas Sofas
bench: die Bank Bänke Bänken
bed: das Bett Betten Betten
lamp: die Lampe Lampen Lampen
clock: die Uhr Uhren Uhren
umbrella: der Regenschirm Regenschirme Regenschirmen
camera: die Kamera Kameras Kameras
computer: der Computer Computer Computern
phone: das Telefon Telefone Telefonen
radio: das Radio Radios Radios
television: der Fernseher Fernseher Fernsehern
guitar: die Gitarre Gitarren Gitarren
picture: das Bild Bilder Bildern
ball: der Ball Bälle Bällen
key: der Schlüssel Schlüssel Schlüsseln
pen: der Stift Stifte Stiften
pencil: der Bleistift Bleistifte Bleistiften
ring: der Ring Ringe Ringen
flower: die Blume Blumen Blumen
door: die Tür Türen Türen
window: das Fenster Fenster Fenstern
cupboard: der Schrank Schränke Schränken
present: das Geschenk Geschenke Geschenken
toy: das Spielzeug Spielzeuge Spielzeugen
question: die Frage Fragen Fragen
answer: die Antwort Antworten Antworten
exercise: die Übung Übungen Übungen
game: das Spiel Spiele Spielen
song: das Lied Lieder Liedern
film: der Film Filme Filmen
problem: das Problem Probleme Problemen
plan: der Plan Pläne Plänen
idea: die Idee Ideen Ideen
word: das Wort Wörter Wörtern
bill: die Rechnung Rechnungen Rechnungen
house: das Haus Häuser Häusern
castle: das Schloss Schlösser Schlössern
church: die Kirche Kirchen Kirchen
museum: das Museum Museen Museen
hotel: das Hotel Hotels Hotels
restaurant: das Restaurant Restaurants Restaurants
school: die Schule Schulen Schulen
hospital: das Krankenhaus Krankenhäuser Krankenhäusern
garden: der Garten Gärten Gärten
park: der Park Parks Parks
forest: der Wald Wälder Wäldern
kitchen: die Küche Küchen Küchen
room: das Zimmer Zimmer Zimmern
classroom: das Klassenzimmer Klassenzimmer Klassenzimmern
street: die Straße Straßen Straßen
bridge: die Brücke Brücken Brücken
river: der Fluss Flüsse Flüssen
lake: der See Seen Seen
mountain: der Berg Berge Bergen
village: das Dorf Dörfer Dörfern
city: die Stadt Städte Städten
market: der Markt Märkte Märkten
station: der Bahnhof Bahnhöfe Bahnhöfen
beach: der Strand Strände Stränden
island: die Insel Inseln Inseln
cinema: das Kino Kinos Kinos
theatre: das Theater Theater Theatern
library: die Bibliothek Bibliotheken Bibliotheken
tree: der Baum Bäume Bäumen
shop: das Geschäft Geschäfte Geschäften
barn: die Scheune Scheunen Scheunen
stable: der Stall Ställe Ställen
tower: der Turm Türme Türmen
wall: die Mauer Mauern Mauern
zoo: der Zoo Zoos Zoos
"""

# English: German, and the form before an ending.
ADJECTIVES = """
beautiful schön schön-, ugly hässlich hässlich-, friendly freundlich freundlich-, funny lustig lustig-
famous berühmt berühmt-, interesting interessant interessant-, boring langweilig langweilig-
exciting spannend spannend-, expensive teuer teur-, cheap billig billig-, difficult schwierig schwierig-
easy einfach einfach-, strange seltsam seltsam-, modern modern modern-, comfortable bequem bequem-
practical praktisch praktisch-, lazy faul faul-, brave mutig mutig-, clever klug klug-, curious neugierig neugierig-
big groß groß-, small klein klein-, long lang lang-, short kurz kurz-, high hoch hoh-, deep tief tief-
wide breit breit-, heavy schwer schwer-, tired müde müd-, sick krank krank-, hungry hungrig hungrig-
thirsty durstig durstig-, happy glücklich glücklich-, sad traurig traurig-, angry wütend wütend-
strong stark stark-, rich reich reich-, poor arm arm-, quiet ruhig ruhig-, loud laut laut-, dark dunkel dunkl-
warm warm warm-, cold kalt kalt-, hot heiß heiß-, fresh frisch frisch-, sweet süß süß-, sour sauer saur-
clean sauber sauber-, dirty schmutzig schmutzig-, full voll voll-, empty leer leer-, broken kaputt kaputt-
fast schnell schnell-, slow langsam langsam-, wild wild wild-, wet nass nass-, dry trocken trocken-
old alt alt-, new neu neu-, young jung jung-, red rot rot-, blue blau blau-, green grün grün-, yellow gelb gelb-
black schwarz schwarz-, white weiß weiß-, brown braun braun-, grey grau grau-
"""

# m, f, n, plural in the nominative, accusative and dative. "-" is no ending.
DETERMINERS = {
    "der": ("der die das die", "den die das die", "dem der dem den"),
    "dieser": ("dieser diese dieses diese", "diesen diese dieses diese", "diesem dieser diesem diesen"),
    "welcher": (
        "welcher welche welches welche",
        "welchen welche welches welche",
        "welchem welcher welchem welchen",
    ),
    "ein": ("ein eine ein *", "einen eine ein *", "einem einer einem *"),
    "kein": ("kein keine kein keine", "keinen keine kein keine", "keinem keiner keinem keinen"),
    "mein": ("mein meine mein meine", "meinen meine mein meine", "meinem meiner meinem meinen"),
    "dein": ("dein deine dein deine", "deinen deine dein deine", "deinem deiner deinem deinen"),
    "sein": ("sein seine sein seine", "seinen seine sein seine", "seinem seiner seinem seinen"),
    "ihr": ("ihr ihre ihr ihre", "ihren ihre ihr ihre", "ihrem ihrer ihrem ihren"),
    "unser": ("unser unsere unser unsere", "unseren unsere unser unsere", "unserem unserer unserem unseren"),
    "viele": ("* * * viele", "* * * viele", "* * * vielen"),
    "zwei": ("* * * zwei", "* * * zwei", "* * * zwei"),
    "drei": ("* * * drei", "* * * drei", "* * * drei"),
    "vier": ("* * * vier", "* * * vier", "* * * vier"),
    "fünf": ("* * * fünf", "* * * fünf", "* * * fünf"),
    "": ("", "", ""),
}
ENDINGS = {  # weak after der-words, mixed after ein-words, strong where no determiner shows the case
    "weak": ("e e e en", "en e e en", "en en en en"),
    "mixed": ("er e es en", "en e es en", "en en en en"),
    "strong": ("er e es e", "en e es e", "em er em en"),
}
WEAK, STRONG = {"der", "dieser", "welcher"}, {"viele", "zwei", "drei", "vier", "fünf", ""}
PREPOSITIONS = {  # the cases that they can govern
    "mit": "dative", "aus": "dative", "zu": "dative", "durch": "accusative", "für": "accusative",
    "um": "accusative", "ohne": "accusative", "auf": "accusative dative", "in": "accusative dative",
    "unter": "accusative dative", "neben": "accusative dative", "hinter": "dative", "vor": "dative",
    "über": "accusative",
}  # fmt: skip
CONTRACTED = {"im": "in dem", "ins": "in das", "zum": "zu dem", "zur": "zu der"}
