"""Family "antecedent": the German pronoun agrees with the noun that the adjective makes plausible.

"The animal didn't cross the street because it was too tired." needs *es* (das Tier), the same
sentence with *wide* needs *sie* (die Straße).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from explainer.text import english, inflection
from explainer.text.families.antecedent_people import people_antecedent
from explainer.text.families.scenes import DEGREES, SCENES, WEIGHTS, Scene, choose_degree
from explainer.text.lexicon import Adjective
from explainer.text.phrases import Clause, Pair, Phrase, english_clause, german_clause, sentence, words
from explainer.text.words import adjectives

FAMILY = "antecedent"
COLOURS = adjectives("brown black white grey")
PAINTS = adjectives("red green blue yellow black")
PASSIVES = {
    "cross",
    "climb",
    "lift",
    "push",
    "pull",
    "carry",
    "open",
    "eat",
    "destroy",
    "break",
    "use",
    "reach",
}
YOUNG = {"foal", "kitten", "puppy", "chick", "lamb", "calf"}
TIMES = {
    "yesterday": "gestern", "this morning": "heute Morgen", "on Monday": "am Montag",
    "on Sunday": "am Sonntag",
    "last night": "letzte Nacht", "in the evening": "am Abend", "last week": "letzte Woche", "today": "heute",
}  # fmt: skip


@dataclass(frozen=True)
class Event:
    """One scene with its words chosen.

    Attributes:
        scene: verb and frame.
        actor: subject.
        target: object.
        reason: the adjective that explains what happened or did not.
        about: the phrase the adjective speaks of: actor or target.
    """

    scene: Scene
    actor: Phrase
    target: Phrase
    reason: Adjective
    about: Phrase

    @property
    def english_rest(self) -> str:
        """The object with its preposition, in English."""
        return words(self.scene.english_preposition, self.target.english(as_object=True))

    def german_middle(self, negated: bool, as_pronoun: bool = False) -> tuple[str, ...]:
        """The object with its preposition; nicht follows a bare object and precedes a preposition."""
        case, preposition = self.scene.case, self.scene.german_preposition
        target = self.target.german_pronoun(case) if as_pronoun else self.target.german(case)
        if preposition:
            return ("nicht" if negated else "", inflection.contract(preposition, target))
        return (target, "nicht" if negated else "")

    def german(self, negated: bool, tense: str, modal: str = "") -> Clause:
        """The main clause in German."""
        subject, person = self.actor.german("nominative"), self.actor.person
        return german_clause(subject, person, self.scene.verb, tense, self.german_middle(negated), modal)

    def state(self, degree: str, tense: inflection.Tense = "past") -> tuple[str, Clause]:
        """The clause with the pronoun, "it was too tired", in both languages."""
        person = self.about.person
        source = words(self.about.english_pronoun, english.be(tense, person), degree, self.reason.english)
        form = inflection.SEIN[tense][person]
        middle = (words(DEGREES[degree], self.reason.german),)
        return source, Clause(self.about.german_pronoun("nominative"), form, middle)

    def named_state(self, degree: str) -> tuple[str, Clause]:
        """The same with the noun itself: "the animal was too tired"."""
        person = self.about.person
        source = words(self.about.english(), english.be("past", person), degree, self.reason.english)
        middle = (words(DEGREES[degree], self.reason.german),)
        return source, Clause(self.about.german("nominative"), inflection.SEIN["past"][person], middle)


def choose_event(rng: Random, negated: bool) -> Event:
    """Draw a scene, its words and the noun that the adjective will speak of."""
    while True:
        scene = rng.choices(SCENES, WEIGHTS)[0]
        target = rng.choice(scene.targets)
        about_actor = rng.random() < 0.5
        if about_actor:
            reasons = scene.stops if negated else scene.drives
        else:
            reasons = target.stops if negated else target.invites
        if not reasons:
            continue
        who, reason = rng.choice(scene.actors), rng.choice(reasons)
        if who.english in YOUNG and reason.english in ("old", "young"):
            continue
        many_actors, many_targets = rng.random() < 0.1, rng.random() < 0.06
        plural = many_targets and bool(target.noun.german_plural)
        actor = dress(rng, Phrase(who, plural=many_actors), 0.12)
        thing = Phrase(target.noun, plural=plural)
        return Event(scene, actor, thing, reason, actor if about_actor else thing)


def dress(rng: Random, phrase: Phrase, share: float) -> Phrase:
    """Give a share of the phrases a colour, which never conflicts with the reason."""
    if rng.random() >= share:
        return phrase
    colours = PAINTS if any(phrase.noun.has(t) for t in "lwxap") else COLOURS
    return Phrase(phrase.noun, phrase.determiner, (rng.choice(colours),), phrase.plural)


def pair(event: Event, source: str, target: str, mark: str = ".") -> Pair:
    """Package the sentence with what the attention experiments need to know."""
    other = event.target if event.about == event.actor else event.actor
    return Pair(
        sentence(source, mark), sentence(target, mark), FAMILY,
        antecedent=event.about.head, other=other.head, adjective=event.reason.english,
        pronoun=event.about.german_pronoun("nominative"),
    )  # fmt: skip


def because(rng: Random) -> Pair:
    """Draw "The animal didn't cross the street because it was too tired." and its relatives."""
    negated = rng.random() < 0.75
    event = choose_event(rng, negated)
    degree = choose_degree(rng, event.reason, negated)
    tense = rng.choices(("past", "perfect", "present"), (82, 10, 8))[0]
    timed = rng.random() < 0.08 and tense != "present"
    return because_of(event, negated, degree, tense, rng.choice(list(TIMES)) if timed else "")


def because_of(event: Event, negated: bool, degree: str, tense: str, time: str = "") -> Pair:
    """The animal didn't cross the street because it was too tired."""
    shown: inflection.Tense = "present" if tense == "present" else "past"
    main = english_clause(
        event.actor.english(), event.actor.person, event.scene.verb, shown, event.english_rest, negated
    )
    source, state = event.state(degree, shown)
    clause = event.german(negated, tense).main(TIMES[time] if time else "")
    return pair(event, words(time, main, "because", source), f"{clause}, weil {state.subordinate()}")


def could_not(rng: Random) -> Pair:
    """The animal couldn't cross the street because it was too wide."""
    event = choose_event(rng, negated=True)
    degree = choose_degree(rng, event.reason, negated=True)
    source, state = event.state(degree)
    main = words(event.actor.english(), "couldn't", event.scene.verb.english, event.english_rest)
    clause = event.german(True, "past", modal="können").main()
    return pair(event, f"{main} because {source}", f"{clause}, weil {state.subordinate()}")


def wanted_but(rng: Random) -> Pair:
    """The animal wanted to cross the street, but it was too wide."""
    event = choose_event(rng, negated=True)
    if event.scene.verb.english == "fit":
        return could_not(rng)
    degree = choose_degree(rng, event.reason, negated=True)
    source, state = event.state(degree)
    main = words(event.actor.english(), "wanted to", event.scene.verb.english, event.english_rest)
    clause = event.german(False, "past", modal="wollen").main()
    return pair(event, f"{main}, but {source}", f"{clause}, aber {state.main()}")


def although(rng: Random) -> Pair:
    """The animal crossed the street although it was tired."""
    event = choose_event(rng, negated=True)
    degree = rng.choice(("", "very", "so")) if event.reason.graded else ""
    source, state = event.state(degree)
    main = english_clause(
        event.actor.english(), event.actor.person, event.scene.verb, "past", event.english_rest
    )
    link = rng.choice(("although", "even though"))
    clause = event.german(False, rng.choice(("past", "past", "perfect"))).main()
    return pair(event, f"{main} {link} {source}", f"{clause}, obwohl {state.subordinate()}")


def because_first(rng: Random) -> Pair:
    """Because it was too tired, the animal didn't cross the street."""
    negated = rng.random() < 0.75
    event = choose_event(rng, negated)
    source, state = event.state(choose_degree(rng, event.reason, negated))
    main = english_clause(
        event.actor.english(), event.actor.person, event.scene.verb, "past", event.english_rest, negated
    )
    clause = event.german(negated, "past").main(f"weil {state.subordinate()},")
    return pair(event, f"because {source}, {main}", clause)


def two_sentences(rng: Random) -> Pair:
    """The animal didn't cross the street. It was too tired."""
    negated = rng.random() < 0.75
    event = choose_event(rng, negated)
    source, state = event.state(choose_degree(rng, event.reason, negated))
    main = english_clause(
        event.actor.english(), event.actor.person, event.scene.verb, "past", event.english_rest, negated
    )
    clause = event.german(negated, rng.choice(("past", "past", "perfect"))).main()
    return pair(event, f"{main}. {sentence(source, '')}", f"{clause}. {sentence(state.main(), '')}")


def therefore(rng: Random) -> Pair:
    """The street was too wide, so the animal didn't cross it."""
    event = choose_event(rng, negated=True)
    degree = choose_degree(rng, event.reason, negated=True)
    source, state = event.named_state(degree)
    link = rng.choice(("deshalb", "deshalb", "darum"))
    verb, person, case = event.scene.verb, event.actor.person, event.scene.case
    if event.about == event.actor:
        main = english_clause(event.actor.english_pronoun, person, verb, "past", event.english_rest, True)
        german = event.actor.german_pronoun("nominative")
        clause = german_clause(german, person, verb, "past", event.german_middle(True))
        return pair(event, f"{source}, so {main}", f"{state.main()}, {clause.main(link)}")
    if event.scene.german_preposition:
        return because(rng)
    me = {"it": "it", "they": "them"}[event.target.english_pronoun]
    main = english_clause(event.actor.english(), person, verb, "past", me, True)
    clause = german_clause(
        event.actor.german("nominative"), person, verb, "past", event.german_middle(True, as_pronoun=True)
    )
    made = pair(event, f"{source}, so {main}", f"{state.main()}, {clause.main(link)}")
    return replace(made, pronoun=event.target.german_pronoun(case))


def passive(rng: Random) -> Pair:
    """The street was not crossed by the animal because it was too tired."""
    while True:
        event = choose_event(rng, negated=True)
        plain = not event.scene.german_preposition and not event.scene.english_preposition
        if plain and event.scene.verb.english in PASSIVES and event.scene.case == "accusative":
            break
    source, state = event.state(choose_degree(rng, event.reason, negated=True))
    person = event.target.person
    main = words(
        event.target.english(), english.be("past", person, negated=True), event.scene.verb.participle,
        "by", event.actor.english(),
    )  # fmt: skip
    agent = inflection.contract("von", event.actor.german("dative"))
    clause = Clause(
        event.target.german("nominative"),
        inflection.WERDEN["past"][person],
        (agent, "nicht"),
        event.scene.verb.perfect,
    )
    return pair(event, f"{main} because {source}", f"{clause.main()}, weil {state.subordinate()}")


SHAPES: tuple[tuple[Callable[[Random], Pair], int], ...] = (
    (because, 50), (could_not, 8), (wanted_but, 8), (although, 6), (because_first, 6), (two_sentences, 8),
    (therefore, 10), (passive, 4), (people_antecedent, 35),
)  # fmt: skip


def antecedent(rng: Random) -> Pair:
    """Draw one sentence of the family."""
    shapes, weights = zip(*SHAPES, strict=True)
    return rng.choices(shapes, weights)[0](rng)
