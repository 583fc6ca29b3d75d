"""All nouns of the classroom lexicon under their English names, and ways to choose from them."""

from explainer.text.beings import ANIMALS, CHILDREN, MACHINES, MEN, VEHICLES, WOMEN
from explainer.text.lexicon import Noun
from explainer.text.things import FOOD, PLACES, THINGS

GROUPS = (ANIMALS, VEHICLES, MACHINES, MEN, WOMEN, CHILDREN, PLACES, THINGS, FOOD)
NOUNS: dict[str, Noun] = {name: noun for group in GROUPS for name, noun in group.items()}


def animals(trait: str) -> tuple[Noun, ...]:
    """Return the animals with a trait, or all with ""."""
    return tuple(noun for noun in ANIMALS.values() if noun.has(trait) or not trait)


def people(trait: str = "") -> tuple[Noun, ...]:
    """Return the people with a trait, or all grown-ups and schoolchildren with ""."""
    everyone = (*MEN.values(), *WOMEN.values())
    return tuple(noun for noun in everyone if noun.has(trait) or not trait)


def pick(names: str) -> tuple[Noun, ...]:
    """Return the nouns named in a string of English words; `_` is a space."""
    return tuple(NOUNS[name.replace("_", " ")] for name in names.split())
