"""Strategies on a sentence: searches that all visitors share and that go on bit by bit, samples, measured widths."""

import json
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from explainer.capture.record import changed
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.search.sampling import SamplingRules
from explainer.decode.sources import source_of
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.wrappers import Tally
from explainer.decode.watched.comparison import Comparison
from explainer.decode.watched.strategies import Sampled, sampled
from explainer.equations.output import LOG_PROB
from explainer.files import PRETRAINED
from explainer.pages.frame.caches import kept
from explainer.pages.frame.session import Specs
from explainer.translator.translator import Translator
from explainer.whatif.changes import compiled, edited, parse

WIDTHS_FILE = "widths.json"


@dataclass(frozen=True)
class Question:
    """What is searched, under which changes, by which length penalty with its α, and the most tokens."""

    model: Translator
    sentence: str
    specs: Specs
    penalty: str
    alpha: float
    limit: int

    @property
    def digest(self) -> Hashable:
        """What it is found again by: a model counts by its own digest, or it would be kept alive."""
        return self.model.digest, self.sentence, self.specs, self.penalty, self.alpha, self.limit

    @property
    def rules(self) -> BeamRules:
        """Of the searches, but for the width."""
        penalty: Any = LengthPenalty(self.penalty, self.alpha)  # pyright: ignore[reportArgumentType]
        return BeamRules(max_new_tokens=self.limit, penalty=penalty)


@kept(mebibytes=64, most=32)
def comparison_of(question: Question) -> Comparison:
    """The searches of a question: begun by whoever asks first, shared by all who ask the same."""
    return Comparison(_sources(question), question.rules)


@kept(mebibytes=16)
def sample_of(question: Question, rules: SamplingRules) -> Sampled:
    """A sentence that is drawn by these rules."""
    return sampled(_sources(question), rules, question.rules.penalty)


@kept(mebibytes=8)
def log_probs_of(question: Question, tokens: tuple[int, ...]) -> np.ndarray:
    """Log p of each of these tokens by a pass that reads them all at once: teacher forcing. [token]."""
    changes = tuple(map(parse, question.specs))
    trace = question.model.trace(question.sentence, tokens, wanted=LOG_PROB.__eq__, changes=changes)
    return trace[LOG_PROB][np.arange(len(tokens)), list(tokens)]


@kept(mebibytes=1)
def measured_widths(model: Translator) -> dict[str, Any] | None:
    """What `python -m explainer measure widths` measured on 50 sentences of the test split; None if it was not."""
    try:
        found = json.loads((PRETRAINED / "translator" / WIDTHS_FILE).read_text(encoding="utf-8"))
        return {**found, "is_other": found["model"] != model.digest}
    except (OSError, ValueError, KeyError):
        return None


def _sources(question: Question) -> Callable[[], Tally[Any]]:
    """Makes a source that counts, with an empty cache, or without one where a change forbids it."""
    model, changes = question.model.checkpoint.model, tuple(map(parse, question.specs))
    sources = source_batch([edited(changes, question.model.source_ids(question.sentence))])
    anew = any(change.needs_rows for change in changes)
    return lambda: Tally(
        source_of(model, sources, anew=anew), lambda: changed(model, compiled(changes, model))
    )
