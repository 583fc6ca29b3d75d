"""Strategies on a sentence: searches that all visitors share and that go on bit by bit, samples, measured widths."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from explainer.pages.frame.models import translator
from explainer.pages.frame.session import Specs

if TYPE_CHECKING:
    from explainer.decode.search.rules import BeamRules
    from explainer.decode.search.sampling import SamplingRules
    from explainer.decode.sources.wrappers import Tally
    from explainer.decode.watched.comparison import Comparison
    from explainer.decode.watched.strategies import Sampled

WIDTHS_FILE = "widths.json"


@dataclass(frozen=True)
class Question:
    """What is searched, and by which score.

    Attributes:
        checkpoint: Digest of the model.
        sentence: English.
        specs: What is changed on the way.
        penalty: Name of the length penalty.
        alpha: Its α.
        limit: Most tokens.
    """

    checkpoint: str
    sentence: str
    specs: Specs
    penalty: str
    alpha: float
    limit: int

    @property
    def rules(self) -> "BeamRules":
        """Of the searches, but for the width."""
        from explainer.decode.search.rules import BeamRules, LengthPenalty

        penalty: Any = LengthPenalty(self.penalty, self.alpha)  # pyright: ignore[reportArgumentType]
        return BeamRules(max_new_tokens=self.limit, penalty=penalty)


@st.cache_resource(max_entries=32, show_spinner=False)
def comparison_of(question: Question) -> "Comparison":
    """The searches of a question: begun by whoever asks first, shared by all who ask the same."""
    from explainer.decode.watched.comparison import Comparison

    return Comparison(_sources(question.sentence, question.specs), question.rules)


@st.cache_resource(max_entries=128, show_spinner=False)
def sample_of(question: Question, rules: "SamplingRules") -> "Sampled":
    """A sentence that is drawn by these rules."""
    from explainer.decode.watched.strategies import sampled

    return sampled(_sources(question.sentence, question.specs), rules, question.rules.penalty)


@st.cache_data(max_entries=256, show_spinner=False)
def log_probs_of(question: Question, tokens: tuple[int, ...]) -> np.ndarray:
    """Log p of each of these tokens by a pass that reads them all at once: teacher forcing. [token]."""
    from explainer.equations.output import LOG_PROB
    from explainer.whatif.changes import parse

    changes = tuple(map(parse, question.specs))
    trace = translator().trace(question.sentence, tokens, wanted=LOG_PROB.__eq__, changes=changes)
    return trace[LOG_PROB][np.arange(len(tokens)), list(tokens)]


@st.cache_data(show_spinner=False)
def measured_widths(checkpoint: str) -> dict[str, Any] | None:
    """What `tests/benchmarks/bench_widths.py` measured on 50 sentences of the test split; None if it was not.

    Args:
        checkpoint: Digest of the model; the result says in `is_other` whether it was measured with another one.
    """
    from explainer.translator.translator import PRETRAINED

    try:
        found = json.loads((PRETRAINED / "translator" / WIDTHS_FILE).read_text(encoding="utf-8"))
        return {**found, "is_other": found["model"] != checkpoint}
    except (OSError, ValueError, KeyError):
        return None


def spelled(tokens: tuple[int, ...]) -> str:
    """Tokens as text; the empty sentence is ∅."""
    return translator().checkpoint.tokenizer.decode(tokens) or "∅"


def _sources(text: str, specs: Specs) -> "Callable[[], Tally[Any]]":
    """Makes a source that counts, with an empty cache, or without one where a change forbids it."""
    from explainer.capture.record import changed
    from explainer.decode.sources.batch import source_batch
    from explainer.decode.sources.transformer import CachedModel, PlainModel
    from explainer.decode.sources.wrappers import Tally
    from explainer.whatif.changes import compiled, edited, parse

    owner, changes = translator(), tuple(map(parse, specs))
    model = owner.checkpoint.model
    sources = source_batch([edited(changes, owner.source_ids(text))])
    again = not model.config.look_ahead_mask or any(change.needs_rows for change in changes)

    def around() -> AbstractContextManager[None]:
        return changed(model, compiled(changes, model.config))

    def make() -> "Tally[Any]":
        source: Any = PlainModel(model, sources) if again else CachedModel(model, sources)
        return Tally(source, around)

    return make
