"""What a word of the classroom lexicon is, and how the compact word tables are read.

The tables themselves are in `nouns.py` and `words.py`; the forms that follow by rule are in
`inflection.py` (German) and `english.py`. Every word was chosen and classified for this project.
"""

from dataclasses import dataclass
from typing import Literal

Gender = Literal["m", "f", "n"]

INSEPARABLE = ("be", "emp", "ent", "er", "ge", "miss", "ver", "zer")
IRREGULAR_PLURALS = {
    "calf": "calves", "child": "children", "deer": "deer", "fish": "fish", "foot": "feet", "goose": "geese",
    "knife": "knives", "leaf": "leaves", "loaf": "loaves", "man": "men", "mouse": "mice", "ox": "oxen",
    "piano": "pianos", "photo": "photos", "sheep": "sheep", "shelf": "shelves", "thief": "thieves",
    "wolf": "wolves", "woman": "women", "wife": "wives", "policeman": "policemen", "scarf": "scarves",
    "fisherman": "fishermen", "postman": "postmen", "bus": "buses", "kangaroo": "kangaroos", "roof": "roofs",
}  # fmt: skip


@dataclass(frozen=True)
class Noun:
    """A noun in both languages.

    Attributes:
        english: singular.
        english_plural: plural, or "" if the noun is not counted (milk).
        german: nominative singular.
        gender: German grammatical gender.
        german_plural: nominative plural, or "" if there is none.
        weak: n-declension, i.e. every case but the nominative singular ends in -(e)n (der Hase, den Hasen).
        traits: one letter each; the legend stands above each table.
        pronoun: what English calls it: "it", or "he"/"she" for people.
    """

    english: str
    english_plural: str
    german: str
    gender: Gender
    german_plural: str
    weak: bool = False
    traits: str = ""
    pronoun: str = "it"

    def has(self, trait: str) -> bool:
        """Whether the noun carries the one-letter trait."""
        return trait in self.traits


@dataclass(frozen=True)
class Adjective:
    """An adjective in both languages; `graded` is False where "too …" makes no sense (locked)."""

    english: str
    german: str
    graded: bool = True


@dataclass(frozen=True)
class Verb:
    """A verb in both languages, with the forms that no rule gives.

    Attributes:
        english: base form, without a particle.
        past: English past tense.
        participle: English past participle.
        infinitive: German infinitive without its separable prefix.
        present: third person singular present, without the prefix.
        preterite: third person singular preterite, without the prefix.
        perfect: past participle, prefix included (aufgestanden).
        prefix: separable prefix, or "".
        sein: whether the perfect is built with sein instead of haben.
    """

    english: str
    past: str
    participle: str
    infinitive: str
    present: str
    preterite: str
    perfect: str
    prefix: str = ""
    sein: bool = False


def english_plural(word: str) -> str:
    """Return the English plural by rule, or the irregular one; of two words the last is inflected."""
    head, _, last = word.rpartition(" ")
    if last in IRREGULAR_PLURALS:
        plural = IRREGULAR_PLURALS[last]
    elif last.endswith(("s", "x", "z", "ch", "sh")) or last in ("potato", "tomato", "buffalo"):
        plural = last + "es"
    elif last.endswith("y") and last[-2] not in "aeou":
        plural = last[:-1] + "ies"
    else:
        plural = last + "s"
    return f"{head} {plural}".strip()


def english_past(word: str) -> str:
    """Return the regular English past tense."""
    if word.endswith("e"):
        return word + "d"
    if word.endswith("y") and word[-2] not in "aeou":
        return word[:-1] + "ied"
    return word + "ed"


def weak_stem(infinitive: str) -> str:
    """Return the stem that endings are added to: kaufen -> kauf, klettern -> kletter."""
    return infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]


def needs_e(stem: str) -> bool:
    """Whether German puts an e between this stem and -t or -st: arbeit-e-t, öffn-e-t, but lern-t."""
    if stem.endswith(("t", "d", "chn")):
        return True
    return len(stem) > 2 and stem[-1] in "mn" and stem[-2] not in "aeiouäöülrmnhy"


def read_nouns(table: str, pronoun: str = "it") -> dict[str, Noun]:
    """Read rows "english german gender plural traits"; `_` is a space, `-` is none, gender `w` is weak m.

    The text after `@` tells two nouns with the same English apart: wall (die Mauer), wall@room (die Wand).
    """
    found: dict[str, Noun] = {}
    for row in table.strip().splitlines():
        key, german, gender, plural, *traits = (cell.replace("_", " ") for cell in row.split())
        if key in found:
            raise ValueError(f"nouns: {key!r} stands twice in the table")
        english = key.partition("@")[0]
        german_plural = "" if plural == "-" else plural
        found[key] = Noun(
            english=english,
            english_plural=english_plural(english) if german_plural else "",
            german=german,
            gender="m" if gender == "w" else gender,  # type: ignore[arg-type]
            german_plural=german_plural,
            weak=gender == "w",
            traits="".join(traits),
            pronoun=pronoun,
        )
    return found


def read_adjectives(table: str) -> dict[str, Adjective]:
    """Read cells "english=german", separated by blanks; `!` at the end marks an ungraded adjective."""
    found: dict[str, Adjective] = {}
    for cell in table.split():
        key, german = cell.replace("_", " ").split("=")
        if key in found:
            raise ValueError(f"adjectives: {key!r} stands twice in the table")
        found[key] = Adjective(key.partition("@")[0], german.rstrip("!"), graded=not german.endswith("!"))
    return found


def read_verb(row: str) -> tuple[str, Verb]:
    """Read "eat/ate/eaten@animal = fressen/frisst/fraß/gefressen"; one form alone is regular.

    The text after `@` tells two verbs with the same English apart. A separable prefix is written
    `auf|stehen`, and a final `+` marks the perfect with sein.
    """
    left, right = (side.strip() for side in row.split("="))
    forms, at, label = left.partition("@")
    base, *rest = (form.replace("_", " ") for form in forms.split("/"))
    past, participle = rest if rest else (english_past(base), english_past(base))
    german = right.removesuffix("+").split("/")
    prefix, _, infinitive = german[0].rpartition("|")
    if len(german) == 1:
        stem = weak_stem(infinitive)
        glide = "e" if needs_e(stem) else ""
        ge = "" if stem.startswith(INSEPARABLE) or infinitive.endswith("ieren") else "ge"
        german = [german[0], f"{stem}{glide}t", f"{stem}{glide}te", f"{prefix}{ge}{stem}{glide}t"]
    return base + at + label, Verb(
        base, past, participle, infinitive, *german[1:], prefix=prefix, sein=right.endswith("+")
    )


def read_verbs(table: str) -> dict[str, Verb]:
    """Read one verb per line; the key is the English base form with its `@` label."""
    found: dict[str, Verb] = {}
    for row in table.strip().splitlines():
        key, verb = read_verb(row)
        if key in found:
            raise ValueError(f"verbs: {key!r} stands twice in the table")
        found[key] = verb
    return found
