"""Many sentences at once: the same hypotheses as one by one, in a fraction of the time."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import torch
from jaxtyping import Int
from torch import Tensor, nn

from explainer.decode.search.beam import choose, first_beam, follow
from explainer.decode.search.prefixes import FrontierT, Hypothesis, NextLogProbs
from explainer.decode.search.rules import BeamRules
from explainer.decode.search.step import Beam
from explainer.decode.sources.source import source_of
from explainer.model.config import whole
from explainer.text.tokenizer import END_ID, PAD_ID

RulesFor = Callable[[int], BeamRules]  # how to search a sentence of so many source tokens, `</s>` not counted
_CROWDED = 0.75  # below this share of open sentences the others are taken out of the batch


def source_batch(sentences: Sequence[Sequence[int]]) -> Int[Tensor, "sentence source"]:
    """The encoder's input: token ids as the tokenizer gives them, each with `</s>`, padded at the end."""
    longest = max(map(len, sentences))
    return torch.tensor([[*ids, END_ID, *[PAD_ID] * (longest - len(ids))] for ids in sentences])


def translate_batch(
    model: nn.Module, sentences: Sequence[Sequence[int]], rules: BeamRules | RulesFor, batch_size: int = 64
) -> list[tuple[Hypothesis, ...]]:
    """The finished hypotheses of each sentence, best first, as `best_hypotheses` finds them.

    Args:
        model: The model, in eval mode.
        sentences: Token ids of each source sentence, without `</s>`.
        rules: How to search; or how, by the length of the source: then only sentences of the same rules share a batch.
        batch_size: How many sentences are searched together; sentences of like lengths share a batch.
    """
    found = dict(each_translated(model, sentences, rules, batch_size))
    return [found[i] for i in range(len(sentences))]


def each_translated(
    model: nn.Module, sentences: Sequence[Sequence[int]], rules: BeamRules | RulesFor, batch_size: int = 64
) -> Iterator[tuple[int, tuple[Hypothesis, ...]]]:
    """As `translate_batch`, but one by one as they are found, short sentences first: their numbers and hypotheses."""
    whole("batch_size", batch_size, 1)
    device = next(model.parameters()).device
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    for same, alike in groupby(order, lambda i: rules(len(sentences[i])) if callable(rules) else rules):
        numbers = list(alike)
        for first in range(0, len(numbers), batch_size):
            chosen = numbers[first : first + batch_size]
            sources = source_batch([sentences[i] for i in chosen]).to(device)
            yield from zip(chosen, search_all(source_of(model, sources), same), strict=True)


@torch.inference_mode()
def search_all(source: NextLogProbs[FrontierT], rules: BeamRules) -> list[tuple[Hypothesis, ...]]:
    """Beam search for all sentences of `source`; those that are done are taken out on the way."""
    beam = first_beam(source)
    numbers = list(range(len(beam.finished)))  # which sentence each row of the beam is
    found: list[tuple[Hypothesis, ...]] = [()] * len(numbers)
    while True:
        choice = choose(beam, rules)
        for number, finished in zip(numbers, choice.finished, strict=True):
            found[number] = finished
        if not any(choice.is_open):
            return found
        beam = follow(source, beam, choice)
        still = [row for row, is_open in enumerate(beam.is_open) if is_open]
        if len(still) <= _CROWDED * len(numbers):
            beam, numbers = _only(source, beam, still), [numbers[row] for row in still]


def _only(source: NextLogProbs[FrontierT], beam: Beam[FrontierT], rows: list[int]) -> Beam[FrontierT]:
    """The beam of these sentences."""
    return Beam(
        source.select(beam.frontier, rows),
        beam.log_prob[rows],
        beam.tokens[rows],
        tuple(beam.finished[row] for row in rows),
        tuple(beam.is_open[row] for row in rows),
    )
