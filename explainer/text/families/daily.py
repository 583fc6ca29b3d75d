"""Daily life as data: which things people do what to, fixed phrases, times, and why people do things."""

from dataclasses import dataclass

from explainer.text.lexicon import Noun
from explainer.text.nouns import people, pick

STATIVE = {
    "have", "need", "like", "love", "see", "hear", "understand", "know@person", "forget", "find", "lose",
    "wake up",
    "fall asleep", "turn on", "turn off",
}  # fmt: skip
INVOLUNTARY = {  # what nobody can be told, allowed or asked to do
    "lose", "forget", "have", "need", "like", "know", "love", "understand", "find", "see", "hear", "wake up",
    "fall asleep", "dream", "arrive", "win", "run away",
}  # fmt: skip
UNUSUAL = {
    "lose",
    "forget",
    "find",
    "sell",
    "build",
    "repair",
    "win",
    "throw away",
    "run away",
    "try on",
    "pay",
    "paint",
}
LASTING = {"travel", "live", "work", "learn"}  # what one can do for a year
SINGLE = {"drive", "wear", "put on", "take off", "try on", "build", "draw"}  # one at a time
SEVERAL = {"count", "cook"}
ALWAYS_THE = {"heating", "breakfast", "lunch", "dinner", "light", "truth"}
MEALTIMES = {"breakfast", "lunch", "dinner"}  # no article in English
CLOTHES = "coat jacket pullover hat scarf cap shirt"


def rows(table: str) -> tuple[tuple[str, tuple[Noun, ...], bool], ...]:
    """Read rows "verb key: nouns"; a `*` before the key means that people do it to their own things."""
    found = []
    for row in table.strip().splitlines():
        key, _, nouns = row.partition(":")
        things = people() if nouns.strip() == "PEOPLE" else pick(nouns)
        found.append((key.lstrip("*"), things, key.startswith("*")))
    return tuple(found)


OBJECTS = rows(f"""
eat: bread apple cake egg fish pizza soup cheese sausage banana pear salad rice potato carrot
drink: milk tea coffee water juice beer wine
read: book letter newspaper story novel poem text email
write: letter email story poem text book
buy: car house bicycle table coat dress jacket shirt hat
buy: watch computer phone lamp carpet guitar sofa picture ring
buy: bread apple cake egg fish pizza cheese sausage banana
buy: pear salad rice potato milk tea coffee juice flower butter
sell: car house bicycle horse boat guitar picture table cow computer violin ring carpet
open: door window box suitcase drawer bottle letter parcel gate book
close: door window box suitcase drawer gate book cupboard
find: key ring bag letter book watch ticket hat umbrella photo mistake map
*lose: key ring bag watch ticket hat umbrella phone
look for: key bag hat phone hotel bank station book ticket watch dog cat
*repair: car bicycle computer radio lamp roof watch camera machine chair
*wash: car shirt dress coat cup plate pan glass
clean: window kitchen room bathroom oven bicycle shoe classroom
need: car key computer pen money map ticket coat umbrella ladder knife lamp
have: dog cat car house garden computer bicycle problem question idea plan horse ticket
like: film book song picture cake coffee tea dog cat city garden
see: dog cat bird house tower castle ship horse fox mountain car bus train
hear: song bird story radio dog
understand: question answer text word exercise film joke problem plan
use: computer phone map knife ladder hammer camera bicycle
forget: key book ticket bag umbrella word
draw: house tree horse cat dog castle ship flower
cook: soup rice meat potato egg
bake: cake bread pizza
drive: car bus truck tractor taxi
build: house wall boat tower hut bridge
pay: bill
carry: suitcase box bag basket rucksack chair table
explain: exercise text word plan game picture
translate: text letter book poem word
count: apple egg box chair flower
visit: museum castle church city village zoo island
paint: house wall door fence bench gate boat
wear: {CLOTHES} ring watch
feed: dog cat horse cow pig hen rabbit
""")
PERSONS = ("see", "meet", "know@person", "visit", "ask", "greet", "invite", "look for", "call")
DATIVE = ("help", "thank", "answer", "follow")
GIVING = (
    ("give", pick("apple book key cake flower ring letter ticket watch cup glass pen")),
    ("show", pick("picture book house garden photo map car letter castle city")),
    ("send", pick("letter email parcel photo picture present book map")),
    ("lend", pick("book car bicycle umbrella pen coat camera ladder")),
    ("tell", pick("story joke secret")),
    ("bring", pick("cake flower tea coffee newspaper soup apple chair umbrella")),
    ("buy", pick("cake flower book coat bicycle dog watch guitar ticket present")),
)
SEPARABLE = rows("""
open@up: door window box bottle letter gate cupboard
close@up: door window box drawer suitcase gate book cupboard
turn on: lamp radio television light heating computer machine oven
turn off: lamp radio television light heating computer machine oven
call: PEOPLE
invite: PEOPLE
pick up: parcel ticket book bicycle car suitcase
pick up: PEOPLE
bring along: cake book guitar flower salad camera ball map present
tidy: room kitchen classroom cellar cupboard office
*put on: coat jacket pullover shirt
*take off: coat jacket pullover shirt
try on: coat jacket pullover shirt ring
*throw away: newspaper bottle hat lamp chair letter vase can
give back: book key money bicycle camera umbrella watch
write down: word answer question joke story song
prepare: breakfast dinner lunch exam game
look at: picture photo house film map car castle
listen to: PEOPLE
watch@television:
get up:
wake up:
fall asleep:
go out:
go away:
come back:
come along:
arrive:
leave@depart:
go shopping:
get on:
get off:
run away:
take part:
""")


@dataclass(frozen=True)
class Idiom:
    """A fixed predicate: verb key, what follows the English verb, the German middle field.

    `nicht_last` puts nicht behind the middle field; `negative` is used instead of nicht, if there is one
    (kein Deutsch); `stative` allows no "is …ing".
    """

    key: str
    english: str
    german: str
    nicht_last: bool = False
    stative: bool = False
    negative: str = ""


def idioms(table: str) -> tuple[Idiom, ...]:
    """Read rows "key | English | German | negative"; `<` puts nicht last, `=` marks a stative phrase."""
    found = []
    for row in table.strip().splitlines():
        key, source, target, *negative = (cell.strip() for cell in row.split("|"))
        flags = target[len(target.rstrip("<= ")) :]
        found.append(Idiom(key, source, target.rstrip("<= "), "<" in flags, "=" in flags, *negative))
    return tuple(found)


IDIOMS = idioms("""
go | home | nach Hause
go | to bed | ins Bett
go | to school | in die Schule
go | to the cinema | ins Kino
go | to the doctor | zum Arzt
go | to the market | auf den Markt
go | to the bakery | zur Bäckerei
go | into the garden | in den Garten
go | into the forest | in den Wald
go | to the beach | an den Strand
go@ride | to Berlin | nach Berlin
go@ride | to the station | zum Bahnhof
go@ride | to the city | in die Stadt
go@ride | by train | mit dem Zug
go@ride | by bicycle | mit dem Fahrrad
go@ride | to the sea | ans Meer
travel | to Italy | nach Italien
travel | to Germany | nach Deutschland
travel | to Vienna | nach Wien
stay | at home | zu Hause
stay | in bed | im Bett
stay | in the hotel | im Hotel
live@home | in Berlin | in Berlin =
live@home | in the city | in der Stadt =
live@home | in a small village | in einem kleinen Dorf =
live@home | in Hamburg | in Hamburg =
live@home | near the station | in der Nähe des Bahnhofs =
work | in the garden | im Garten
work | in the office | im Büro
work | in a factory | in einer Fabrik
work | at the hospital | im Krankenhaus
work | hard | hart
learn | German | Deutsch | kein Deutsch
learn | English | Englisch | kein Englisch
speak | German | Deutsch = | kein Deutsch
speak | English | Englisch = | kein Englisch
speak | with the teacher | mit dem Lehrer
talk | to the neighbour | mit dem Nachbarn
talk | about the film | über den Film
sing | in the choir | im Chor
sing | in the bathroom | im Badezimmer
dance | in the kitchen | in der Küche
dance | in the street | auf der Straße
laugh | |
laugh | loudly | laut
cry | |
smile | |
sleep | in the tent | im Zelt
sleep | well | gut
sleep | |
play | the guitar | Gitarre
play | the piano | Klavier
play | football | Fußball
play | cards | Karten | keine Karten
play | in the garden | im Garten
play | with the dog | mit dem Hund
play | with the children | mit den Kindern
do | the homework | die Hausaufgaben <
do | the exercise | die Übung <
wait for | the bus | auf den Bus
wait for | the train | auf den Zug
wait for | the doctor | auf den Arzt
wait | at the bus stop | an der Haltestelle
wait | in front of the cinema | vor dem Kino
sit | on the bench | auf der Bank
sit | in the kitchen | in der Küche
sit | at the table | am Tisch
sit | under the tree | unter dem Baum
stand | at the window | am Fenster
stand | in front of the door | vor der Tür
stand | on the bridge | auf der Brücke
lie | in bed | im Bett
lie | on the beach | am Strand
lie | on the sofa | auf dem Sofa
swim | in the lake | im See
swim | in the sea | im Meer
walk | through the park | durch den Park
walk | through the forest | durch den Wald
walk | across the bridge | über die Brücke
run | through the garden | durch den Garten
run | to the bus | zum Bus
run | into the house | ins Haus
think | of the summer | an den Sommer
think | of the exam | an die Prüfung
dream | of the sea | vom Meer
dream | of a big house | von einem großen Haus
win | the game | das Spiel <
celebrate | with friends | mit Freunden
jump | into the water | ins Wasser
climb@onto | onto the roof | auf das Dach
""")

# Times, in English and German; where they stand is decided in `statements`.
PAST_TIMES = {
    "yesterday": "gestern", "last week": "letzte Woche", "on Monday": "am Montag",
    "this morning": "heute Morgen",
    "last night": "gestern Abend", "an hour ago": "vor einer Stunde", "last year": "letztes Jahr",
    "two days ago": "vor zwei Tagen", "on Saturday": "am Samstag", "yesterday evening": "gestern Abend",
    "last summer": "letzten Sommer", "a week ago": "vor einer Woche", "in the afternoon": "am Nachmittag",
}  # fmt: skip
HABITS = {
    "every day": "jeden Tag", "every morning": "jeden Morgen", "every evening": "jeden Abend",
    "on Sundays": "sonntags",
    "every week": "jede Woche", "in the morning": "am Morgen",
    "on Fridays": "freitags", "once a week": "einmal in der Woche",
}  # fmt: skip
NOW_TIMES = {"now": "jetzt", "today": "heute", "at the moment": "im Moment", "right now": "gerade"}
FUTURE_TIMES = {
    "tomorrow": "morgen", "next week": "nächste Woche", "on Sunday": "am Sonntag", "tonight": "heute Abend",
    "next year": "nächstes Jahr", "tomorrow evening": "morgen Abend", "in two days": "in zwei Tagen",
    "on Friday": "am Freitag", "this evening": "heute Abend", "next month": "nächsten Monat",
}  # fmt: skip
LONG = {"last week", "last year", "last summer", "next week", "next year", "next month"}
FREQUENCIES = {
    "often": "oft", "always": "immer", "sometimes": "manchmal", "usually": "normalerweise",
    "rarely": "selten",
    "never": "nie",
}  # fmt: skip
