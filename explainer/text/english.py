"""English inflection by rule: a or an, third person -s, -ing, do-support and the forms of be."""

from explainer.text.inflection import Person, Tense
from explainer.text.lexicon import Verb

DOUBLED = {
    "run",
    "swim",
    "sit",
    "get",
    "put",
    "stop",
    "cut",
    "hit",
    "win",
    "plan",
    "shop",
    "begin",
    "jog",
    "travel",
}
CONSONANT_U = ("uni", "use", "usu", "eu", "one")
PRONOUNS = {
    "I": "me", "you": "you", "he": "him", "she": "her", "it": "it", "we": "us", "they": "them",
}  # fmt: skip


def article(phrase: str) -> str:
    """Put a or an before a phrase, by its first sound."""
    vowel = (phrase[0].lower() in "aeiou" and not phrase.startswith(CONSONANT_U)) or phrase.startswith("hour")
    return f"{'an' if vowel else 'a'} {phrase}"


def third_person(base: str) -> str:
    """Return the he/she/it form of the present."""
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2] not in "aeou" else base + "s"


def ing(base: str) -> str:
    """Return the -ing form."""
    if base in DOUBLED:
        return base + base[-1] + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    return base[:-1] + "ing" if base.endswith("e") and not base.endswith("ee") else base + "ing"


def finite(verb: Verb, tense: Tense, person: Person) -> str:
    """Return the finite form of a full verb."""
    if tense == "past":
        return verb.past
    head, _, particle = verb.english.partition(" ")  # fly over -> flies over
    return f"{third_person(head)} {particle}".strip() if person == "3s" else verb.english


def be(tense: Tense, person: Person, negated: bool = False) -> str:
    """Return a form of be, with n't if negated (am not for the first person)."""
    if tense == "past":
        form = "was" if person in ("1s", "3s") else "were"
    else:
        form = {"1s": "am", "3s": "is"}.get(person, "are")
    if negated:
        return "am not" if form == "am" else form + "n't"
    return form


def do(tense: Tense, person: Person, negated: bool = False) -> str:
    """Return do, does or did, with n't if negated."""
    form = "did" if tense == "past" else "does" if person == "3s" else "do"
    return form + "n't" if negated else form


def have(person: Person) -> str:
    """Return have or has."""
    return "has" if person == "3s" else "have"
