"""Our own grammar of correct English-German sentence pairs: "classroom German".

`generate` draws sentence pairs from families, each of which teaches one thing; nothing is copied
from a corpus. `split` divides pairs so that no sentence of either language leaks between parts.
"""

import re
from collections.abc import Callable, Collection, Sequence
from random import Random

from explainer.text.families.antecedent import antecedent
from explainer.text.families.description import description
from explainer.text.families.linked import clause, two
from explainer.text.families.plain import modal, perfect, separable, simple, time
from explainer.text.families.pronouns import pronoun
from explainer.text.families.questions import question
from explainer.text.nouns import NOUNS
from explainer.text.phrases import Pair

BUILDERS: dict[str, Callable[[Random], Pair]] = {
    "antecedent": antecedent,
    "description": description,
    "simple": simple,
    "question": question,
    "clause": clause,
    "separable": separable,
    "modal": modal,
    "perfect": perfect,
    "pronoun": pronoun,
    "time": time,
    "two": two,
}
FAMILIES = tuple(BUILDERS)
PATIENCE = 2000  # draws in a row without a new sentence after which a family counts as exhausted


def generate(
    seed: int, count: int, *, families: Sequence[str] = FAMILIES, hold_out: Collection[str] = ()
) -> list[Pair]:
    """Return `count` different sentence pairs, drawn evenly from the families.

    Args:
        seed: fixes the result.
        count: how many pairs; no English sentence occurs twice.
        families: which families to draw from, see `FAMILIES`.
        hold_out: English nouns and adjectives that the antecedent family must not contain, in
            the singular or the plural.

    Raises:
        ValueError: if a family is unknown or the families have fewer sentences than asked for.
    """
    unknown = set(families) - set(BUILDERS)
    if unknown:
        raise ValueError(f"families: {sorted(unknown)} not in {FAMILIES}")
    rng = Random(seed)
    banned = forbid(hold_out)
    seen: set[str] = set()
    pairs: list[Pair] = []
    open_families = list(families)
    failures = dict.fromkeys(families, 0)
    while len(pairs) < count and open_families:
        family = open_families[len(pairs) % len(open_families)]
        made = BUILDERS[family](rng)
        refused = family == "antecedent" and banned is not None and banned.search(made.english)
        if made.english in seen or refused:
            failures[family] += 1
            if failures[family] > PATIENCE:
                open_families.remove(family)
            continue
        failures[family] = 0
        seen.add(made.english)
        pairs.append(made)
    if len(pairs) < count:
        raise ValueError(f"count: asked for {count} pairs, but {list(families)} gave only {len(pairs)}")
    rng.shuffle(pairs)
    return pairs


def forbid(words: Collection[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds any of the words, or the plural of those that are nouns."""
    forms = {word.lower() for word in words}
    forms |= {NOUNS[word].english_plural for word in forms & set(NOUNS)} - {""}
    if not forms:
        return None
    return re.compile(r"\b(" + "|".join(map(re.escape, sorted(forms))) + r")\b", re.IGNORECASE)


def split(
    pairs: Sequence[Pair], seed: int, *, valid: float = 0.02, test: float = 0.02
) -> tuple[list[Pair], list[Pair], list[Pair]]:
    """Divide pairs into train, valid and test with no English or German sentence in two parts.

    Pairs that share a sentence ("street" and "road" are both Straße) stay together.

    Args:
        pairs: what to divide.
        seed: fixes the division.
        valid: share of the pairs for validation.
        test: share of the pairs for the final test.
    """
    groups = linked(pairs)
    Random(seed).shuffle(groups)
    sizes = {"test": test * len(pairs), "valid": valid * len(pairs)}
    parts: dict[str, list[Pair]] = {"train": [], "valid": [], "test": []}
    for group in groups:
        part = next((name for name, size in sizes.items() if len(parts[name]) < size), "train")
        parts[part].extend(group)
    return parts["train"], parts["valid"], parts["test"]


def linked(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Group pairs that are connected through equal sentences in either language (union-find)."""
    parent = list(range(len(pairs)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first: dict[tuple[str, str], int] = {}
    for i, each in enumerate(pairs):
        for key in (("english", each.english), ("german", each.german)):
            parent[root(i)] = root(first.setdefault(key, i))
    groups: dict[int, list[Pair]] = {}
    for i, each in enumerate(pairs):
        groups.setdefault(root(i), []).append(each)
    return list(groups.values())
