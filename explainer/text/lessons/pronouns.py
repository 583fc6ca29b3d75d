"""Lessons on pronouns: *it* is er, sie or es with the noun it stands for, and has cases."""

from random import Random

from explainer.text import english, inflection
from explainer.text.families.pronouns import english_object
from explainer.text.families.speakers import PRONOUNS
from explainer.text.inflection import Case, Tense
from explainer.text.lessons import deeds, draw, places
from explainer.text.lessons.deeds import Deed
from explainer.text.lessons.draw import anyone, phrase
from explainer.text.lessons.qualities import contrast, quality, something
from explainer.text.lessons.saying import (
    PAST,
    Combination,
    Exercise,
    combined,
    made,
    parts,
    say,
    two_readings,
)
from explainer.text.lessons.vocabulary import nouns
from explainer.text.phrases import Clause, Nominal, Phrase, Someone, sentence, words

YOU, ME = PRONOUNS[1], PRONOUNS[0]
THIRD = tuple(one for one in PRONOUNS if one.english_word != "you")


def pronoun(rng: Random) -> Exercise | None:
    """Where is the key? It is on the table. / She helps him. / The lamp is old, but it is beautiful."""
    shapes = (where_is_it, it_is_like, having, using_it, personal, do_you_know, giving_it)
    return rng.choices(shapes, (3, 3, 2, 3, 5, 2, 2))[0](rng)


def two(
    first: tuple[str, str], second: tuple[str, str], combinations: list[Combination], mark: str = "."
) -> Exercise:
    """Package two sentences."""
    source, target = (
        f"{sentence(one, mark)} {sentence(other)}" for one, other in zip(first, second, strict=True)
    )
    return Exercise(source, target, "pronouns", frozenset(combinations))


def where_is_it(rng: Random) -> Exercise:
    """Where is the key? It is on the table. Wo ist der Schlüssel? Er ist auf dem Tisch."""
    thing, preposition, where = places.spot(rng)
    tense: Tense = rng.choice(("present", "present", "past"))
    be, form = english.be(tense, thing.person), inflection.SEIN[tense][thing.person]
    source, target = places.at(preposition, where)
    return two(
        (words("where", be, thing.english()), words("wo", form, thing.german("nominative"))),
        (words(thing.english_pronoun, be, source), words(thing.german_pronoun("nominative"), form, target)),
        combined("be", thing, where), "?",
    )  # fmt: skip


def it_is_like(rng: Random) -> Exercise | None:
    """The lamp is old, but it is beautiful. / The coat was new and it was blue."""
    thing = something(rng, (0, 0, 1))
    one, other = quality(rng, thing), quality(rng, thing)
    if one is None or other is None or draw.RANK[one.english] == draw.RANK[other.english]:
        return None
    tense: Tense = rng.choice(("present", "present", "past"))
    be, form = english.be(tense, thing.person), inflection.SEIN[tense][thing.person]
    link, german = (", but", ", aber") if contrast(one, other) else (" and", " und")
    source = words(thing.english(), be, one.english + link, thing.english_pronoun, be, other.english)
    it = thing.german_pronoun("nominative")
    target = words(thing.german("nominative"), form, one.german + german, it, form, other.german)
    said = [(a.english, thing.noun.english, "be") for a in (one, other)]
    return made("pronouns", source, target, [*combined("be", thing), *said])


def having(rng: Random) -> Exercise | None:
    """I have a dog. It is brown. Ich habe einen Hund. Er ist braun."""
    owner = draw.named(rng) if rng.random() < 0.4 else rng.choice(PRONOUNS)
    noun = rng.choice(nouns("PETS VEHICLES GOODS WEAR house garden"))
    thing = Phrase(noun, "a", draw.describe(rng, noun, rng.choice((0, 0, 1))))
    said = quality(rng, thing)
    if said is None:
        return None
    has = deeds.verb("have")
    source = words(owner.english(), english.finite(has, "present", owner.person), thing.english())
    finite = inflection.finite(has, "present", owner.person)
    target = words(owner.german("nominative"), finite, thing.german("accusative"))
    return two(
        (source, target),
        (f"it is {said.english}", words(thing.german_pronoun("nominative"), "ist", said.german)),
        [*combined(has, owner, thing), (said.english, noun.english, "be")],
    )


def it_deed(deed: Deed, thing: Phrase | Someone, case: Case, object_word: str) -> Deed:
    """Return the deed with a pronoun for its object."""
    it = thing.german_pronoun(case)
    return Deed(deed.verb, object_word, (it,), (it, "nicht"), deed.progressive)


def using_it(rng: Random) -> Exercise | None:
    """The book is interesting. Anna is reading it. Das Buch ist interessant. Anna liest es."""
    subject = rng.choice((*THIRD[:1], *draw.NAMES, *THIRD)) if rng.random() < 0.8 else draw.person(rng)
    deed = rng.choice((deeds.handling, deeds.handling, deeds.separable))(rng, subject)
    thing = deed.object
    if (
        thing is None
        or thing.noun.pronoun != "it"
        or thing.noun.english in draw.KIN
        or subject.english_pronoun == "it"
    ):
        return None
    same = subject.english_pronoun == "they" and thing.plural
    thing = Phrase(thing.noun, "the", thing.adjectives[:1], thing.plural)
    said = quality(rng, thing)
    form = rng.choice(("present progressive", "present progressive", "past", "future"))
    then = say(subject, it_deed(deed, thing, "accusative", english_object(thing)), form)
    if same or said is None or two_readings(then):
        return None
    first = words(thing.english(), english.be("present", thing.person), said.english)
    german = words(thing.german("nominative"), inflection.SEIN["present"][thing.person], said.german)
    combinations = [
        *combined("be", thing),
        (said.english, thing.noun.english, "be"),
        *combined(deed.verb, thing),
    ]
    return two((first, german), (then.english(), then.german().main()), [*combinations, *parts(then)])


def personal(rng: Random) -> Exercise | None:
    """She helps him. / Tom gave us the key. / Did you see them yesterday?"""
    subject = anyone(rng)
    other = rng.choice(PRONOUNS)
    clash = {other.english_word, subject.english_pronoun}
    if len(clash) == 1 or clash in ({"I", "we"},) or subject.english_pronoun == "it":
        return None
    me = other.english(as_object=True)
    shape = rng.random()
    if shape < 0.25:
        return giving_me(rng, subject, other)
    deed = rng.choice((deeds.helping, deeds.meeting))(rng, subject)
    changed = Deed(
        deed.verb, me, (other.german(deed.case),), (other.german(deed.case), "nicht"), deed.progressive
    )
    form = rng.choice(("present progressive", "present", "past", "past", "future"))
    asked = shape > 0.8 and subject.person not in ("1s", "1p")
    if asked and isinstance(subject, Phrase):  # "hilft uns der Mann" would turn subject and pronoun round
        return None
    negated = rng.random() < 0.25 and not asked
    said = say(subject, changed, form, negated=negated)
    if asked:
        return made("pronouns", said.english_question(), said.german().question(), parts(said), "?")
    if said.form == "past" and not negated and not isinstance(subject, Phrase) and rng.random() < 0.4:
        time = rng.choice(PAST)
        return made("pronouns", words(time[0], said.english()), said.german().main(time[1]), parts(said))
    return made("pronouns", said.english(), said.german().main(), parts(said))


def giving_me(rng: Random, subject: Nominal, other: Someone) -> Exercise:
    """Tom gave us the key: the pronoun stands first."""
    row = rng.choice([each for each in deeds.GIVING if each.key != "explain"])
    given = draw.DEFINITES if "known" in row.marks else draw.ANY
    thing = phrase(rng, rng.choice(row.things), given, plural=0.1)
    target = (other.german("dative"), thing.german("accusative"))
    deed = Deed(
        deeds.verb(row.key),
        words(other.english(as_object=True), thing.english()),
        target,
        (),
        True,
        phrases=(thing,),
    )
    said = say(subject, deed, rng.choice(("present progressive", "present", "past", "future")))
    return made("pronouns", said.english(), said.german().main(), parts(said))


def do_you_know(rng: Random) -> Exercise | None:
    """Do you know the woman? Yes, I know her. / Did you help the boys? No, I didn't help them."""
    deed = rng.choice((deeds.helping, deeds.meeting))(rng, YOU)
    other = deed.object
    if other is None or other.noun.gender == "n" or other.determiner in ("my", "your"):
        return None
    form = rng.choice(("present", "past")) if deed.verb.english in ("know", "see") else "past"
    yes = rng.random() < 0.6
    asked = say(YOU, deed, form)
    it = it_deed(deed, other, deed.case, english_object(other))
    answer = say(ME, it, form, negated=not yes)
    source, target = ("yes, ", "ja, ") if yes else ("no, ", "nein, ")
    return two(
        (asked.english_question(), asked.german().question()),
        (source + answer.english(), target + answer.german().main()), parts(asked), "?",
    )  # fmt: skip


def giving_it(rng: Random) -> Exercise | None:
    """The apple is sweet. I am giving it to my brother. Der Apfel ist süß. Ich gebe ihn meinem Bruder."""
    row = rng.choice(deeds.GIVING)
    noun = rng.choice(row.things)
    thing = phrase(rng, noun, ("the",), plural=0.1, looks=(0, 0, 1))
    said = quality(rng, thing)
    subject = rng.choice(THIRD) if rng.random() < 0.5 else rng.choice(draw.NAMES)
    if said is None or (thing.plural and subject.english_pronoun == "they"):
        return None
    other = draw.other_than(rng, subject)
    source = words(english_object(thing), "to", other.english())
    middle = (thing.german_pronoun("accusative"), other.german("dative"))
    deed = Deed(deeds.verb(row.key), source, middle, (), True, phrases=(other,))
    then = say(subject, deed, rng.choice(("present progressive", "past", "future")))
    first = words(thing.english(), english.be("present", thing.person), said.english)
    clause = Clause(thing.german("nominative"), inflection.SEIN["present"][thing.person], (said.german,))
    combinations = [*combined("be", thing), (said.english, noun.english, "be"), *parts(then)]
    return two((first, clause.main()), (then.english(), then.german().main()), combinations)
