"""Where people and animals are and where they go: prepositions with the dative, the accusative, or either."""

from dataclasses import dataclass
from random import Random

from explainer.text import inflection
from explainer.text.inflection import Case
from explainer.text.lessons.deeds import Deed, verb
from explainer.text.lessons.draw import anyone, phrase
from explainer.text.lessons.vocabulary import noun, nouns
from explainer.text.lexicon import Noun, Verb
from explainer.text.phrases import Nominal, Phrase, words

PLACE_GIVEN = ("the", "the", "the", "the", "a", "a", "this", "our", "my", "her")
PREPOSITIONS: dict[str, tuple[str, Case]] = {  # German preposition and the case it takes here
    "in": ("in", "dative"), "on": ("auf", "dative"), "under": ("unter", "dative"), "behind": ("hinter", "dative"),
    "in front of": ("vor", "dative"), "next to": ("neben", "dative"), "out of": ("aus", "dative"),
    "to": ("zu", "dative"), "into": ("in", "accusative"), "through": ("durch", "accusative"),
    "around": ("um", "accusative"), "over": ("über", "accusative"), "across": ("über", "accusative"),
    "onto": ("auf", "accusative"),
}  # fmt: skip


@dataclass(frozen=True)
class Move:
    """A verb with its place: who does it, the English preposition, where."""

    verb: Verb
    who: tuple[Noun, ...]
    preposition: str
    places: tuple[Noun, ...]
    stative: bool


def moves(table: str) -> tuple[Move, ...]:
    """Read rows "verb keys | preposition | places | who"; who is PEOPLE unless animals are named."""
    found = []
    for row in table.strip().splitlines():
        keys, preposition, names, *who = (cell.strip() for cell in row.split("|"))
        for key in keys.split():
            actors = nouns(who[0]) if who else ()
            found.append(Move(verb(key), actors, preposition, nouns(names), key.startswith("live")))
    return tuple(found)


MOVES = moves("""
walk | through | park forest garden village city
walk run | across | bridge street
walk run | around | lake house church castle
go | into | garden kitchen house church room shop forest museum classroom
go run drive@to | to | station bridge lake river church library
drive@to | through | city village forest
drive@to | across | bridge
come | out of | house kitchen garden church room school cinema shop
sit | on | bench chair sofa bed
sit wait | under | tree
sit | in | garden kitchen restaurant park library
stand wait | in front of | house church school hotel cinema museum theatre
stand | on | bridge tower
stand | behind | house tree wall church
stand | next to | tree door window bed
lie | on | bed sofa bench
lie sleep | under | tree
play | in | garden park house room forest
work | in | garden kitchen hospital library hotel shop restaurant
live@home | in | village city house castle
sleep | in | bed house barn hotel
swim | in | lake river
swim | across | lake river
sing | in | kitchen garden church classroom
dance | in | kitchen garden park
climb@onto | onto | tree wall tower
wait | in | classroom station hotel kitchen
run | into | house garden forest kitchen
jump | over | wall river | dog horse fox tiger
jump | into | lake river | dog bear monkey
run | through | garden forest park street | dog horse cat fox mouse rabbit
run | around | house tree lake | dog horse goose pig
sleep lie | under | tree table bench bed | dog cat rabbit
sleep lie | on | sofa bed chair | cat dog
sit | on | wall tree chair tower | bird cat monkey
fly | over | house lake forest mountain city river | bird duck goose
stand | in | stable barn forest garden | horse cow donkey goat
live | in | forest stable barn garden | wolf bear horse pig goose rabbit mouse
sleep | behind | house barn wall church | cat dog bear lion pig
come | out of | barn stable house forest | dog cow horse fox bear mouse
""")


def place(rng: Random, move: Move) -> Phrase:
    """Draw the place of a move."""
    return phrase(rng, rng.choice(move.places), PLACE_GIVEN, plural=0, looks=(0, 0, 1, 1))


def mover(rng: Random, move: Move) -> Nominal:
    """Draw who moves: anybody, or one of the animals."""
    if not move.who:
        return anyone(rng)
    return phrase(rng, rng.choice(move.who), ("the", "the", "the", "a", "my", "our"), plural=0.25)


def at(preposition: str, where: Phrase) -> tuple[str, str]:
    """Return a place with its preposition in both languages: "in the garden", im Garten."""
    german, case = PREPOSITIONS[preposition]
    return words(preposition, where.english()), inflection.contract(german, where.german(case))


def going(move: Move, where: Phrase) -> Deed:
    """Build the deed of a move: walk through the old park."""
    source, target = at(move.preposition, where)
    return Deed(move.verb, source, (target,), ("nicht", target), not move.stative, phrases=(where,))


def with_whom(rng: Random, deed: Deed, subject: Nominal) -> Deed:
    """Add company, which German names before the place: geht mit ihrem Hund zum See."""
    dog = phrase(rng, noun("dog"), ("the", "my", "her", "his"), plural=0.1, looks=(0, 1))
    relative = phrase(rng, rng.choice(nouns("KIN")), looks=(0, 0, 1))
    company = dog if rng.random() < 0.5 else relative
    link, german, case = (
        ("with", "mit", "dative") if rng.random() < 0.6 else ("without", "ohne", "accusative")
    )
    target = inflection.contract(german, company.german(case))
    return Deed(
        deed.verb, words(deed.english, link, company.english()), (target, *deed.middle), (target, *deed.negative),
        deed.progressive, phrases=(*deed.phrases, company), plain=False,
    )  # fmt: skip


def moving(rng: Random) -> tuple[Nominal, Deed]:
    """Draw who goes where, or rests there."""
    move = rng.choice(MOVES)
    subject = mover(rng, move)
    deed = going(move, place(rng, move))
    if (
        not move.who
        and move.verb.english in ("walk", "go", "drive", "come", "play", "sit")
        and rng.random() < 0.5
    ):
        deed = with_whom(rng, deed, subject)
    return subject, deed


def human_move(rng: Random, subject: Nominal) -> Deed:
    """Draw where a person goes or rests."""
    move = rng.choice([each for each in MOVES if not each.who])
    return going(move, place(rng, move))


SPOTS = tuple(  # things, preposition, places
    (nouns(things), preposition, nouns(where))
    for things, preposition, where in (
        (
            "key book letter cup glass bottle apple newspaper plate pen bag hat phone",
            "on",
            "table chair bed cupboard",
        ),
        ("key letter book hat ring camera shirt ball", "in", "box suitcase cupboard bag basket"),
        ("ball dog cat box shoe bag suitcase", "under", "table chair bed tree"),
        ("car bicycle tree dog bus", "in front of", "house school church hotel station museum"),
        ("car bicycle tree garden barn", "behind", "house school church castle"),
        ("hotel school church park cinema library", "next to", "station museum bridge hospital river"),
        ("chair lamp bed sofa table", "next to", "door window cupboard"),
        ("milk cheese juice egg cake", "in", "kitchen basket"),
        ("dog cat horse cow", "in", "garden barn stable"),
    )
)


def spot(rng: Random) -> tuple[Phrase, str, Phrase]:
    """Draw a thing, a preposition, and where it is."""
    things, preposition, places = rng.choice(SPOTS)
    thing = phrase(rng, rng.choice(things), ("the", "the", "the", "my", "your", "her", "our"), plural=0.15)
    return thing, preposition, phrase(rng, rng.choice(places), ("the",), plural=0, looks=(0, 0, 1))
