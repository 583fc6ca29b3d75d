"""Why and where people do things: causes, places and routines with what follows; data for `linked`."""

from dataclasses import dataclass
from random import Random

from explainer.text.families.daily import IDIOMS, STATIVE
from explainer.text.families.predicates import Predicate, from_idiom, somebody_else, wears_many, with_object
from explainer.text.families.speakers import owner_of
from explainer.text.nouns import NOUNS
from explainer.text.phrases import Nominal, Phrase
from explainer.text.words import verb


@dataclass(frozen=True)
class Cause:
    """A state of a person (an adjective) or of the world (a sentence), and what it leads to.

    Attributes:
        english: adjective, or a world sentence such as "it is raining" in the present and the past.
        german: the adjective, or the subject of the world sentence.
        leads: effects that fit.
        prevents: effects that the cause makes unlikely.
        world: the finite verb and the rest in the present and the past, "" for a person's state.
    """

    english: tuple[str, str]
    german: str
    leads: tuple[str, ...]
    prevents: tuple[str, ...]
    world: tuple[tuple[str, str], ...] = ()


def read_blocks(table: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Read blocks of a head line, `+` lines (what fits) and `-` lines (what does not)."""
    found = []
    for block in table.strip().split("\n\n"):
        lines = block.splitlines()
        heads = [line for line in lines if line[0] not in "+-"]
        both = (" ".join(line[1:] + "," for line in lines if line[0] == sign) for sign in "+-")
        fits, clashes = (tuple(part.strip() for part in text.split(",") if part.strip()) for text in both)
        found.append((heads[0] if heads else "", fits, clashes))
    return found


def read_causes(table: str) -> tuple[Cause, ...]:
    """Read causes: "tired = müde" of a person, "it is late/it was late = es/ist/war/spät" of the world."""
    found = []
    for head, leads, prevents in read_blocks(table):
        source, german = (side.strip() for side in head.split(" = "))
        if "/" in source:
            now, then = source.split("/")
            subject, present, past, rest = german.split("/")
            found.append(Cause((now, then), subject, leads, prevents, ((present, rest), (past, rest))))
        else:
            found.append(Cause((source, source), german, leads, prevents))
    return tuple(found)


CAUSES = read_causes("""
tired = müde
+ go to bed, stay at home, go home, sleep, drink > - coffee, stay in bed
- go to the cinema, go out, work in the garden, dance in the kitchen, clean > the kitchen, play football,
- swim in the lake, work hard, tidy > the room, write > the letter, learn German

sick = krank
+ stay in bed, go to the doctor, stay at home, drink > - tea, call > PERSON, go home
- go to school, work in the office, swim in the sea, go out, play football, travel to Italy, go shopping,
- work in the garden, visit > PERSON

hungry = hungrig
+ eat > the apple, eat > a banana, eat > the soup, eat > - bread, cook > - soup, bake > - bread,
+ buy > a pizza, eat > an egg, eat > the cake, go to the bakery, cook > - rice, eat > a sausage
- sleep well, wait in front of the cinema, fall asleep

thirsty = durstig
+ drink > the water, drink > - water, drink > - juice, drink > - tea, drink > the milk, buy > - water,
+ look for > - water
- walk through the forest, sleep, work in the garden

happy = glücklich
+ laugh, sing in the bathroom, dance in the kitchen, smile, celebrate with friends, dance in the street,
+ play the guitar
- cry, go home

sad = traurig
+ cry, stay at home, call > PERSON, go home, go away, stay in bed
- laugh, sing in the choir, dance in the street, smile, go out, celebrate with friends

rich = reich
+ buy > a house, buy > a car, travel to Italy, buy > the boat, build > a house
- work hard, sell > own car, live in a small village, work in a factory, sell > own house

poor = arm
+ sell > own house, sell > own car, work hard, work in a factory, sell > own horse
- buy > a car, travel to Italy, buy > the house, laugh, smile, buy > a horse

lonely = einsam
+ visit > PERSON, call > PERSON, go to the cinema, cry, invite > PERSON, talk to the neighbour
- stay at home, go home

nervous = nervös
+ drink > - tea, think of the exam, ask > PERSON, go home
- sleep well, laugh, sleep, sing in the choir, smile

angry = wütend
+ go home, go away, close > the door, throw away > the letter, leave > the room
- laugh, answer > PERSON, help > PERSON, invite > PERSON, smile, thank > PERSON

curious = neugierig
+ open > the letter, open > the box, read > the letter, ask > PERSON, open > the parcel, open > the drawer,
+ look at > the photo
- close > the book, go away, throw away > the letter

friendly = freundlich
+ help > PERSON, greet > PERSON, thank > PERSON, invite > PERSON, answer > PERSON, smile
- go away, leave > the room

it is raining/it was raining = es/regnet/regnete/
+ stay at home, go home, need > an umbrella, read > a book, close > the window, look for > the umbrella,
+ take off > own shoe, bring along > an umbrella, run into the house
- go into the garden, play football, swim in the lake, walk through the forest, wash > the car,
- go to the beach, walk through the park, play in the garden, sit on the bench, work in the garden,
- paint > the fence

it is snowing/it was snowing = es/schneit/schneite/
+ put on > own coat, stay at home, wear > a cap, need > a coat, go by train, put on > own jacket,
+ turn on > the heating, run into the house
- go by bicycle, go to the beach, play football, swim in the lake, sit on the bench, wash > the car

it is hot/it was hot = es/ist/war/heiß
+ swim in the lake, drink > - water, drink > - juice, go to the beach, open > the window,
+ take off > own jacket, sit under the tree, swim in the sea, sleep in the tent
- wear > a coat, turn on > the heating, work in the garden, play football, drink > - tea, work hard,
- bake > - bread

it is cold/it was cold = es/ist/war/kalt
+ put on > own coat, turn on > the heating, close > the window, drink > - tea, stay at home, wear > a scarf,
+ need > a coat, cook > - soup, close > the door
- swim in the lake, open > the window, sit on the bench, swim in the sea, take off > own jacket,
- sleep in the tent

it is late/it was late = es/ist/war/spät
+ go home, go to bed, turn off > the television, turn off > the light, close > the door, sleep, go by train
- go to the cinema, go out, call > PERSON, work in the garden, play cards, turn on > the radio,
- visit > PERSON

it is dark/it was dark = es/ist/war/dunkel
+ turn on > the lamp, turn on > the light, go home, look for > the lamp, close > the window
- walk through the forest, read > the book, play in the garden, go into the forest, work in the garden,
- walk through the park

the weather is beautiful/the weather was beautiful = das Wetter/ist/war/schön
+ go into the garden, walk through the park, wash > the car, swim in the lake, go to the beach,
+ play in the garden, sit on the bench, walk through the forest, sit under the tree, go by bicycle
- stay at home, go to the cinema, stay in bed, play cards, sit in the kitchen

the weather is bad/the weather was bad = das Wetter/ist/war/schlecht
+ stay at home, go to the cinema, play cards, read > a book, sit in the kitchen, stay in the hotel
- go to the beach, swim in the lake, play football, go by bicycle, work in the garden,
- walk through the park

it is Sunday/it was Sunday = es/ist/war/Sonntag
+ stay at home, visit > PERSON, bake > a cake, sleep, play cards, walk through the park, invite > PERSON
- work in the office, go to school, work hard, clean > the kitchen, get up, work in the garden

it is very loud/it was very loud = es/ist/war/sehr laut
+ close > the window, go away, turn off > the radio, close > the door, leave > the room
- sleep well, fall asleep, sleep, understand > the teacher, hear > the radio
""")
ROOMS = tuple(  # English place, German place, what people do there
    (*head.split(" = "), deeds)
    for head, deeds, _ in read_blocks("""
in the kitchen = in der Küche
+ cook > - soup, bake > a cake, drink > - coffee, prepare > the dinner, eat > an egg, clean > the oven,
+ bake > - bread, sit at the table

in the garden = im Garten
+ play with the dog, sit under the tree, paint > the fence, sit on the bench, look for > the ball,
+ feed > the hen, play with the children, wash > the bicycle

at school = in der Schule
+ learn German, learn English, read > a text, do the exercise, write > a text,
+ answer@question > the question, draw > a house

in the library = in der Bibliothek
+ read > a book, look for > a book, write > a letter, read > the newspaper, learn German

at the station = am Bahnhof
+ wait for the train, buy > a ticket, look for > own suitcase, pick up > PERSON, wait for the bus

at the market = auf dem Markt
+ buy > - bread, buy > a fish, sell > - cheese, buy > a flower, sell > the cow

at home = zu Hause
+ read > a book, clean > the window, do the homework, play the guitar, play the piano, play cards,
+ watch@television, sleep, tidy > the room, listen to > PERSON

in the office = im Büro
+ write > an email, use > the computer, read > the letter, call > PERSON, work hard

in the restaurant = im Restaurant
+ eat > a pizza, drink > - wine, eat > - fish, pay > the bill, drink > - water

on the train = im Zug
+ read > the newspaper, sleep, look for > own ticket, eat > an apple, read > a novel

at the beach = am Strand
+ swim in the sea, eat > a banana, sleep, read > a novel, play football

in the hotel = im Hotel
+ look for > own key, sleep well, pay > the bill, write > a letter, wait for the doctor
""")
)
ROUTINES = tuple(  # what people do one after the other
    steps
    for _, steps, _ in read_blocks("""
+ get up, drink > - coffee, go to school, work in the office, go home, cook > - soup,
+ read > the newspaper, go to bed

+ wake up, open > the window, eat > an egg, go to the market, buy > - bread, go home, bake > a cake,
+ call > PERSON

+ come back, take off > own coat, drink > - tea, turn on > the radio, write > a letter,
+ turn off > the lamp, fall asleep

+ go to the beach, swim in the sea, eat > a fish, lie on the beach, go home, wash > own shirt, sleep well

+ go into the garden, feed > the rabbit, sit under the tree, read > a book, close > the gate, go to bed
""")
)
BY_ENGLISH = {f"{each.key.partition('@')[0]} {each.english}".strip(): each for each in IDIOMS}


def effect(rng: Random, subject: Nominal, text: str) -> Predicate:
    """Build the predicate for an effect: an idiom, an intransitive verb, or "verb > determiner noun"."""
    if text in BY_ENGLISH:
        return from_idiom(BY_ENGLISH[text])
    key, _, rest = (part.strip() for part in text.partition(">"))
    if not rest:
        return Predicate(verb(key), "", (), ("nicht",), key not in STATIVE)
    progressive = key not in STATIVE
    if rest == "PERSON":
        case = "dative" if key in ("help", "thank", "answer") else "accusative"
        return with_object(verb(key), somebody_else(rng, subject), case, progressive=progressive)
    given, noun = rest.split()
    plural = noun == "shoe" or (given == "own" and wears_many(subject, NOUNS[noun]))
    given = {"-": "", "own": owner_of(subject), "an": "a"}.get(given, given)
    return with_object(verb(key), Phrase(NOUNS[noun], given, plural=plural), progressive=progressive)
