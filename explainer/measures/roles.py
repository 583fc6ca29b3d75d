"""A word for what a head does on this sentence, with the number that it rests on.

A role is a description of weights, not an explanation of the translation: the same head may do something else on
another sentence, and weights alone do not say what a head adds (see `norms`).
"""

from dataclasses import dataclass

from explainer.measures.anatomy import Kind
from explainer.measures.heads import Aim, HeadMeasures

HALF = 0.5  # of the weight: what a role asks for
TWICE = 2.0  # what an even spread gives: in a short sentence half of the weight is soon reached by chance
SPREAD = 0.8  # of the entropy of an even spread
_NAMES: dict[Aim, tuple[str, str]] = {
    "previous": ("previous-token head", "the token before"),
    "next": ("next-token head", "the token after"),
    "same": ("same-token head", "the token itself"),
    "start": ("sink", "<s>"),
    "end": ("sink", "</s>"),
    "first": ("first-token head", "the first token"),
    "punctuation": ("punctuation head", "punctuation"),
}


@dataclass(frozen=True, kw_only=True)
class Role:
    """What a head does.

    Attributes:
        name: The role.
        evidence: Its number, in short.
        reason: The number against what would be expected, as a sentence.
    """

    name: str
    evidence: str
    reason: str

    def __str__(self) -> str:
        """`previous-token head: 0.83 of the weight on the token before`."""
        return f"{self.name}: {self.evidence}" if self.evidence else self.name


def role_of(head: HeadMeasures, kind: Kind) -> Role:
    """The role of a head.

    Of the kinds of token that at least half of the rows can look at, the one with the largest share gives the role if
    it gets at least `HALF` of the weight and `TWICE` what an even spread would give it. Otherwise words that look
    firmly at words of their own make a word-to-word head (in cross-attention: an alignment head), and an entropy near
    that of an even spread makes a spread one.
    """
    if not head.n_rows:
        return Role(name="no choice", evidence="", reason="Every row may attend to one token only.")
    by_weight = sorted(_frequent(head), key=lambda aim: -head.shares[aim].weight)
    for aim in by_weight:
        share = head.shares[aim]
        if share.weight >= HALF and share.weight >= TWICE * share.even:
            return _aimed(head, aim, kind)
    if head.n_words > 1 and head.focus >= HALF and head.variety >= HALF:
        return _word_to_word(head, kind)
    if head.entropy >= SPREAD * head.even_entropy:
        return Role(
            name="spread",
            evidence=f"entropy {head.entropy:.2f} nats",
            reason=f"Its rows have an entropy of {head.entropy:.2f} nats on average; "
            f"an even spread has {head.even_entropy:.2f}.",
        )
    return _mixed(head, by_weight)


def _frequent(head: HeadMeasures) -> list[Aim]:
    """What at least half of the rows with a choice can look at."""
    return [aim for aim, share in head.shares.items() if 2 * share.n_rows >= head.n_rows]


def _aimed(head: HeadMeasures, aim: Aim, kind: Kind) -> Role:
    name, what = _NAMES[aim]
    share = head.shares[aim]
    rows = "The one row" if share.n_rows == 1 else f"The {share.n_rows} rows"
    reason = (
        f"{rows} that can look at {what} put {share.weight:.2f} of the weight there on average; "
        f"an even spread would put {share.even:.2f}."
    )
    if kind == "decoder" and aim in ("previous", "same"):
        reason += " A row is named after its input token, and predicts the one after it."
    return Role(name=name, evidence=f"{share.weight:.2f} of the weight on {what}", reason=reason)


def _word_to_word(head: HeadMeasures, kind: Kind) -> Role:
    name, rows, one = (
        ("alignment head", "predicted tokens of words", "source token")
        if kind == "cross"
        else ("word-to-word head", "tokens of words", "other token")
    )
    different = round(head.variety * head.n_words)
    return Role(
        name=name,
        evidence=f"{head.focus:.2f} of the weight on one {one}",
        reason=f"The {head.n_words} {rows} put {head.focus:.2f} of their weight on one {one} on average, "
        f"and look at {different} different ones.",
    )


def _mixed(head: HeadMeasures, by_weight: list[Aim]) -> Role:
    reason = (
        "No kind of token that most rows can look at gets half of the weight "
        "and twice what an even spread would give it"
    )
    if not by_weight:
        return Role(name="mixed", evidence=f"entropy {head.entropy:.2f} nats", reason=f"{reason}.")
    what, share = _NAMES[by_weight[0]][1], head.shares[by_weight[0]]
    return Role(
        name="mixed",
        evidence=f"most weight, {share.weight:.2f}, on {what}",
        reason=f"{reason}; most, {share.weight:.2f}, lies on {what}, where an even spread would put {share.even:.2f}.",
    )
