"""What greedy decoding says of a sentence, decoded once for all visitors; stepping only looks at it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from torch import Tensor

from explainer.capture.record import Intervention
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.sources.batch import source_batch
from explainer.decode.watched.walk import MODES, Mode, Walk, detour, measured, walk
from explainer.equations.decoding import lead
from explainer.equations.softmax import largest_difference
from explainer.language import _
from explainer.pages.frame.caches import kept
from explainer.pages.frame.cut import limit_of
from explainer.pages.frame.session import Specs
from explainer.translator.translator import Translator
from explainer.whatif.change import Lengths
from explainer.whatif.changes import check, compiled, edited, parse


@dataclass(frozen=True, eq=False)
class Decoded:
    """Greedy search of one sentence: `plain` feeds everything again at every step, `cached` keeps keys and values.

    Attributes:
        cached: None if the model cannot have a cache.
        refused: Why the cache must not be used; "" if it may.
        refused_by: The changes that forbid it, in words; empty if it is the model itself.
        closest: The step at which the two most probable tokens were closest.
        deviation: Max |Δ| of the log-probabilities of both, over all steps and the whole vocabulary.
    """

    plain: Walk
    cached: Walk | None
    refused: str
    refused_by: tuple[str, ...]
    closest: int
    deviation: float

    @property
    def may_cache(self) -> bool:
        """Whether the key/value cache gives the same numbers."""
        return self.cached is not None and not self.refused

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Those that give the right numbers."""
        return ("re-feed", "cache") if self.may_cache else ("re-feed",)

    def walk(self, mode: Mode) -> Walk:
        """The search in this mode."""
        return self.cached if mode == "cache" and self.cached is not None else self.plain


@kept(mebibytes=128)
def decoded(model: Translator, text: str, specs: Specs = ()) -> Decoded:
    """Decode a sentence, under changes, without a cache, then the same tokens with one."""
    network, sources, acts = model.checkpoint.model, _sources(model, text, specs), _acts(model, specs)
    plain = walk(network, sources, "re-feed", limit=limit_of(model, text), interventions=acts)
    closest = int(lead(plain.log_probs).argmin())
    try:
        cached = walk(network, sources, "cache", tokens=plain.tokens, interventions=_acts(model, specs))
    except ValueError as error:
        return Decoded(plain, None, str(error), (), closest, float("nan"))
    forbidding = _forbidding(model, specs)
    return Decoded(
        plain,
        cached,
        _("these changes need all rows at every step") if forbidding else "",
        forbidding,
        closest,
        largest_difference(plain.log_probs.ravel(), cached.log_probs.ravel()),
    )


@kept(mebibytes=32)
def log_probs_along(
    model: Translator, text: str, tokens: tuple[int, ...], specs: Specs = ()
) -> Float[np.ndarray, "step vocab"]:
    """What each step says when it is made to say `tokens`: to compare two passes on one prefix."""
    sources, acts = _sources(model, text, specs), _acts(model, specs)
    return walk(model.checkpoint.model, sources, "re-feed", tokens=tokens, interventions=acts).log_probs


@kept(mebibytes=8)
def detour_of(model: Translator, text: str, prefix: tuple[int, ...], specs: Specs = ()) -> Hypothesis:
    """What greedy search says after it was made to begin with `prefix`."""
    sources, acts, anew = _sources(model, text, specs), _acts(model, specs), bool(_forbidding(model, specs))
    limit = limit_of(model, text)
    return detour(model.checkpoint.model, sources, prefix, anew=anew, limit=limit, interventions=acts)


@kept(mebibytes=2)
def seconds_of(
    model: Translator, text: str, tokens: tuple[int, ...], specs: Specs, turn: int
) -> Float[np.ndarray, "mode step"]:
    """Seconds of each step with everything fed again, and with the cache; measured anew for each `turn`."""
    network = model.checkpoint.model
    modes = MODES if decoded(model, text, specs).cached is not None else MODES[:1]
    sources = _sources(model, text, specs)
    return measured(network, sources, tokens, modes=modes, interventions=lambda: _acts(model, specs))


def _sources(model: Translator, text: str, specs: Specs) -> Tensor:
    """The source under the changes, once they have been checked."""
    changes = tuple(map(parse, specs))
    sources = source_batch([edited(changes, model.source_ids(text))])
    check(changes, model.checkpoint.model, Lengths(sources.shape[1], limit_of(model, text)))
    return sources


def _acts(model: Translator, specs: Specs) -> Mapping[str, Intervention]:
    return compiled(tuple(map(parse, specs)), model.checkpoint.model)


def _forbidding(model: Translator, specs: Specs) -> tuple[str, ...]:
    """In words, the changes that point at rows of the decoder."""
    piece = model.checkpoint.tokenizer.piece
    return tuple(change.words(piece) for change in map(parse, specs) if change.needs_rows)
