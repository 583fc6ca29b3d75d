"""What classroom German says about somebody or something: adjectives behind *be*, with very and too."""

from random import Random

from explainer.text.lessons import draw
from explainer.text.lessons.draw import phrase
from explainer.text.lessons.vocabulary import LOOKS, RANK, nouns
from explainer.text.lexicon import Adjective
from explainer.text.phrases import Nominal, Phrase
from explainer.text.words import adjectives

MOODS = adjectives("tired sick hungry thirsty happy sad angry strong rich poor old young clever lazy brave")
BURDENS = adjectives(
    "expensive difficult big small long short high deep heavy tired sick loud dark warm cold hot sweet sour slow fast "
    "old young wild boring lazy angry quiet hungry wet dry dirty"
)
DEGREES = {"": "", "very": "sehr", "too": "zu"}
GOOD = adjectives(
    "beautiful friendly interesting exciting cheap easy modern comfortable practical clever brave famous clean fresh "
    "new fast warm sweet quiet strong rich happy"
)
BAD = adjectives(
    "ugly boring expensive difficult dirty broken slow old small heavy loud dark cold wet sour dry lazy empty sad poor "
    "tired sick angry"
)


def contrast(one: Adjective, other: Adjective) -> bool:
    """Whether one speaks for a thing and the other against it, so that *but* may join them."""
    return (one in GOOD and other in BAD) or (one in BAD and other in GOOD)


def degree_of(rng: Random, look: Adjective) -> str:
    """Draw very or too, where they make sense, or nothing."""
    return rng.choice(("", "", "very", "too" if look in BURDENS else "very")) if look.graded else ""


def quality(rng: Random, subject: Nominal) -> Adjective | None:
    """Draw an adjective that can be said of the subject, of another class than those before its noun."""
    if not isinstance(subject, Phrase):
        return rng.choice(MOODS)
    used = {RANK[adjective.english] for adjective in subject.adjectives}
    fitting = [adjective for adjective in LOOKS[subject.noun.english] if RANK[adjective.english] not in used]
    return rng.choice(fitting) if fitting else None


def something(rng: Random, looks: tuple[int, ...] = (0, 1, 1)) -> Phrase:
    """Draw a thing, an animal or a place that one says something about."""
    groups = "FOOD DRINKS PRINT WEAR VEHICLES GOODS THOUGHTS PLACES PETS WILD"
    return phrase(rng, rng.choice(nouns(groups)), draw.DEFINITE, looks=looks)
