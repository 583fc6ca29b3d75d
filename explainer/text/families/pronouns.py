"""Family "pronoun": a pronoun takes up a noun, and its gender and case follow from it."""

from dataclasses import replace
from random import Random

from explainer.text import english, inflection
from explainer.text.families.being import be_clause, quality, spot, thing
from explainer.text.families.belongings import DEEDS
from explainer.text.families.daily import GIVING
from explainer.text.families.predicates import Predicate, meeting, somebody_else
from explainer.text.families.speakers import PRONOUNS, anyone
from explainer.text.families.statements import NARRATED, state_it
from explainer.text.inflection import Tense
from explainer.text.phrases import Nominal, Pair, Phrase, Someone, sentence, words
from explainer.text.words import verb

OTHERS = [one for one in PRONOUNS if one.english_word != "you"]


def english_object(phrase: Phrase) -> str:
    """Return the English object pronoun for a phrase."""
    return english.PRONOUNS[phrase.english_pronoun]


def where_is_it(rng: Random) -> tuple[str, str]:
    """Where is the key? It is on the table."""
    subject, where, german = spot(rng)
    tense: Tense = rng.choice(("present", "present", "past"))
    person = subject.person
    source = f"where {english.be(tense, person)} {subject.english()}? "
    source += sentence(words(subject.english_pronoun, english.be(tense, person), where))
    form = inflection.SEIN[tense][person]
    target = f"wo {form} {subject.german('nominative')}? "
    return source, target + sentence(words(subject.german_pronoun("nominative"), form, german))


def this_is(rng: Random) -> tuple[str, str]:
    """This is my lamp. It is new. / I have a dog. It is brown."""
    owner = rng.choice(OTHERS)
    noun = thing(rng).noun
    own = rng.random() < 0.5
    phrase = Phrase(noun, rng.choice(("my", "your", "his", "her", "our", "their")) if own else "a")
    said = quality(rng, phrase)
    if own:
        source, target = f"this is {phrase.english()}", f"das ist {phrase.german('nominative')}"
    else:
        has = verb("have")
        source = words(owner.english(), english.finite(has, "present", owner.person), phrase.english())
        target = words(
            owner.german("nominative"),
            inflection.finite(has, "present", owner.person),
            phrase.german("accusative"),
        )
    source += ". " + sentence(words(phrase.english_pronoun, "is", said.english))
    return source, target + ". " + sentence(words(phrase.german_pronoun("nominative"), "ist", said.german))


def deed_with_it(rng: Random) -> tuple[str, str]:
    """The book is interesting. I am reading it. / The car is too expensive. We aren't buying it."""
    chosen = rng.choice(DEEDS)
    target = rng.choice(chosen.targets)
    negated = rng.random() < 0.5 or not target.invites
    said = rng.choice(target.stops if negated else target.invites)
    phrase = Phrase(target.noun)
    degree = rng.choice(("too", "too", "very", "")) if negated and said.graded else ""
    women = target.noun.english in ("dress", "skirt", "blouse")
    subject = rng.choice(
        [one for one in OTHERS if one.english_word in ("I", "she", *(() if women else ("he", "we")))]
    )
    tense: Tense = rng.choice(("present", "present", "past"))
    first = words(phrase.english(), english.be(tense, "3s"), degree, said.english)
    german_degree = {"too": "zu", "very": "sehr", "": ""}[degree]
    clause = be_clause(phrase, tense, words(german_degree, said.german))
    it = phrase.german_pronoun("accusative")
    predicate = Predicate(chosen.verb, english_object(phrase), (it,), (it, "nicht"), True)
    form = "past" if tense == "past" else "present progressive"
    then = state_it(rng, subject, predicate, form, negated=negated)
    return f"{first}. {sentence(then.english())}", f"{clause.main()}. {sentence(then.german().main())}"


def know_her(rng: Random) -> tuple[str, str]:
    """Do you know the woman? Yes, I know her."""
    you, me = Someone("you", "2s", "2s"), Someone("I", "1s", "1s")
    predicate = meeting(rng, you)
    person = predicate.object
    assert person is not None
    if person.determiner in ("your", "my"):
        return know_her(rng)
    form = rng.choice(("present", "past")) if predicate.verb.english != "know" else "present"
    yes = rng.random() < 0.6
    it = person.german_pronoun(predicate.case)
    reply = Predicate(predicate.verb, english_object(person), (it,), (it, "nicht"), False)
    asked = state_it(rng, you, predicate, form)
    said = state_it(rng, me, reply, form, negated=not yes)
    if form == "past" and predicate.verb.infinitive not in NARRATED:
        said = replace(said, german_tense="perfect")
    answer, german_answer = ("yes", "ja") if yes else ("no", "nein")
    return (
        f"{asked.english_question()}? {sentence(answer, '')}, {said.english()}",
        f"{asked.german().question()}? {sentence(german_answer, '')}, {said.german().main()}",
    )


def give_it(rng: Random) -> tuple[str, str]:
    """The apple is sweet. I am giving it to my brother."""
    key, nouns = rng.choice(GIVING)
    if key == "tell":
        return give_it(rng)
    noun = rng.choice(nouns)
    phrase = Phrase(noun)
    said = quality(rng, phrase)
    subject = rng.choice(OTHERS)
    other = somebody_else(rng, subject)
    first = words(phrase.english(), "is", said.english)
    it, receiver = phrase.german_pronoun("accusative"), other.german("dative")
    link = "for" if key == "buy" else "to"
    predicate = Predicate(verb(key), words(english_object(phrase), link, other.english()), (it, receiver),
                          (it, receiver, "nicht"), True)  # fmt: skip
    then = state_it(rng, subject, predicate, "present progressive")
    clause = be_clause(phrase, "present", said.german)
    return f"{first}. {sentence(then.english())}", f"{clause.main()}. {sentence(then.german().main())}"


def plain_pronoun(rng: Random) -> tuple[str, str]:
    """The farmer helps us. / I visited her yesterday."""
    subject: Nominal = anyone(rng)
    predicate = meeting(rng, subject)
    other = rng.choice(PRONOUNS)
    if other.english_word == subject.english_pronoun or {other.english_word, subject.english_pronoun} in (
        {"I", "we"},
    ):
        return plain_pronoun(rng)
    me = other.german(predicate.case)
    changed = Predicate(
        predicate.verb, other.english(as_object=True), (me,), (me, "nicht"), predicate.progressive
    )
    form = rng.choice(("present", "past", "past", "future"))
    said = state_it(rng, subject, changed, form, negated=rng.random() < 0.25, timed=0.35)
    time = (said.time[1],) if said.time[1] else ()
    middle = (me, *time, "nicht") if said.negated else (me, *time)
    clause = said.german(timed=False, middle=middle)
    return said.english() + ".", clause.main() + "."


def pronoun(rng: Random) -> Pair:
    """Draw a sentence with a pronoun that must agree."""
    shapes = (where_is_it, this_is, deed_with_it, know_her, give_it, plain_pronoun)
    source, target = rng.choices(shapes, (3, 3, 4, 2, 2, 4))[0](rng)
    source, target = source.rstrip("."), target.rstrip(".")
    return Pair(sentence(source), sentence(target), "pronoun")
