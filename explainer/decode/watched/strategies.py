"""All strategies on one sentence of a model: searches, a sample, exact search, each with what it cost."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.search.sampling import SampleStep, SamplingRules, sample
from explainer.decode.sources import source_of
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.wrappers import Tally
from explainer.decode.watched.comparison import Comparison, Found
from explainer.language import mark
from explainer.model.transformer import Transformer


@dataclass(frozen=True, eq=False)
class Sampled:
    """A sentence that was drawn.

    Attributes:
        steps: Each of its tokens.
        found: The whole, and what it cost.
    """

    steps: tuple[SampleStep[Any], ...]
    found: Found

    @property
    def least_probable(self) -> int:
        """The step at which the model gave the drawn token the least probability: there chance did most."""
        log_ps = [float(step.frontier.log_probs[0, 0, step.token]) for step in self.steps]
        return log_ps.index(min(log_ps))


def sampled(make: Callable[[], Tally[Any]], rules: SamplingRules, penalty: LengthPenalty) -> Sampled:
    """Draw a sentence and count what that costs."""
    tally, started = make(), time.perf_counter()
    steps = tuple(sample(tally, rules))
    seconds = time.perf_counter() - started
    drawn = steps[-1].sampled
    scored = replace(drawn, score=penalty.score(drawn.log_prob, len(drawn)))
    return Sampled(steps, Found(scored, tally.n_read, tally.n_passes, tally.n_bytes, seconds))


def compared(model: Transformer, source_ids: Sequence[int], rules: SamplingRules, budget: int) -> Comparison:
    """All strategies by log p on one sentence, worked through to the end.

    Args:
        model: The model, in eval mode.
        source_ids: The sentence, without `</s>`.
        rules: How one sentence is sampled; its limit holds for all strategies.
        budget: How many prefixes exact search may read.
    """
    sources = source_batch([source_ids])

    def make() -> Tally[Any]:
        return Tally(source_of(model, sources))

    found = Comparison(make, BeamRules(max_new_tokens=rules.max_new_tokens))
    found.advance(math.inf, budget)
    found.samples[mark("sample")] = sampled(make, rules, LengthPenalty()).found
    return found


def described(found: Comparison, decode: Callable[[Sequence[int]], str]) -> dict[str, dict[str, Any]]:
    """What each strategy came to, in numbers and words, by its name."""
    return {
        name: {
            "translation": decode(one.hypothesis.words),
            "log_prob": one.hypothesis.log_prob,
            "finished": one.hypothesis.finished,
            "prefixes": one.n_read,
            "cache_bytes": one.n_bytes,
            "seconds": one.seconds,
            "search_error": found.missed_better(one.hypothesis),
        }
        for name, one in found.rows.items()
    }
