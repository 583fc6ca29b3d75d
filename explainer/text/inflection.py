"""German inflection by rule: articles, adjective endings, noun cases, pronouns and verb forms."""

from typing import Literal

from explainer.text.lexicon import Adjective, Noun, Verb, needs_e, weak_stem

Case = Literal["nominative", "accusative", "dative"]
Tense = Literal["present", "past"]
Person = Literal["1s", "2s", "3s", "1p", "2p", "3p"]

# One column per gender and one for the plural (p).
DEFINITE = {
    "nominative": {"m": "der", "f": "die", "n": "das", "p": "die"},
    "accusative": {"m": "den", "f": "die", "n": "das", "p": "die"},
    "dative": {"m": "dem", "f": "der", "n": "dem", "p": "den"},
}
STRONG = {
    "nominative": {"m": "er", "f": "e", "n": "es", "p": "e"},
    "accusative": {"m": "en", "f": "e", "n": "es", "p": "e"},
    "dative": {"m": "em", "f": "er", "n": "em", "p": "en"},
}
WEAK = {
    "nominative": {"m": "e", "f": "e", "n": "e", "p": "en"},
    "accusative": {"m": "en", "f": "e", "n": "e", "p": "en"},
    "dative": {"m": "en", "f": "en", "n": "en", "p": "en"},
}
MIXED = {
    "nominative": {"m": "er", "f": "e", "n": "es", "p": "en"},
    "accusative": {"m": "en", "f": "e", "n": "es", "p": "en"},
    "dative": {"m": "en", "f": "en", "n": "en", "p": "en"},
}
EIN_WORDS = {
    "a": "ein", "no": "kein", "my": "mein", "your": "dein", "his": "sein", "her": "ihr", "its": "sein",
    "our": "unser", "their": "ihr",
}  # fmt: skip
DER_WORDS = {"this": "dies", "every": "jed", "which": "welch"}
NUMERALS = {"two": "zwei", "three": "drei", "four": "vier", "five": "fünf"}  # without endings
STRONG_WORDS = {"many": "viel"}  # the adjective after them takes the same ending: viele rote Äpfel
IMPERATIVES_IN_E = {"danken", "folgen", "übersetzen"}
PRONOUNS = {  # nominative, accusative, dative; third person singular by gender
    "1s": ("ich", "mich", "mir"), "2s": ("du", "dich", "dir"), "1p": ("wir", "uns", "uns"),
    "2p": ("ihr", "euch", "euch"), "3p": ("sie", "sie", "ihnen"), "m": ("er", "ihn", "ihm"),
    "f": ("sie", "sie", "ihr"), "n": ("es", "es", "ihm"),
}  # fmt: skip
CASES: tuple[Case, ...] = ("nominative", "accusative", "dative")
CONTRACTIONS = {
    ("in", "dem"): "im", ("in", "das"): "ins", ("an", "dem"): "am", ("an", "das"): "ans",
    ("zu", "dem"): "zum", ("zu", "der"): "zur", ("von", "dem"): "vom", ("bei", "dem"): "beim",
}  # fmt: skip
SEIN = {
    "present": {"1s": "bin", "2s": "bist", "3s": "ist", "1p": "sind", "2p": "seid", "3p": "sind"},
    "past": {"1s": "war", "2s": "warst", "3s": "war", "1p": "waren", "2p": "wart", "3p": "waren"},
}
HABEN = {
    "present": {"1s": "habe", "2s": "hast", "3s": "hat", "1p": "haben", "2p": "habt", "3p": "haben"},
    "past": {"1s": "hatte", "2s": "hattest", "3s": "hatte", "1p": "hatten", "2p": "hattet", "3p": "hatten"},
}
WERDEN = {
    "present": {"1s": "werde", "2s": "wirst", "3s": "wird", "1p": "werden", "2p": "werdet", "3p": "werden"},
    "past": {"1s": "wurde", "2s": "wurdest", "3s": "wurde", "1p": "wurden", "2p": "wurdet", "3p": "wurden"},
}
MODALS = {  # infinitive: first/third person singular, first person preterite
    "können": ("kann", "konnte"), "müssen": ("muss", "musste"), "wollen": ("will", "wollte"),
    "dürfen": ("darf", "durfte"), "sollen": ("soll", "sollte"), "mögen": ("mag", "mochte"),
}  # fmt: skip
PRESENT_EXCEPTIONS = {
    ("wissen", "1s"): "weiß", ("wissen", "2s"): "weißt", ("mögen", "1s"): "mag", ("mögen", "2s"): "magst",
    ("wissen", "2p"): "wisst", ("haben", "2s"): "hast", ("werden", "2s"): "wirst", ("werden", "2p"): "werdet",
}  # fmt: skip


def column(gender: str, plural: bool) -> str:
    """Return the table column: the gender, or p for the plural, where German has only one."""
    return "p" if plural else gender


def determiner(word: str, case: Case, col: str) -> str:
    """Return the German determiner for an English one; "" stays without."""
    if word == "the":
        return DEFINITE[case][col]
    if word in NUMERALS:
        return NUMERALS[word]
    if word in DER_WORDS or word in STRONG_WORDS:
        return (DER_WORDS | STRONG_WORDS)[word] + STRONG[case][col]
    if word in EIN_WORDS:
        if word == "a" and col == "p":
            return ""
        bare = (col in "mn" and case == "nominative") or (col, case) == ("n", "accusative")
        stem = EIN_WORDS[word]
        return stem if bare else stem + STRONG[case][col]
    return ""


def adjective_ending(word: str, case: Case, col: str) -> str:
    """Return the ending an attributive adjective takes after the (English) determiner `word`."""
    if word == "the" or word in DER_WORDS:
        return WEAK[case][col]
    if word in EIN_WORDS and not (word == "a" and col == "p"):
        return MIXED[case][col]
    return STRONG[case][col]


def adjective_form(adjective: Adjective, ending: str) -> str:
    """Add an ending to an adjective: hoch -> hohe, teuer -> teure, dunkel -> dunkle, müde -> müde."""
    stem = adjective.german
    if stem == "hoch":
        stem = "hoh"
    elif stem.endswith(("el", "auer", "euer")):
        stem = stem[:-2] + stem[-1]
    elif stem.endswith("e"):
        stem = stem[:-1]
    return stem + ending


def noun_form(noun: Noun, case: Case, plural: bool) -> str:
    """Return the noun in a case: dative plurals end in -n (Hunden), weak nouns in -(e)n (den Hasen)."""
    if not plural:
        weak = noun.weak and case != "nominative"
        return {"Herr": "Herrn"}.get(noun.german, noun.german_plural) if weak else noun.german
    form = noun.german_plural
    return form if case != "dative" or form.endswith(("n", "s")) else form + "n"


def contract(preposition: str, phrase: str) -> str:
    """Join a preposition with its phrase: in dem Haus -> im Haus."""
    first, _, rest = phrase.partition(" ")
    short = CONTRACTIONS.get((preposition, first)) if rest else None
    return f"{short} {rest}" if short else f"{preposition} {phrase}"


def ending_2s(stem: str, third: str) -> str:
    """Return the du form from the er form: läuft -> läufst, liest -> liest, hält -> hältst."""
    if stem.endswith(("s", "ß", "z", "x")):
        return third
    if stem.endswith("t") and not third.endswith("et"):
        return third + "st"
    return third[:-1] + "st"


def present(verb: Verb, person: Person) -> str:
    """Return the finite present form, without the separable prefix."""
    stem = weak_stem(verb.infinitive)
    if (verb.infinitive, person) in PRESENT_EXCEPTIONS:
        return PRESENT_EXCEPTIONS[verb.infinitive, person]
    if person == "1s":
        return stem[:-2] + "le" if verb.infinitive.endswith("eln") else stem + "e"
    if person == "2s":
        return ending_2s(stem, verb.present)
    if person == "2p":
        return stem + ("et" if needs_e(stem) else "t")
    return verb.present if person == "3s" else verb.infinitive


def preterite(verb: Verb, person: Person) -> str:
    """Return the finite preterite form, without the separable prefix."""
    form = verb.preterite
    if person in ("1s", "3s"):
        return form
    if form.endswith("e"):
        return form + {"2s": "st", "2p": "t"}.get(person, "n")
    glide = "e" if form.endswith(("t", "d", "s", "ß")) else ""
    return form + {"2s": f"{glide}st", "2p": ("e" if form.endswith(("t", "d")) else "") + "t"}.get(
        person, "en"
    )


def imperative(verb: Verb) -> str:
    """Return the du imperative, without the prefix: mach, öffne, lies, nimm, but fahr (no umlaut)."""
    stem = weak_stem(verb.infinitive)
    changed = verb.present if stem.endswith("t") else verb.present.removesuffix("t")
    if changed != stem and "i" in changed and "i" not in stem:
        return changed
    if verb.infinitive.endswith("eln"):
        return stem[:-2] + "le"
    if verb.infinitive in IMPERATIVES_IN_E:
        return stem + "e"
    return stem + ("e" if needs_e(stem) or stem.endswith("er") or verb.infinitive.endswith("ieren") else "")


def finite(verb: Verb, tense: Tense, person: Person) -> str:
    """Return the finite form of a full verb."""
    return present(verb, person) if tense == "present" else preterite(verb, person)


def modal(infinitive: str, tense: Tense, person: Person) -> str:
    """Return a modal verb's finite form: ich kann, du kannst, wir können; ich konnte, wir konnten."""
    singular, past = MODALS[infinitive]
    if tense == "past":
        return past + {"1s": "", "3s": "", "2s": "st", "2p": "t"}.get(person, "n")
    if person in ("1s", "3s"):
        return singular
    if person == "2s":
        return singular + ("t" if singular.endswith("s") else "st")
    return infinitive[:-2] + "t" if person == "2p" else infinitive


def pronoun(key: str, case: Case) -> str:
    """Return a personal pronoun; `key` is a person, or a gender for the third person singular."""
    return PRONOUNS[key][CASES.index(case)]
