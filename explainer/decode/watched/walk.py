"""Greedy decoding watched step by step: what each step said, and which rows it put through which projection."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from explainer.capture.record import Intervention, Recorder, changed
from explainer.capture.trace import read_only
from explainer.decode.search.beam import beam_search, first_beam, force
from explainer.decode.search.prefixes import Frontier, Hypothesis
from explainer.decode.search.rules import BeamRules
from explainer.decode.sources import source_of
from explainer.decode.sources.transformer import CachedModel, PlainModel
from explainer.decode.sources.wrappers import Clock
from explainer.decode.watched.meter import LETTERS, Meter, Work
from explainer.language import mark
from explainer.measures.anatomy import Kind
from explainer.model.hooks import listening
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID

Mode = Literal["re-feed", "cache"]
MODES: tuple[Mode, ...] = (mark("re-feed"), mark("cache"))
_SOURCES: Mapping[Mode, Callable[..., Any]] = {"re-feed": PlainModel, "cache": CachedModel}


@dataclass(frozen=True, eq=False)
class Walk:
    """A greedy search that came to its end. Step t reads token t − 1 (at first `<s>`) and says token t.

    Attributes:
        tokens: What it said; `</s>` last if it got there before the limit.
        log_probs: What each step said of the whole vocabulary, in nats.
        logits: The same before the softmax.
        across: Cross-attention of the row that said it.
        sums: Σ log p of the tokens up to each step, as the search added them.
        work: What each step computed.
    """

    tokens: tuple[int, ...]
    log_probs: Float[np.ndarray, "step vocab"]
    logits: Float[np.ndarray, "step vocab"]
    across: Float[np.ndarray, "step layer head source"]
    sums: Float[np.ndarray, " step"]
    work: tuple[Work, ...]

    @property
    def finished(self) -> bool:
        """Whether it ends in `</s>`; else it was cut at the limit."""
        return self.tokens[-1] == END_ID

    def rows(self, kind: Kind, letters: Sequence[str] = LETTERS) -> Int[np.ndarray, " step"]:
        """Rows that each step projected in attention of this kind, over all layers and the given letters."""
        return np.array([sum(step.rows[kind, letter] for letter in letters) for step in self.work])

    @property
    def seconds(self) -> Float[np.ndarray, " step"]:
        """How long each step took."""
        return np.array([step.seconds for step in self.work])


def walk(
    model: Transformer,
    sources: Int[Tensor, "1 source"],
    mode: Mode,
    *,
    limit: int = 100,
    tokens: Sequence[int] | None = None,
    interventions: Mapping[str, Intervention] | None = None,
) -> Walk:
    """Decode one sentence and watch every step.

    Args:
        model: The model, in eval mode.
        sources: The source sentence, `</s>` last.
        mode: Feed the whole prefix again at every step, or keep keys and values.
        limit: Most tokens to say.
        tokens: What to say, whatever is most probable: to compare both modes on one prefix. By default, the most
            probable token at every step.
        interventions: By hook name, what stands in place of a tensor at every step.

    Raises:
        ValueError: the model is in training mode, or there is nothing to cache.
    """
    source = Clock(_SOURCES[mode](model, sources))
    steps = _greedy(source, limit) if tokens is None else _along(source, tokens)
    meter = Meter(model, interventions)
    said: list[int] = []
    log_probs, logits, across, work, sums = [], [], [], [], []
    with listening(meter):
        for frontier, token, log_prob in steps:
            work.append(meter.taken(source.seconds))
            log_probs.append(frontier.log_probs[0, 0].numpy(force=True))
            logits.append(meter.logits())
            across.append(meter.across())
            said.append(token)
            sums.append(log_prob)
    return Walk(
        tokens=tuple(said),
        log_probs=read_only(np.stack(log_probs)),
        logits=read_only(np.stack(logits)),
        across=read_only(np.stack(across)),
        sums=read_only(np.array(sums)),
        work=tuple(work),
    )


def measured(
    model: Transformer,
    sources: Int[Tensor, "1 source"],
    tokens: Sequence[int],
    *,
    modes: Sequence[Mode] = MODES,
    rounds: int = 5,
    interventions: Callable[[], Mapping[str, Intervention]] = dict,
) -> Float[np.ndarray, "mode step"]:
    """Seconds of each step, the median of several rounds in which the modes take turns.

    Both run through the same modules, and nobody keeps what they compute. A first round is not counted.

    Args:
        model: The model, in eval mode.
        sources: The source sentence, `</s>` last.
        tokens: What to say.
        modes: What to measure.
        rounds: How often.
        interventions: Makes what stands in place of tensors, anew for each decoding.
    """
    seconds = np.empty((rounds + 1, len(modes), len(tokens)))
    for turn in range(rounds + 1):
        for place, mode in enumerate(modes):
            with listening(Recorder(model, _nothing, interventions())):
                source = Clock(_SOURCES[mode](model, sources))
                for step, _ in enumerate(_along(source, tokens)):
                    seconds[turn, place, step] = source.seconds
    return np.median(seconds[1:], axis=0)


def detour(
    model: Transformer,
    sources: Int[Tensor, "1 source"],
    prefix: Sequence[int],
    *,
    anew: bool = False,
    limit: int = 100,
    interventions: Mapping[str, Intervention] | None = None,
) -> Hypothesis:
    """What greedy search says after it was made to begin with `prefix`; arguments as for `walk`.

    Args:
        model: The model.
        sources: The source sentence.
        prefix: Its first tokens, whatever is most probable. It may end in `</s>`: then nothing follows.
        anew: See `source_of`.
        limit: Most tokens to say, the prefix counted.
        interventions: What stands in place of a tensor.
    """
    with changed(model, interventions or {}):
        source = source_of(model, sources, anew=anew)
        beam = first_beam(source)
        for token in prefix:
            beam = force(source, beam, 0, token)
        if prefix[-1] == END_ID or len(prefix) >= limit:
            log_prob = float(beam.log_prob[0, 0])
            return Hypothesis(tuple(prefix), log_prob, log_prob, finished=prefix[-1] == END_ID)
        *_, last = beam_search(source, _greedy_rules(limit), start=beam)
        return last.finished[0]


Said = tuple[Frontier, int, float]  # what a step says, the token that is taken, Σ log p up to it


def _greedy(source: Any, limit: int) -> Iterator[Said]:
    for report in beam_search(source, _greedy_rules(limit)):
        yield report.beam.frontier, int(report.tokens[0]), float(report.log_probs[0])


def _greedy_rules(limit: int) -> BeamRules:
    return BeamRules(beam_size=1, max_new_tokens=limit, early_stopping=True)


def _along(source: Any, tokens: Sequence[int]) -> Iterator[Said]:
    frontier, total = source.start(), 0.0
    for step, token in enumerate(tokens):
        if step:
            frontier = source.extend(frontier, torch.tensor([[0]]), torch.tensor([[tokens[step - 1]]]))
        total += float(frontier.log_probs[0, 0, token])
        yield frontier, token, total


def _nothing(name: str) -> bool:
    return False
