"""Lessons on sentences of two clauses: weil, wenn, dass, ob, the relative pronoun, and und, aber, oder, deshalb."""

from random import Random

from explainer.text import english, inflection
from explainer.text.families.causes import Cause
from explainer.text.families.linked import cause_of
from explainer.text.families.statements import Statement
from explainer.text.inflection import Case
from explainer.text.lessons import deeds, draw, places
from explainer.text.lessons.causes import choose_cause
from explainer.text.lessons.draw import anyone, known, named, phrase, takes_up
from explainer.text.lessons.qualities import contrast, quality, something
from explainer.text.lessons.saying import Exercise, a_form, combined, made, parts, say, two_readings
from explainer.text.lessons.statements import any_deed
from explainer.text.phrases import Clause, Nominal, Phrase, Someone, words

OPENERS = {
    "I know that": "ich weiß, dass", "I think that": "ich glaube, dass", "we hope that": "wir hoffen, dass",
    "she says that": "sie sagt, dass", "they believe that": "sie glauben, dass", "it is good that": "es ist gut, dass",
    "he knows that": "er weiß, dass", "it is true that": "es stimmt, dass", "Tom says that": "Tom sagt, dass",
    "my mother says that": "meine Mutter sagt, dass", "do you know that": "weißt du, dass",
}  # fmt: skip
ASKING = {
    "I don't know": "ich weiß nicht", "do you know": "weißt du", "she knows": "sie weiß", "he asks": "er fragt",
    "we don't know": "wir wissen nicht", "Anna asks": "Anna fragt",
}  # fmt: skip
INDIRECT = {"whether": "ob", "when": "wann", "why": "warum", "where": "wo"}
LINKS = {"because": "weil", "although": "obwohl", "if": "wenn"}


def follower(cause: Cause, subject: Nominal) -> Nominal | None:
    """Return who is spoken of in the second clause: a pronoun, or the subject itself after the weather."""
    return subject if cause.world else takes_up(subject)


def reason(rng: Random) -> Exercise | None:
    """Tom is staying at home because he is sick. / If it rains, we don't play football."""
    subject = known(rng)
    link = rng.choice(("because", "because", "although", "if", "if"))
    cause, deed, denied = choose_cause(rng, subject, surprising=link == "although")
    other = takes_up(subject)
    if other is None:
        return None
    form = rng.choice(("present progressive", "present progressive", "past")) if link != "if" else "present"
    first = rng.random() < 0.4
    named_first, then = (subject, other if not cause.world else subject)
    doer, feeler = (then, named_first) if first else (named_first, then)
    said = say(doer, deed, form, negated=denied)
    source, clause = cause_of(cause, feeler, "past" if form == "past" else "present")
    if two_readings(said):
        return None
    if link == "if":
        source = source.replace("it is raining", "it rains")
    combinations = combined(deed.verb, subject, *deed.phrases)
    if not cause.world:
        combinations += combined("be", subject)
    if first:
        target = said.german().main(f"{LINKS[link]} {clause.subordinate()},")
        return made("reasons", f"{link} {source}, {said.english()}", target, combinations)
    target = f"{said.german().main()}, {LINKS[link]} {clause.subordinate()}"
    return made("reasons", f"{said.english()} {link} {source}", target, combinations)


def because_of_it(rng: Random) -> Exercise | None:
    """Anna is buying the lamp because it is cheap: the pronoun agrees, the verb stands last."""
    subject = rng.choice((*draw.NAMES, *draw.PRONOUNS[:1], *draw.PRONOUNS[2:5]))
    row = rng.choice([each for each in deeds.OBJECTS if each.key in PLEASANT])
    noun = rng.choice(row.things)
    good, bad = PLEASANT[row.key]
    negated = rng.random() < 0.5
    looks = [a for a in draw.LOOKS[noun.english] if a.english in (bad if negated else good).split()]
    if not looks or not noun.german_plural:
        return None
    said = rng.choice(looks)
    thing = phrase(rng, noun, ("the",), plural=0.15, looks=(0, 0, 1))
    if any(draw.RANK[a.english] == draw.RANK[said.english] for a in thing.adjectives):
        return None
    deed = deeds.with_object(row, thing)
    form = rng.choice(("present progressive", "past"))
    tense = "past" if form == "past" else "present"
    main = say(subject, deed, form, negated=negated)
    if two_readings(main):
        return None
    degree, german = (
        rng.choice((("", ""), ("too", "zu"), ("very", "sehr"))) if negated and said.graded else ("", "")
    )
    source = words(thing.english_pronoun, english.be(tense, thing.person), degree, said.english)
    it = Clause(
        thing.german_pronoun("nominative"),
        inflection.SEIN[tense][thing.person],
        (words(german, said.german),),
    )
    combinations = [*parts(main), (said.english, noun.english, "be")]
    target = f"{main.german().main()}, weil {it.subordinate()}"
    return made("reasons", f"{main.english()} because {source}", target, combinations)


PLEASANT = {  # what speaks for the deed, and what against it
    "buy": (
        "beautiful cheap practical modern interesting comfortable warm new fresh",
        "expensive ugly old heavy broken",
    ),
    "read": ("interesting funny exciting short", "boring difficult long"),
    "wear": ("beautiful warm new clean", "ugly dirty old heavy"),
    "eat": ("fresh sweet hot", "old cold dry sour"),
    "visit": ("beautiful famous quiet", "dark"),
    "repair": ("broken", "new"),
    "wash": ("dirty", "clean new"),
    "sell": ("old slow ugly broken", "new beautiful fast"),
}


def reasons(rng: Random) -> Exercise | None:
    """Draw a sentence with weil, obwohl or wenn."""
    return (because_of_it if rng.random() < 0.35 else reason)(rng)


def is_so(rng: Random) -> tuple[str, Clause, list[tuple[str, str, str]]] | None:
    """Draw a statement, or that something is like this, with its combinations."""
    if rng.random() < 0.25:
        thing = something(rng)
        look = quality(rng, thing)
        if look is None:
            return None
        source = words(thing.english(), english.be("present", thing.person), look.english)
        clause = Clause(thing.german("nominative"), inflection.SEIN["present"][thing.person], (look.german,))
        return source, clause, [*combined("be", thing), (look.english, thing.noun.english, "be")]
    said = statement(rng)
    return None if said is None else (said.english(), said.german(), parts(said))


def statement(rng: Random) -> Statement | None:
    """Draw a statement with one reading."""
    subject = anyone(rng)
    deed = any_deed(rng, subject)
    form = rng.choice(("present progressive", "present", "past", "past", "future"))
    said = say(subject, deed, form, negated=deed.plain and rng.random() < 0.2)
    return None if two_readings(said) else said


def contents(rng: Random) -> Exercise | None:
    """I know that Tom sold his car. / She doesn't know whether the shop is open. / He asks why you are crying."""
    if rng.random() < 0.55:
        opener, german = rng.choice(list(OPENERS.items()))
        drawn = is_so(rng)
        if drawn is None or drawn[0].partition(" ")[0].lower() in opener.lower().split():
            return None  # not "we hope that we …"
        source, clause, combinations = drawn
        mark = "?" if opener.startswith("do you") else "."
        return made(
            "that and whether", f"{opener} {source}", f"{german} {clause.subordinate()}", combinations, mark
        )
    opener, german = rng.choice(list(ASKING.items()))
    word = rng.choice(("whether", *INDIRECT))
    said = statement(rng)
    if said is None or said.negated or said.subject.person in ("1s", "1p"):
        return None
    if opener.partition(" ")[0] == said.subject.english():
        return None
    if (word == "where" and said.predicate.object is None) or not said.predicate.progressive:
        return None
    if word == "when" and said.form.startswith("present"):
        return None
    mark = "?" if opener.startswith("do you") else "."
    target = f"{german}, {INDIRECT[word]} {said.german().subordinate()}"
    return made("that and whether", f"{opener} {word} {said.english()}", target, parts(said), mark)


def relative(rng: Random) -> Exercise | None:
    """The man who is helping her is old. / The book that Anna is reading is new. / I know the boy Tom is helping."""
    return rng.choice((subject_relative, object_relative))(rng)


def subject_relative(rng: Random) -> Exercise | None:
    """The man who is waiting in front of the church is tired."""
    move = rng.random() < 0.5
    head, deed = places.moving(rng) if move else (draw.person(rng), None)
    if not isinstance(head, Phrase):
        return None
    head = Phrase(head.noun, "the", head.adjectives[:1], head.plural)
    he = Someone("he", "3s", head.noun.gender) if not head.plural else Someone("they", "3p", "3p")
    deed = deed if isinstance(deed, deeds.Deed) else any_deed(rng, head)
    said = say(he, deed, rng.choice(("present progressive", "present progressive", "past")))
    if {"his", "their"} & set(deed.english.split()) or two_readings(said) or len(deed.phrases) > 1:
        return None
    auxiliary, main = said.group()
    clause = said.german()
    pronoun = inflection.DEFINITE["nominative"]["p" if head.plural else head.noun.gender]
    inner = Clause(pronoun, clause.finite, clause.middle, clause.end, clause.prefix).subordinate()
    link = "that" if head.noun.pronoun == "it" and head.noun.german != "Kind" else "who"
    return with_relative(
        rng, head, words(link, auxiliary, main, deed.english), inner, combined(deed.verb, head, *deed.phrases)
    )


def object_relative(rng: Random) -> Exercise | None:
    """The book that Anna is reading is new. / The boy that we are helping is sick."""
    subject = anyone(rng)
    deed = rng.choice((deeds.handling, deeds.handling, deeds.separable, deeds.helping, deeds.meeting))(
        rng, subject
    )
    thing = deed.object
    if thing is None or thing.noun.english in draw.KIN or (thing.plural and deed.case == "dative"):
        return None
    head = Phrase(thing.noun, "the", thing.adjectives[:1], thing.plural)
    said = say(subject, deed, a_form(rng, subject, deed))
    pronoun = inflection.DEFINITE[deed.case]["p" if head.plural else head.noun.gender]
    inner = words(pronoun, said.german(middle=()).subordinate())
    auxiliary, main = said.group()
    source = words("that", subject.english(), auxiliary, main)
    return with_relative(rng, head, source, inner, combined(deed.verb, head, subject))


def with_relative(
    rng: Random, head: Phrase, source: str, inner: str, combinations: list[tuple[str, str, str]]
) -> Exercise | None:
    """Put a relative clause into "… is old", "I see …" or "do you know …?"."""
    if rng.random() < 0.6:
        said = quality(rng, head)
        if said is None:
            return None
        english_rest = words(english.be("present", head.person), said.english)
        german_rest = words(inflection.SEIN["present"][head.person], said.german)
        combinations = [*combinations, *combined("be", head), (said.english, head.noun.english, "be")]
        return made(
            "relative clauses", words(head.english(), source, english_rest),
            f"{head.german('nominative')}, {inner}, {german_rest}", combinations,
        )  # fmt: skip
    opener, german, case, mark = rng.choice(HEADS_PLURAL if head.plural else HEADS)
    return made(
        "relative clauses", words(opener, head.english(), source),
        f"{german} {head.german(case)}, {inner}", combinations, mark,
    )  # fmt: skip


HEADS: tuple[tuple[str, str, Case, str], ...] = (
    ("I see", "ich sehe", "accusative", "."), ("this is", "das ist", "nominative", "."),
    ("do you see", "siehst du", "accusative", "?"), ("we are looking for", "wir suchen", "accusative", "."),
    ("where is", "wo ist", "nominative", "?"),
)  # fmt: skip
HEADS_PLURAL: tuple[tuple[str, str, Case, str], ...] = (
    *(each for each in HEADS if each[2] == "accusative"),
    ("these are", "das sind", "nominative", "."), ("where are", "wo sind", "nominative", "?"),
)  # fmt: skip


def joined(rng: Random) -> Exercise | None:
    """Tom is reading and Anna is cooking. / She is tired, but she is working. / It is cold, so we are staying here."""
    shapes = (two_statements, so, two_objects, tea_or_coffee, two_qualities)
    return rng.choices(shapes, (4, 3, 3, 2, 2))[0](rng)


def two_statements(rng: Random) -> Exercise | None:
    """Tom is reading a book and his sister is cooking soup. / Tom is drinking tea, but Anna is drinking coffee."""
    one, other = named(rng), named(rng)
    if one.english() == other.english() or one.english_pronoun == other.english_pronoun == "it":
        return None
    form = rng.choice(("present progressive", "present progressive", "past"))
    but = rng.random() < 0.4
    if but:
        row = rng.choice(CHOICES)
        things = pair_of_things(rng, row)
        first_deed, second_deed = (deeds.with_object(row, thing) for thing in things)
    else:
        first_deed, second_deed = any_deed(rng, one), any_deed(rng, other)
    if not (first_deed.progressive and second_deed.progressive):
        return None
    first, second = say(one, first_deed, form), say(other, second_deed, form)
    if two_readings(first) or two_readings(second):
        return None
    link, german = (", but", ", aber") if but else (" and", " und")
    return made(
        "joined", f"{first.english()}{link} {second.english()}",
        f"{first.german().main()}{german} {second.german().main()}", parts(first) + parts(second),
    )  # fmt: skip


def so(rng: Random) -> Exercise | None:
    """Anna is hungry, so she is cooking soup. / He is tired, but he is not going to bed."""
    subject = known(rng)
    surprising = rng.random() < 0.4
    cause, deed, denied = choose_cause(rng, subject, surprising=surprising)
    other = follower(cause, subject)
    if other is None:
        return None
    past = rng.random() < 0.3
    said = say(other, deed, "past" if past else "present progressive", negated=denied)
    if two_readings(said):
        return None
    source, clause = cause_of(cause, subject, "past" if past else "present")
    combinations = parts(said) + ([] if cause.world else combined("be", subject))
    if surprising:
        target = f"{clause.main()}, aber {said.german().main()}"
        return made("joined", f"{source}, but {said.english()}", target, combinations)
    target = f"{clause.main()}, {said.german().main('deshalb')}"
    return made("joined", f"{source}, so {said.english()}", target, combinations)


CHOICES = tuple(
    row
    for row in deeds.OBJECTS
    if row.key in ("eat", "drink", "read", "write", "buy", "draw", "repair", "wash", "clean", "explain", "translate",
                   "bake", "feed", "visit", "carry", "hear", "sell", "look for", "build", "cook")
)  # fmt: skip


def pair_of_things(rng: Random, row: deeds.Row) -> tuple[Phrase, Phrase]:
    """Draw two different objects of one row."""
    one, other = rng.sample(row.things, 2)
    given = draw.DEFINITES if "known" in row.marks else ("a",)
    return (
        phrase(rng, one, given, plural=0.1, looks=(0, 0, 1)), phrase(rng, other, given, plural=0.1, looks=(0, 0, 1))
    )  # fmt: skip


def two_objects(rng: Random) -> Exercise:
    """Tom is buying a red apple and a green pear."""
    subject = anyone(rng)
    row = rng.choice(CHOICES)
    things = pair_of_things(rng, row)
    source = f"{things[0].english()} and {things[1].english()}"
    target = f"{things[0].german('accusative')} und {things[1].german('accusative')}"
    deed = deeds.Deed(deeds.verb(row.key), source, (target,), (), "stative" not in row.marks, phrases=things)
    said = say(subject, deed, a_form(rng, subject, deed))
    return made("joined", said.english(), said.german().main(), parts(said))


def tea_or_coffee(rng: Random) -> Exercise | None:
    """Are you drinking tea or coffee?"""
    subject = anyone(rng)
    row = rng.choice(CHOICES)
    things = pair_of_things(rng, row)
    if subject.person in ("1s", "1p"):
        return None
    source = f"{things[0].english()} or {things[1].english()}"
    target = f"{things[0].german('accusative')} oder {things[1].german('accusative')}"
    deed = deeds.Deed(deeds.verb(row.key), source, (target,), (), "stative" not in row.marks, phrases=things)
    said = say(subject, deed, rng.choice(("present progressive", "present", "past")))
    return made("joined", said.english_question(), said.german().question(), parts(said), "?")


def two_qualities(rng: Random) -> Exercise | None:
    """The new lamp is beautiful and cheap. / The house is old, but beautiful."""
    thing = something(rng, (0, 0, 1))
    one, other = quality(rng, thing), quality(rng, thing)
    if one is None or other is None or draw.RANK[one.english] == draw.RANK[other.english]:
        return None
    be, form = english.be("present", thing.person), inflection.SEIN["present"][thing.person]
    link, german = (", but", ", aber") if contrast(one, other) else (" and", " und")
    source = words(thing.english(), be, f"{one.english}{link} {other.english}")
    target = words(thing.german("nominative"), form, f"{one.german}{german} {other.german}")
    said = [(a.english, thing.noun.english, "be") for a in (one, other)]
    return made("joined", source, target, [*combined("be", thing), *said])
