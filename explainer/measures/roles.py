"""A word for what a head does on this sentence, with the number that it rests on.

A role is a description of weights, not an explanation of the translation: the same head may do something else on
another sentence, and weights alone do not say what a head adds (see `norms`).
"""

from dataclasses import dataclass

from explainer.language import _, mark, ngettext
from explainer.measures.anatomy import Kind
from explainer.measures.heads import Aim, HeadMeasures

HALF = 0.5  # of the weight: what a role asks for
TWICE = 2.0  # what an even spread gives: in a short sentence half of the weight is soon reached by chance
SPREAD = 0.8  # of the entropy of an even spread
_NAMES: dict[Aim, tuple[str, str]] = {
    "previous": (mark("previous-token head"), mark("the token before")),
    "next": (mark("next-token head"), mark("the token after")),
    "same": (mark("same-token head"), mark("the token itself")),
    "start": (mark("sink"), "<s>"),
    "end": (mark("sink"), "</s>"),
    "first": (mark("first-token head"), mark("the first token")),
    "punctuation": (mark("punctuation head"), mark("punctuation")),
}


@dataclass(frozen=True, kw_only=True)
class Role:
    """What a head does, its number in short, and a sentence with the number against what would be expected."""

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
        return Role(name=_("no choice"), evidence="", reason=_("Every row may attend to one token only."))
    by_weight = sorted(_frequent(head), key=lambda aim: -head.shares[aim].weight)
    for aim in by_weight:
        share = head.shares[aim]
        if share.weight >= HALF and share.weight >= TWICE * share.even:
            return _aimed(head, aim, kind)
    if head.n_words > 1 and head.focus >= HALF and head.variety >= HALF:
        return _word_to_word(head, kind)
    if head.entropy >= SPREAD * head.even_entropy:
        reason = _("Its rows have an entropy of {entropy} nats on average; an even spread has {even}.")
        return Role(
            name=_("spread"),
            evidence=_entropy(head),
            reason=reason.format(entropy=f"{head.entropy:.2f}", even=f"{head.even_entropy:.2f}"),
        )
    return _mixed(head, by_weight)


def _entropy(head: HeadMeasures) -> str:
    return _("entropy {entropy} nats").format(entropy=f"{head.entropy:.2f}")


def _frequent(head: HeadMeasures) -> list[Aim]:
    """What at least half of the rows with a choice can look at."""
    return [aim for aim, share in head.shares.items() if 2 * share.n_rows >= head.n_rows]


def _aimed(head: HeadMeasures, aim: Aim, kind: Kind) -> Role:
    name, what = map(_, _NAMES[aim])
    share = head.shares[aim]
    reason = ngettext(
        "The one row that can look at {what} puts {weight} of the weight there; an even spread would put {even}.",
        "The {n} rows that can look at {what} put {weight} of the weight there on average; "
        "an even spread would put {even}.",
        share.n_rows,
    ).format(n=share.n_rows, what=what, weight=f"{share.weight:.2f}", even=f"{share.even:.2f}")
    if kind == "decoder" and aim in ("previous", "same"):
        reason += " " + _("A row is named after its input token, and predicts the one after it.")
    evidence = _("{weight} of the weight on {what}").format(weight=f"{share.weight:.2f}", what=what)
    return Role(name=name, evidence=evidence, reason=reason)


def _word_to_word(head: HeadMeasures, kind: Kind) -> Role:
    if kind == "cross":
        name, evidence = _("alignment head"), _("{focus} of the weight on one source token")
        reason = _(
            "The {n} predicted tokens of words put {focus} of their weight on one source token on average, "
            "and look at {different} different ones."
        )
    else:
        name, evidence = _("word-to-word head"), _("{focus} of the weight on one other token")
        reason = _(
            "The {n} tokens of words put {focus} of their weight on one other token on average, "
            "and look at {different} different ones."
        )
    focus, different = f"{head.focus:.2f}", round(head.variety * head.n_words)
    return Role(
        name=name,
        evidence=evidence.format(focus=focus),
        reason=reason.format(n=head.n_words, focus=focus, different=different),
    )


def _mixed(head: HeadMeasures, by_weight: list[Aim]) -> Role:
    reason = _(
        "No kind of token that most rows can look at gets half of the weight "
        "and twice what an even spread would give it."
    )
    if not by_weight:
        return Role(name=_("mixed"), evidence=_entropy(head), reason=reason)
    share = head.shares[by_weight[0]]
    numbers = {
        "what": _(_NAMES[by_weight[0]][1]),
        "weight": f"{share.weight:.2f}",
        "even": f"{share.even:.2f}",
    }
    most = _("Most, {weight}, lies on {what}, where an even spread would put {even}.").format(**numbers)
    evidence = _("most weight, {weight}, on {what}").format(**numbers)
    return Role(name=_("mixed"), evidence=evidence, reason=f"{reason} {most}")
