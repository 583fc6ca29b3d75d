"""Families "clause" and "two": two statements that belong together, in one sentence or in two."""

from random import Random

from explainer.text import english, inflection
from explainer.text.families.causes import CAUSES, ROOMS, ROUTINES, Cause, effect
from explainer.text.families.daily import UNUSUAL
from explainer.text.families.predicates import Predicate, anything, doing
from explainer.text.families.speakers import NAMES, PRONOUNS, a_person, anyone
from explainer.text.families.statements import Statement, past_tense, state_it
from explainer.text.inflection import Tense
from explainer.text.nouns import people
from explainer.text.phrases import Clause, Nominal, Pair, Phrase, Someone, sentence, words

OPENERS = {
    "I know that": "Ich weiß, dass", "I think that": "Ich glaube, dass", "I believe that": "Ich glaube, dass",
    "we hope that": "Wir hoffen, dass", "she says that": "Sie sagt, dass", "he said that": "Er sagte, dass",
    "they believe that": "Sie glauben, dass", "we know that": "Wir wissen, dass",
    "it is good that": "Es ist gut, dass",
    "it is true that": "Es stimmt, dass", "I heard that": "Ich habe gehört, dass",
    "Tom says that": "Tom sagt, dass",
    "Anna knows that": "Anna weiß, dass", "my brother thinks that": "Mein Bruder glaubt, dass",
    "I am happy that": "Ich bin froh, dass", "the teacher says that": "Der Lehrer sagt, dass",
    "everybody knows that": "Jeder weiß, dass", "it is strange that": "Es ist seltsam, dass",
    "do you know that": "Weißt du, dass", "I don't believe that": "Ich glaube nicht, dass",
    "she hopes that": "Sie hofft, dass", "my mother says that": "Meine Mutter sagt, dass",
    "it is important that": "Es ist wichtig, dass",
}  # fmt: skip
ASKING = {
    "I don't know": "Ich weiß nicht", "do you know": "Weißt du", "she knows": "Sie weiß",
    "he asks": "Er fragt",
    "nobody knows": "Niemand weiß", "we don't know": "Wir wissen nicht", "tell me": "Sag mir",
    "Anna doesn't know": "Anna weiß nicht", "I want to know": "Ich will wissen",
}  # fmt: skip
INDIRECT = {
    "if": "ob",
    "whether": "ob",
    "when": "wann",
    "why": "warum",
    "where": "wo",
    "how often": "wie oft",
}


def pronoun_of(subject: Nominal) -> Someone:
    """Return the pronoun that takes up a subject."""
    word = subject.english_pronoun
    for one in PRONOUNS:
        if one.english_word == word:
            return one
    raise ValueError(f"subject: {word!r} has no pronoun")


def cause_of(cause: Cause, subject: Nominal, tense: Tense, *, negated: bool = False) -> tuple[str, Clause]:
    """Return the clause of a cause in both languages, with this subject if it is a person's state."""
    past = tense == "past"
    if cause.world:
        finite, rest = cause.world[past]
        return cause.english[past], Clause(cause.german, finite, (rest,))
    source = words(subject.english(), english.be(tense, subject.person, negated), cause.english[0])
    form = inflection.SEIN[tense][subject.person]
    return source, Clause(subject.german("nominative"), form, ("nicht" if negated else "", cause.german))


def result(
    rng: Random, subject: Nominal, predicate: Predicate, tense: Tense, negated: bool
) -> tuple[str, Clause]:
    """Return the clause of an effect in both languages."""
    form = "past" if tense == "past" else "present progressive"
    said = state_it(rng, subject, predicate, form, negated=negated)
    return said.english(), said.german()


def choose_cause(rng: Random, subject: Nominal, *, surprising: bool) -> tuple[Cause, Predicate, bool]:
    """Draw a cause, an effect and whether the effect is denied."""
    cause = rng.choice(CAUSES)
    denied = rng.random() < 0.45
    prevented = denied != surprising
    return cause, effect(rng, subject, rng.choice(cause.prevents if prevented else cause.leads)), denied


def causal(rng: Random) -> Pair:
    """Tom is staying at home because he is sick. / Although it is raining, we are playing football."""
    subject = anyone(rng)
    link = rng.choice(("because", "because", "because", "although", "if", "when", "so"))
    cause, predicate, denied = choose_cause(rng, subject, surprising=link == "although")
    tense: Tense = rng.choice(("present", "past"))
    if link in ("if", "when"):
        return conditional(rng, subject, cause, predicate, denied, link)
    if link == "so":
        source, clause = cause_of(cause, subject, tense)
        effect_en, effect_de = result(
            rng, pronoun_of(subject) if not cause.world else subject, predicate, tense, denied
        )
        return Pair(
            sentence(f"{source}, so {effect_en}"),
            sentence(f"{clause.main()}, deshalb {inverted(effect_de)}"),
            "clause",
        )
    german = {"because": "weil", "although": "obwohl"}[link]
    if rng.random() < 0.3:
        source, clause = cause_of(cause, subject, tense)
        effect_en, effect_de = result(
            rng, pronoun_of(subject) if not cause.world else subject, predicate, tense, denied
        )
        return Pair(
            sentence(f"{link} {source}, {effect_en}"),
            sentence(effect_de.main(f"{german} {clause.subordinate()},")), "clause",
        )  # fmt: skip
    effect_en, effect_de = result(rng, subject, predicate, tense, denied)
    source, clause = cause_of(cause, pronoun_of(subject), tense)
    return Pair(
        sentence(f"{effect_en} {link} {source}"),
        sentence(f"{effect_de.main()}, {german} {clause.subordinate()}"),
        "clause",
    )


def inverted(clause: Clause) -> str:
    """Return the clause with the verb first, as it follows deshalb."""
    return clause.question()


def conditional(
    rng: Random, subject: Nominal, cause: Cause, predicate: Predicate, denied: bool, link: str
) -> Pair:
    """If it rains, we stay at home. / She stays in bed when she is sick."""
    first = rng.random() < 0.5
    near, far = (subject, pronoun_of(subject)) if first else (pronoun_of(subject), subject)
    source, clause = cause_of(cause, near, "present")
    source = source.replace("it is raining", "it rains").replace("it is snowing", "it snows")
    said = state_it(rng, far if not cause.world else subject, predicate, "present", negated=denied)
    if first:
        target = said.german().main(f"wenn {clause.subordinate()},")
        return Pair(sentence(f"{link} {source}, {said.english()}"), sentence(target), "clause")
    target = f"{said.german().main()}, wenn {clause.subordinate()}"
    return Pair(sentence(f"{said.english()} {link} {source}"), sentence(target), "clause")


def that_clause(rng: Random) -> Pair:
    """I know that Tom sold his car."""
    opener, german = rng.choice(list(OPENERS.items()))
    subject = anyone(rng)
    form = rng.choice(("present progressive", "past", "present", "perfect", "future"))
    said = state_it(rng, subject, anything(rng, subject), form, negated=rng.random() < 0.2, timed=0.15)
    mark = "?" if opener.startswith("do you") else "."
    return Pair(
        sentence(f"{opener} {said.english()}", mark),
        sentence(f"{german} {said.german().subordinate()}", mark),
        "clause",
    )


def indirect_question(rng: Random) -> Pair:
    """I don't know where Tom bought the car."""
    opener, german = rng.choice(list(ASKING.items()))
    word = rng.choice(list(INDIRECT))
    subject = rng.choice((rng.choice(NAMES), a_person(rng), rng.choice(PRONOUNS[2:])))
    predicate = doing(rng, subject) if word == "where" else anything(rng, subject)
    form = "present" if word == "how often" else rng.choice(("past", "past", "present progressive"))
    said = state_it(rng, subject, predicate, form)
    if word == "how often" and (not predicate.progressive or predicate.verb.english in {*UNUSUAL, "buy"}):
        return indirect_question(rng)
    mark = "?" if opener.startswith("do you") else "."
    return Pair(
        sentence(f"{opener} {word} {said.english()}", mark),
        sentence(f"{german}, {INDIRECT[word]} {said.german().subordinate()}", mark), "clause",
    )  # fmt: skip


def while_clause(rng: Random) -> Pair:
    """While Anna was cooking soup, Tom was reading a book."""
    one, other = (rng.choice((rng.choice(NAMES), a_person(rng))) for _ in range(2))
    if one.head == other.head:
        return while_clause(rng)
    tense = rng.choice(("present", "past"))
    first = state_it(rng, one, anything(rng, one), f"{tense} progressive")
    second = state_it(rng, other, anything(rng, other), f"{tense} progressive")
    if "progressive" not in first.form or "progressive" not in second.form:
        return while_clause(rng)
    target = second.german().main(f"während {first.german().subordinate()},")
    return Pair(sentence(f"while {first.english()}, {second.english()}"), sentence(target), "clause")


def relative(rng: Random) -> Pair:
    """I know the woman who sold the house."""
    opener, german = rng.choice((
        ("I know", "ich kenne"), ("that is", "das ist"), ("we see", "wir sehen"),
        ("Anna is looking for", "Anna sucht"),
        ("do you know", "kennst du"), ("I am visiting", "ich besuche"), ("here comes", "hier kommt"),
    ))  # fmt: skip
    person = Phrase(rng.choice([noun for noun in people() if not noun.has("k")]))
    he = Someone("he", "3s", "m")
    said = state_it(rng, he, anything(rng, he), rng.choice(("past", "present progressive", "present")))
    if " his " in f" {said.predicate.english} ":
        return relative(rng)
    auxiliary, main = said.group()
    case = "nominative" if german in ("das ist", "hier kommt") else "accusative"
    clause = said.german()
    pronoun = inflection.DEFINITE["nominative"][person.noun.gender]
    inner = Clause(pronoun, clause.finite, clause.middle, clause.end, clause.prefix).subordinate()
    mark = "?" if opener.startswith("do you") else "."
    return Pair(
        sentence(words(opener, person.english(), "who", auxiliary, main, said.predicate.english), mark),
        sentence(f"{german} {person.german(case)}, {inner}", mark), "clause",
    )  # fmt: skip


def clause(rng: Random) -> Pair:
    """Draw a sentence with a subordinate clause."""
    shapes = (causal, that_clause, indirect_question, while_clause, relative)
    return rng.choices(shapes, (12, 6, 3, 2, 3))[0](rng)


def cause_then_effect(rng: Random) -> tuple[str, str]:
    """I am tired. I am going home."""
    subject = anyone(rng)
    cause, predicate, denied = choose_cause(rng, subject, surprising=False)
    tense: Tense = rng.choice(("present", "present", "past"))
    source, clause = cause_of(cause, subject, tense)
    if rng.random() < 0.4:
        effect_en, effect_de = result(rng, subject, predicate, tense, denied)
        source, clause = cause_of(cause, pronoun_of(subject), tense)
        return f"{effect_en}. {sentence(source, '')}", f"{effect_de.main()}. {sentence(clause.main(), '')}"
    effect_en, effect_de = result(
        rng, pronoun_of(subject) if not cause.world else subject, predicate, tense, denied
    )
    return f"{source}. {sentence(effect_en, '')}", f"{clause.main()}. {sentence(effect_de.main(), '')}"


def place_then_deed(rng: Random) -> tuple[str, str]:
    """Anna is in the kitchen. She is cooking soup."""
    subject = anyone(rng)
    where, german_where, deeds = rng.choice(ROOMS)
    tense: Tense = rng.choice(("present", "present", "past"))
    predicate = effect(rng, subject, rng.choice(deeds))
    form = f"{tense} progressive"
    said = state_it(rng, pronoun_of(subject), predicate, form)
    source = words(subject.english(), english.be(tense, subject.person), where)
    clause = Clause(subject.german("nominative"), inflection.SEIN[tense][subject.person], (german_where,))
    return (
        f"{source}. {sentence(said.english(), '')}",
        f"{clause.main()}. {sentence(said.german().main(), '')}",
    )


def one_after_the_other(rng: Random) -> tuple[str, str]:
    """Tom gets up. Then he drinks coffee."""
    subject = anyone(rng)
    steps = rng.choice(ROUTINES)
    i, j = sorted(rng.sample(range(len(steps)), 2))
    form = rng.choice(("present", "past"))
    first = state_it(rng, subject, effect(rng, subject, steps[i]), form)
    second = state_it(rng, pronoun_of(subject), effect(rng, subject, steps[j]), form)
    tense = "present" if form == "present" else past_tense(rng, subject, first.predicate.verb)
    first, second = (
        Statement(s.subject, s.predicate, s.form, False, ("", ""), tense) for s in (first, second)
    )
    then = rng.random() < 0.7
    source = f"{first.english()}. {'Then ' + second.english() if then else sentence(second.english(), '')}"
    target = second.german().main("dann") if then else second.german().main()
    return source, f"{first.german().main()}. {sentence(target, '')}"


def two(rng: Random) -> Pair:
    """Draw two sentences that belong together."""
    shapes = (cause_then_effect, place_then_deed, one_after_the_other)
    source, target = rng.choices(shapes, (5, 3, 3))[0](rng)
    return Pair(sentence(source), sentence(target), "two")
