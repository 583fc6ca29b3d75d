"""What greedy decoding says of a sentence, decoded once for all visitors; stepping only looks at it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from jaxtyping import Float

from explainer.equations.decoding import lead
from explainer.equations.difference import largest_difference
from explainer.pages.cut import limit_of
from explainer.pages.state import Specs, translator

if TYPE_CHECKING:
    from torch import Tensor

    from explainer.capture.record import Intervention
    from explainer.decode.hypothesis import Hypothesis
    from explainer.decode.walk import Mode, Walk


@dataclass(frozen=True, eq=False)
class Decoded:
    """Greedy search of one sentence.

    Attributes:
        plain: Everything fed again at every step.
        cached: The same tokens with a key/value cache; None if the model cannot have one.
        refused: Why the cache must not be used; "" if it may.
        refused_by: The changes that forbid it, in words; empty if it is the model itself.
        closest: The step at which the two most probable tokens were closest.
        deviation: Max |Δ| of the log-probabilities of both, over all steps and the whole vocabulary.
    """

    plain: "Walk"
    cached: "Walk | None"
    refused: str
    refused_by: tuple[str, ...]
    closest: int
    deviation: float

    @property
    def may_cache(self) -> bool:
        """Whether the key/value cache gives the same numbers."""
        return self.cached is not None and not self.refused

    @property
    def modes(self) -> "tuple[Mode, ...]":
        """Those that give the right numbers."""
        return ("re-feed", "cache") if self.may_cache else ("re-feed",)

    def walk(self, mode: "Mode") -> "Walk":
        """The search in this mode."""
        return self.cached if mode == "cache" and self.cached is not None else self.plain


@st.cache_resource(max_entries=24, show_spinner="Decoding …")
def decoded(checkpoint: str, text: str, specs: Specs = (), *, name: str = "translator") -> Decoded:
    """Decode a sentence without a cache, then the same tokens with one.

    Args:
        checkpoint: Digest of the weights: another model is another entry.
        text: English.
        specs: What is changed on the way.
        name: Which model.
    """
    from explainer.decode.walk import walk

    model, sources = translator(name).checkpoint.model, _sources(text, specs, name)
    plain = walk(model, sources, "re-feed", limit=limit_of(text, name), interventions=_acts(specs, name))
    closest = int(lead(plain.log_probs).argmin())
    try:
        cached = walk(model, sources, "cache", tokens=plain.tokens, interventions=_acts(specs, name))
    except ValueError as error:
        return Decoded(plain, None, str(error), (), closest, float("nan"))
    forbidding = _forbidding(specs, name)
    return Decoded(
        plain,
        cached,
        "these changes need all rows at every step" if forbidding else "",
        forbidding,
        closest,
        largest_difference(plain.log_probs.ravel(), cached.log_probs.ravel()),
    )


@st.cache_data(max_entries=64, show_spinner=False)
def log_probs_along(
    checkpoint: str, text: str, tokens: tuple[int, ...], specs: Specs = ()
) -> Float[np.ndarray, "step vocab"]:
    """What each step says when it is made to say `tokens`: to compare two passes on one prefix."""
    from explainer.decode.walk import walk

    model = translator().checkpoint.model
    return walk(model, _sources(text, specs), "re-feed", tokens=tokens, interventions=_acts(specs)).log_probs


@st.cache_resource(max_entries=256, show_spinner=False)
def detour_of(checkpoint: str, text: str, prefix: tuple[int, ...], specs: Specs = ()) -> "Hypothesis":
    """What greedy search says after it was made to begin with `prefix`."""
    from explainer.decode.walk import detour

    model = translator().checkpoint.model
    mode: Mode = "re-feed" if _forbidding(specs) or not model.config.look_ahead_mask else "cache"
    return detour(
        model, _sources(text, specs), mode, prefix, limit=limit_of(text), interventions=_acts(specs)
    )


@st.cache_data(max_entries=64, show_spinner=False)
def seconds_of(
    checkpoint: str, text: str, tokens: tuple[int, ...], specs: Specs, turn: int
) -> Float[np.ndarray, "mode step"]:
    """Seconds of each step with everything fed again, and with the cache; measured anew for each `turn`."""
    from explainer.decode.walk import MODES, measured

    model = translator().checkpoint.model
    modes = MODES if model.config.look_ahead_mask else MODES[:1]
    return measured(model, _sources(text, specs), tokens, modes=modes, interventions=lambda: _acts(specs))


def _sources(text: str, specs: Specs, name: str = "translator") -> "Tensor":
    """The source under the changes, once they have been checked."""
    from explainer.decode.batch import source_batch
    from explainer.whatif.change import Lengths
    from explainer.whatif.changes import check, edited, parse

    changes, model = tuple(map(parse, specs)), translator(name)
    sources = source_batch([edited(changes, model.source_ids(text))])
    check(changes, model.checkpoint.model.config, Lengths(sources.shape[1], limit_of(text, name)))
    return sources


def _acts(specs: Specs, name: str = "translator") -> "Mapping[str, Intervention]":
    from explainer.whatif.changes import compiled, parse

    return compiled(tuple(map(parse, specs)), translator(name).checkpoint.model.config)


def _forbidding(specs: Specs, name: str = "translator") -> tuple[str, ...]:
    """In words, the changes that point at rows of the decoder."""
    from explainer.whatif.changes import parse

    piece = translator(name).checkpoint.tokenizer.piece
    return tuple(change.words(piece) for change in map(parse, specs) if change.needs_rows)
