"""Why people do things in classroom German: states and weather, and what follows from them or does not."""

from random import Random

from explainer.text.families.causes import Cause, read_causes
from explainer.text.families.daily import STATIVE
from explainer.text.lessons.deeds import IDIOMS, Deed, Row, from_idiom, verb, with_object
from explainer.text.lessons.draw import own
from explainer.text.lessons.places import at
from explainer.text.lessons.vocabulary import noun
from explainer.text.phrases import Nominal, Phrase

# `+` what fits, `-` what the cause makes unlikely; "verb > the noun", or "verb > preposition the noun" of a place.
CAUSES = read_causes("""
tired = müde
+ go to bed, stay at home, go home, sleep, drink > - coffee, stay in bed
- dance, work > in the garden, clean > the kitchen, play football, swim > in the lake, tidy > the room,
- write > the letter, go out

sick = krank
+ stay in bed, stay at home, drink > - tea, go home, go > to the hospital
- swim > in the river, go out, play football, go shopping, sing

hungry = hungrig
+ eat > the apple, eat > a banana, eat > the soup, eat > - bread, cook > - soup, cook > - rice, eat > an egg,
+ eat > the cake, bake > - bread
- fall asleep, dance

thirsty = durstig
+ drink > the water, drink > - water, drink > - juice, drink > - tea, drink > the milk
- sleep

happy = glücklich
+ laugh, sing, dance, play the guitar
- cry, go home

sad = traurig
+ cry, stay at home, go home, go away, stay in bed
- laugh, sing, dance, go out

rich = reich
+ buy > a house, buy > a car, buy > the boat, build > a house
- sell > own car, sell > own house

poor = arm
+ sell > own house, sell > own car, work hard, sell > own horse
- buy > a car, buy > the house, buy > a horse

angry = wütend
+ go home, go away, throw away > the letter
- laugh, sing

curious = neugierig
+ open@up > the box, read > the letter, look at > the picture, open@up > the suitcase
- go away, throw away > the letter

it is raining/it was raining = es/regnet/regnete/
+ stay at home, go home, read > a book, close@up > the window, run > into the house, bring along > an umbrella
- play football, swim > in the lake, walk > through the forest, wash > the car, walk > through the park,
- work > in the garden, go > into the garden

it is hot/it was hot = es/ist/war/heiß
+ swim > in the lake, drink > - water, open@up > the window, take off > own jacket, sit > under the tree
- wear > a coat, work > in the garden, play football, bake > - bread

it is cold/it was cold = es/ist/war/kalt
+ put on > own coat, drink > - tea, stay at home, cook > - soup, close@up > the door
- swim > in the lake, open@up > the window, sit > on the bench, take off > own jacket

it is late/it was late = es/ist/war/spät
+ go home, go to bed, turn off > the television, close@up > the door
- go out, play cards, turn on > the radio, work > in the garden

it is dark/it was dark = es/ist/war/dunkel
+ turn on > the lamp, go home
- walk > through the forest, read > the book, play > in the garden

the weather is beautiful/the weather was beautiful = das Wetter/ist/war/schön
+ go > into the garden, walk > through the park, wash > the car, swim > in the lake, play > in the garden,
+ sit > on the bench, walk > through the forest, sit > under the tree
- stay at home, stay in bed, play cards, sit > in the kitchen

it is Sunday/it was Sunday = es/ist/war/Sonntag
+ stay at home, bake > a cake, sleep, play cards, walk > through the park
- work, go shopping, clean > the kitchen, get up
""")
BY_ENGLISH = {f"{each.key.partition('@')[0]} {each.english}".strip(): each for each in IDIOMS}


def effect(rng: Random, subject: Nominal, text: str) -> Deed:
    """Build the deed of an effect, done by the subject."""
    if text in BY_ENGLISH:
        return from_idiom(BY_ENGLISH[text])
    key, _, rest = (part.strip() for part in text.partition(">"))
    active = key not in STATIVE
    if not rest:
        return Deed(verb(key), "", (), ("nicht",), active)
    given, name = rest.rsplit(maxsplit=1)
    if " " in given:  # a preposition and an article
        preposition, _, article = given.rpartition(" ")
        where = Phrase(noun(name), article)
        source, target = at(preposition, where)
        return Deed(verb(key), source, (target,), ("nicht", target), active, phrases=(where,))
    row = Row(key, (), frozenset(() if active else ("stative",)))
    if given == "own":
        thing = own(rng, noun(name), subject, looks=(0,))
        return with_object(row, thing)
    return with_object(row, Phrase(noun(name), {"-": "", "an": "a"}.get(given, given)))


def choose_cause(rng: Random, subject: Nominal, *, surprising: bool = False) -> tuple[Cause, Deed, bool]:
    """Draw a cause, a deed, and whether the deed is denied because of it, or in spite of it."""
    cause = rng.choice(CAUSES)
    denied = rng.random() < 0.4
    unlikely = denied != surprising
    return cause, effect(rng, subject, rng.choice(cause.prevents if unlikely else cause.leads)), denied
