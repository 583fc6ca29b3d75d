"""Noun phrases and clauses in both languages: what is said, apart from where each language puts it."""

from collections.abc import Sequence
from dataclasses import dataclass

from explainer.text import english, inflection
from explainer.text.inflection import Case, Person, Tense
from explainer.text.lexicon import Adjective, Noun, Verb


@dataclass(frozen=True)
class Pair:
    """An English sentence and its German translation.

    Attributes:
        english: source sentence.
        german: target sentence.
        family: which family of sentences it belongs to.
        antecedent: antecedent family only: the English word the pronoun stands for, as written.
        other: antecedent family only: the other English noun, as written; "" if there is no other noun.
        adjective: antecedent family only: the English adjective that decides; "" where none does.
        pronoun: antecedent family only: the German pronoun.
    """

    english: str
    german: str
    family: str
    antecedent: str = ""
    other: str = ""
    adjective: str = ""
    pronoun: str = ""


@dataclass(frozen=True)
class Phrase:
    """A noun with its determiner and adjectives, as one thing in two languages."""

    noun: Noun
    determiner: str = "the"
    adjectives: tuple[Adjective, ...] = ()
    plural: bool = False

    @property
    def person(self) -> Person:
        """Grammatical person for verb agreement."""
        return "3p" if self.plural else "3s"

    @property
    def head(self) -> str:
        """The English noun as it is written."""
        return self.noun.english_plural if self.plural else self.noun.english

    @property
    def english_pronoun(self) -> str:
        """The English subject pronoun for the phrase."""
        return "they" if self.plural else self.noun.pronoun

    def german_pronoun(self, case: Case) -> str:
        """The German pronoun: it follows the grammatical gender, but das Mädchen is sie, as a person."""
        gender = {"he": "m", "she": "f"}.get(self.noun.pronoun, self.noun.gender)
        return inflection.pronoun("3p" if self.plural else gender, case)

    def english(self, as_object: bool = False) -> str:
        """The phrase in English; nouns look the same as subject and object."""
        words = " ".join([a.english for a in self.adjectives] + [self.head])
        if self.determiner == "a":
            return words if self.plural else english.article(words)
        given = {"this": "these"}.get(self.determiner, self.determiner) if self.plural else self.determiner
        return f"{given} {words}".strip()

    def german(self, case: Case) -> str:
        """The phrase in German, in a case."""
        col = inflection.column(self.noun.gender, self.plural)
        ending = inflection.adjective_ending(self.determiner, case, col)
        words = [inflection.determiner(self.determiner, case, col)]
        words += [inflection.adjective_form(a, ending) for a in self.adjectives]
        return " ".join([*words, inflection.noun_form(self.noun, case, self.plural)]).strip()


@dataclass(frozen=True)
class Someone:
    """A personal pronoun or a first name as subject or object."""

    english_word: str
    person: Person
    key: str  # the key of the German pronoun: a person, or a gender
    name: bool = False

    @property
    def head(self) -> str:
        """The English word as it is written."""
        return self.english_word

    @property
    def english_pronoun(self) -> str:
        """The English subject pronoun."""
        return {"m": "he", "f": "she"}[self.key] if self.name else self.english_word

    def german_pronoun(self, case: Case) -> str:
        """The German pronoun."""
        return inflection.pronoun(self.key, case)

    def english(self, as_object: bool = False) -> str:
        """The word in English; pronouns have an object form."""
        return self.english_word if self.name or not as_object else english.PRONOUNS[self.english_word]

    def german(self, case: Case) -> str:
        """The word in German, in a case."""
        return self.english_word if self.name else inflection.pronoun(self.key, case)


Nominal = Phrase | Someone


@dataclass(frozen=True)
class Clause:
    """A German clause before word order.

    Attributes:
        subject: nominative.
        finite: the inflected verb.
        middle: what stands between the finite verb and the end, in order.
        end: participle or infinitive at the end, or "".
        prefix: separable prefix, which stands at the end or on the final verb.
    """

    subject: str
    finite: str
    middle: tuple[str, ...] = ()
    end: str = ""
    prefix: str = ""

    def main(self, front: str = "") -> str:
        """Verb-second: subject first, or `front` first and the subject behind the verb."""
        if front:
            return words(front, self.finite, self.subject, *self.middle, self.end, self.prefix)
        return words(self.subject, self.finite, *self.middle, self.end, self.prefix)

    def question(self) -> str:
        """Verb-first."""
        return words(self.finite, self.subject, *self.middle, self.end, self.prefix)

    def subordinate(self) -> str:
        """Verb-final, the prefix written onto the verb."""
        return words(self.subject, *self.middle, self.end, self.prefix + self.finite)


def words(*parts: str) -> str:
    """Join the parts that are not empty."""
    return " ".join(part for part in parts if part)


def german_clause(
    subject: str, person: Person, verb: Verb, tense: str, middle: Sequence[str] = (), modal: str = ""
) -> Clause:
    """Build a German clause; `tense` is present, past or perfect, `modal` a modal infinitive."""
    rest = tuple(middle)
    if modal:
        form = inflection.modal(modal, "past" if tense == "past" else "present", person)
        return Clause(subject, form, rest, verb.prefix + verb.infinitive)
    if tense == "perfect":
        auxiliary = inflection.SEIN if verb.sein else inflection.HABEN
        return Clause(subject, auxiliary["present"][person], rest, verb.perfect)
    plain: Tense = "past" if tense == "past" else "present"
    return Clause(subject, inflection.finite(verb, plain, person), rest, prefix=verb.prefix)


def english_clause(
    subject: str, person: Person, verb: Verb, tense: Tense, rest: str = "", negated: bool = False
) -> str:
    """Build an English statement with a full verb."""
    if negated:
        return words(subject, english.do(tense, person, negated=True), verb.english, rest)
    return words(subject, english.finite(verb, tense, person), rest)


def sentence(text: str, mark: str = ".") -> str:
    """Capitalise the first letter and end the sentence."""
    return text[0].upper() + text[1:] + mark
