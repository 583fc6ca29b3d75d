"""Is a wider beam better? Many sentences, searched with beams of several widths and exactly."""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from explainer.decode.search.beam import best_hypotheses
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.sources import source_of
from explainer.decode.sources.batch import RulesFor, source_batch
from explainer.decode.sources.wrappers import Tally
from explainer.decode.watched.comparison import Comparison
from explainer.model.transformer import Transformer

WIDTHS = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True, eq=False)
class ByWidth:
    """One sentence.

    Attributes:
        none: What greedy search, beams and exact search found by log p.
        gnmt: What a beam of each width found by the score of GNMT.
    """

    none: Comparison
    gnmt: Mapping[int, Hypothesis]


def searched(
    model: Transformer,
    sources: Sequence[Sequence[int]],
    rules_for: RulesFor,
    budget: int,
    widths: Sequence[int] = WIDTHS,
) -> Iterator[ByWidth]:
    """Search sentence by sentence.

    Args:
        model: The model, in eval mode.
        sources: Token ids of each sentence, without `</s>`.
        rules_for: The rules, by the length of the source: their limit is taken, and their penalty beside none.
        budget: How many prefixes exact search may read, for each sentence.
        widths: Of the beams; width 1 is greedy search.
    """
    for ids in sources:
        sentence, rules = source_batch([ids]), rules_for(len(ids))

        def make(sentence: Any = sentence) -> Tally[Any]:
            return Tally(source_of(model, sentence))

        none = Comparison(make, replace(rules, penalty=LengthPenalty()), widths)
        none.advance(math.inf, budget)
        yield ByWidth(none, {width: best_hypotheses(make(), _wide(rules, width))[0] for width in widths})


def table(
    found: Sequence[ByWidth], budget: int, bleu: Callable[[Sequence[Hypothesis]], float]
) -> dict[str, dict[str, Any]]:
    """Means over the sentences: by score and width, and of exact search.

    Args:
        found: The sentences.
        budget: What exact search was given.
        bleu: BLEU of one hypothesis for each sentence.
    """

    def means(best: Sequence[Hypothesis]) -> dict[str, Any]:
        return {
            "bleu": bleu(best),
            "log_prob": statistics.mean(one.log_prob for one in best),
            "tokens": statistics.mean(map(len, best)),
            "empty": sum(not one.words for one in best),
        }

    def of(width: int) -> dict[str, Any]:
        best = [one.none.beams[width].hypothesis for one in found]
        errors = sum(one.none.missed_better(each) for one, each in zip(found, best, strict=True))
        return {**means(best), "search_errors": errors}

    exact = [one.none.exact for one in found]
    return {
        "none": {str(width): of(width) for width in found[0].gnmt},
        "gnmt": {str(width): means([one.gnmt[width] for one in found]) for width in found[0].gnmt},
        "exact": {
            **means([step.best for step in exact if step is not None and step.best is not None]),
            "proved": sum(one.none.state(budget) == "proved" for one in found),
            "budget": budget,
            "nodes": statistics.mean(step.n_expanded for step in exact if step is not None),
        },
    }


def _wide(rules: BeamRules, width: int) -> BeamRules:
    return replace(rules, beam_size=width, early_stopping=True if width == 1 else rules.early_stopping)
