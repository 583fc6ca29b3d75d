"""What people do in classroom German: predicates of verb and objects, each with the noun phrases in it."""

from dataclasses import dataclass
from random import Random

from explainer.text import inflection
from explainer.text.families.daily import Idiom, idioms
from explainer.text.families.predicates import Predicate
from explainer.text.inflection import Case
from explainer.text.lessons.draw import ANY, DEFINITES, KIN, PUBLIC, describe, other_than, own, phrase
from explainer.text.lessons.vocabulary import nouns
from explainer.text.lexicon import Noun, Verb, read_verbs
from explainer.text.phrases import Nominal, Phrase, words
from explainer.text.words import VERBS

# Verbs that the lexicon of the grammar lacks, or has with another German word.
ADDED = read_verbs("""
drive/drove/driven@to = fahren/fährt/fuhr/gefahren+
put/put/put@lay = legen
""")


def verb(key: str) -> Verb:
    """Return the verb with this key."""
    return ADDED.get(key) or VERBS[key]


@dataclass(frozen=True)
class Deed(Predicate):
    """A predicate that knows its noun phrases and how it may be used.

    Attributes:
        phrases: the noun phrases with adjectives, for the combinations that are held out.
        willing: whether it can be wanted, allowed or asked for.
        plain: whether it has neither numerals nor indefinites next to definites, so that it can be denied.
    """

    phrases: tuple[Phrase, ...] = ()
    willing: bool = True
    plain: bool = True


@dataclass(frozen=True)
class Row:
    """A verb with its objects.

    `stative` allows no "is …ing", `unwilling` no "wants to"; `own` is done to the subject's own things, `some` only
    to what is not definite, `known` only to what is.
    """

    key: str
    things: tuple[Noun, ...]
    marks: frozenset[str]


def rows(table: str) -> tuple[Row, ...]:
    """Read rows "verb key | nouns | marks"."""
    found = []
    for row in table.strip().splitlines():
        key, names, *marks = (cell.strip() for cell in row.split("|"))
        found.append(Row(key, nouns(names), frozenset(" ".join(marks).split())))
    return tuple(found)


OBJECTS = rows("""
read | book letter newspaper story text
write | letter story text
buy | WEAR lamp table chair bag umbrella camera computer clock guitar ring ball book newspaper
buy | car bicycle boat horse house apple pear banana cake bread cheese milk flower fish toy
sell | car bicycle boat horse house picture guitar computer table cow
look for | key bag umbrella book pen phone ball dog cat hat
find | key bag umbrella book pen phone ball hat ring | stative unwilling
see | house castle church bridge ship bird horse dog mountain lake tree tower wolf fox bear train | stative
hear | bird dog train wolf song | stative
need | key pen coat umbrella computer chair lamp cup suitcase bag bicycle | stative unwilling
have | dog cat horse car bicycle house garden computer guitar idea problem plan key | stative some unwilling
have | brother sister | stative some unwilling
like | book film song picture city garden dog cat island game | stative known unwilling
wash | car cup plate glass shirt dog bottle
clean | window kitchen shoe room bicycle | known
repair | car bicycle clock computer radio lamp chair camera | known
draw | tree house cat horse castle flower ship elephant lion
cook | soup rice meat
bake | cake bread
eat | FOOD
drink | DRINKS
wear | coat jacket pullover shirt hat
carry | box bag suitcase basket chair
visit | museum castle city village zoo island
understand | question answer text exercise word film | stative known unwilling
build | house boat bridge tower wall
pay | bill | known
explain | exercise text game plan word | known
translate | text letter word story
feed | dog cat horse cow pig rabbit duck bird donkey goat | known
""")
PERSONS = rows("""
visit | PEOPLE KIN
ask | PEOPLE KIN
meet | PEOPLE KIN
know@person | PEOPLE KIN | stative unwilling
greet | PEOPLE KIN
see | PEOPLE KIN | stative
love | KIN dog cat horse | stative unwilling
""")
HELPING = rows("""
help | PEOPLE KIN
thank | PEOPLE KIN
follow | PEOPLE KIN
listen to | PEOPLE KIN
""")
SEPARABLE = rows("""
open@up | door window box bottle suitcase cupboard | known
close@up | door window box suitcase cupboard | known
turn on | lamp computer radio television | known stative
turn off | lamp computer radio television | known stative
call | PEOPLE KIN
invite | PEOPLE KIN
pick up | PEOPLE KIN
bring along | cake book guitar salad camera ball game present umbrella
tidy | room kitchen classroom cupboard | known
put on | coat jacket pullover shirt shoe | own
take off | coat jacket pullover shirt shoe | own
try on | coat jacket pullover shirt hat
throw away | newspaper letter bottle lamp hat picture | known
give back | book key bicycle camera umbrella ball pen | known
write down | word question answer song story | known
look at | picture house film castle church ship | known
get up | | stative
wake up | | stative unwilling
fall asleep | | stative unwilling
come back | |
go away | |
come along | |
arrive | | unwilling
go out | |
go shopping | |
get on | | stative
get off | | stative
take part | | stative
""")
GIVING = rows("""
give | apple book key cake flower ring letter cup glass pen present toy ball
show | picture book house garden letter castle city
send | letter picture present book
lend | book car bicycle umbrella pen coat camera | known
bring | cake flower tea coffee newspaper soup apple chair umbrella
explain | exercise text game plan word | known
""")
PUTTING = rows("""
put@lay | book letter newspaper key pen pencil present picture
put@upright | bottle glass lamp cup plate box basket flower
""")
SURFACES = nouns("table chair bed cupboard")
IDIOMS = idioms("""
go | home | nach Hause
go | to bed | ins Bett
stay | at home | zu Hause
stay | in bed | im Bett
work | hard | hart
learn | German | Deutsch | kein Deutsch
learn | English | Englisch | kein Englisch
speak | German | Deutsch = | kein Deutsch
speak | English | Englisch = | kein Englisch
laugh | |
cry | |
dance | |
sing | |
sleep | |
work | |
play | the guitar | Gitarre
play | the piano | Klavier
play | football | Fußball
play | cards | Karten | keine Karten
do | the homework | die Hausaufgaben <
wait for | the bus | auf den Bus
wait for | the train | auf den Zug
watch@television | television |
go@ride | by train | mit dem Zug
""")


def refusal(thing: Phrase, case: Case) -> tuple[str, ...]:
    """Return the German object when it is denied: kein before an indefinite noun, else nicht behind it."""
    if thing.determiner in ("a", ""):
        return (Phrase(thing.noun, "no", thing.adjectives, thing.plural).german(case),)
    return (thing.german(case), "nicht")


def counted(thing: Phrase) -> bool:
    """Whether the thing has a number or *many*, which nobody denies."""
    return thing.determiner in inflection.NUMERALS or thing.determiner in inflection.STRONG_WORDS


def with_object(row: Row, thing: Phrase, case: Case = "accusative") -> Deed:
    """Build a deed with one object."""
    denied = refusal(thing, case)
    return Deed(
        verb(row.key), thing.english(), (thing.german(case),), denied, "stative" not in row.marks, thing, case,
        phrases=(thing,), willing="unwilling" not in row.marks, plain=not counted(thing),
    )  # fmt: skip


def object_for(rng: Random, row: Row, subject: Nominal) -> Phrase:
    """Draw the object of a row."""
    noun = rng.choice(row.things)
    if "own" in row.marks or (noun.english in ("shirt", "coat", "hat") and rng.random() < 0.2):
        return own(rng, noun, subject)
    if "some" in row.marks and noun.english in KIN:
        given = rng.choice(("a", "a", "two", "three"))
        return Phrase(noun, given, describe(rng, noun, rng.choice((0, 0, 1))), plural=given != "a")
    given = ("a",) if "some" in row.marks else DEFINITES if "known" in row.marks else ANY
    return phrase(rng, noun, given, plural=0.15 if row.key != "wear" else 0.0)


def handling(rng: Random, subject: Nominal) -> Deed:
    """Read a book, wash the red car, buy bread."""
    row = rng.choice(OBJECTS)
    return with_object(row, object_for(rng, row, subject))


def meeting(rng: Random, subject: Nominal) -> Deed:
    """Visit the old king, greet my brother."""
    row = rng.choice(PERSONS)
    if row.key == "love":
        return with_object(row, phrase(rng, rng.choice(row.things), DEFINITES, plural=0))
    return with_object(row, other_than(rng, subject))


def helping(rng: Random, subject: Nominal) -> Deed:
    """Help the friendly witch: the object stands in the dative."""
    return with_object(rng.choice(HELPING), other_than(rng, subject), "dative")


def giving(rng: Random, subject: Nominal) -> Deed:
    """Give the boy an apple: the receiver in the dative stands before the thing in the accusative."""
    row = rng.choice(GIVING)
    given = DEFINITES if "known" in row.marks else ANY
    thing = phrase(rng, rng.choice(row.things), given, plural=0.1, looks=(0, 0, 1))
    other = other_than(rng, subject)
    receiver, target = other.german("dative"), thing.german("accusative")
    denied = (receiver, *refusal(thing, "accusative"))
    source = words(other.english(), thing.english())
    if row.key == "explain":  # English has no "explain me"
        source = words(thing.english(), "to", other.english())
    return Deed(
        verb(row.key),
        source,
        (receiver, target),
        denied,
        True,
        phrases=(thing, other),
        plain=not counted(thing),
    )


def putting(rng: Random, subject: Nominal) -> Deed:
    """Put the book on the table: where to is asked for, so the place stands in the accusative."""
    row = rng.choice(PUTTING)
    thing = phrase(rng, rng.choice(row.things), DEFINITES, plural=0.1, looks=(0, 0, 1))
    near, german = rng.choice((("on", "auf"), ("on", "auf"), ("under", "unter"), ("next to", "neben")))
    place = phrase(rng, rng.choice(SURFACES), PUBLIC, plural=0, looks=(0, 0, 1))
    where = inflection.contract(german, place.german("accusative"))
    target = thing.german("accusative")
    return Deed(
        verb(row.key), words(thing.english(), near, place.english()), (target, where), (target, "nicht", where), True,
        phrases=(thing, place),
    )  # fmt: skip


def separable(rng: Random, subject: Nominal) -> Deed:
    """Turn on the old lamp, get up."""
    row = rng.choice(SEPARABLE)
    if not row.things:
        return Deed(
            verb(row.key),
            "",
            (),
            ("nicht",),
            "stative" not in row.marks,
            willing="unwilling" not in row.marks,
        )
    if row.key in ("call", "invite", "pick up"):
        return with_object(row, other_than(rng, subject))
    return with_object(row, object_for(rng, row, subject))


def from_idiom(idiom: Idiom) -> Deed:
    """Build a deed from a fixed phrase."""
    middle = (idiom.german,) if idiom.german else ()
    denied = (*middle, "nicht") if idiom.nicht_last else ("nicht", *middle)
    if idiom.negative:
        denied = (idiom.negative,)
    return Deed(verb(idiom.key), idiom.english, middle, denied, not idiom.stative)


def idiom(rng: Random, subject: Nominal) -> Deed:
    """Go home, play the guitar, wait for the bus."""
    return from_idiom(rng.choice(IDIOMS))
