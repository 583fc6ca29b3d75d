"""Sampling: draw the next token instead of ranking all of them.

The order of operations is that of transformers: temperature, then top-k, then top-p, then what is left is made to sum
to one again. So each token has two probabilities, the model's and the one it was drawn with; they are kept apart.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from explainer.decode.search.prefixes import FrontierT, Hypothesis, NextLogProbs
from explainer.model.config import whole
from explainer.text.tokenizer import END_ID

MAX_TEMPERATURE = 10.0
MAX_SEED = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class SamplingRules:
    """How to draw. The defaults draw from the model's own distribution.

    Attributes:
        temperature: T: log-probabilities are divided by it; 1 changes nothing, less sharpens, more flattens.
        top_k: Only this many most probable tokens may be drawn (Fan et al. 2018, §5); 0: all.
        top_p: Only the most probable tokens that together have at least this probability may be drawn, after the
            temperature and top-k: the nucleus (Holtzman et al. 2020, §3.1); 1: all.
        seed: Where chance starts; the same seed draws the same.
        max_new_tokens: Limit of tokens, `</s>` included; what reaches it is cut.
        end_id: The token that ends a sentence.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    max_new_tokens: int = 100
    end_id: int = END_ID

    def __post_init__(self) -> None:
        if not 0 < self.temperature <= MAX_TEMPERATURE:
            raise ValueError(
                f"temperature = {self.temperature!r}: must be above 0 and at most {MAX_TEMPERATURE}; "
                "greedy search is the limit at 0"
            )
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p = {self.top_p!r}: must be above 0 and at most 1")
        for name, bound in (("top_k", 0), ("max_new_tokens", 1), ("end_id", 0)):
            whole(name, getattr(self, name), bound)
        whole("seed", self.seed, 0, MAX_SEED)


@dataclass(frozen=True, eq=False)
class SampleStep(Generic[FrontierT]):
    """One token drawn.

    Attributes:
        frontier: What the model said.
        tokens: What had been drawn before.
        token: What was drawn now.
        log_prob: Σ log p of all of them by the model, in nats.
        drawn_log_prob: Σ log of the probabilities that they were drawn with.
        uniform: The random number that chose: the token in whose share of the line from 0 to 1 it falls, the most
            probable tokens first.
        rules: How it was drawn.
    """

    frontier: FrontierT
    tokens: tuple[int, ...]
    token: int
    log_prob: float
    drawn_log_prob: float
    uniform: float
    rules: SamplingRules

    @property
    def step(self) -> int:
        """The number of this step, from 0."""
        return len(self.tokens)

    @cached_property
    def drawn_from(self) -> Float[np.ndarray, " vocab"]:
        """Log of the probability with which each token could be drawn; −∞ for those that could not."""
        found = sampling_log_probs(self.frontier.log_probs[0, 0], self.rules).numpy(force=True)
        found.flags.writeable = False
        return found

    @property
    def is_last(self) -> bool:
        """Whether nothing follows: the end was drawn, or the limit is reached."""
        return self.token == self.rules.end_id or self.step + 1 == self.rules.max_new_tokens

    @property
    def sampled(self) -> Hypothesis:
        """Everything so far as a hypothesis, its score the model's log-probability."""
        tokens = (*self.tokens, self.token)
        return Hypothesis(tokens, self.log_prob, self.log_prob, finished=self.token == self.rules.end_id)


@torch.inference_mode()
def sample(source: NextLogProbs[FrontierT], rules: SamplingRules) -> Iterator[SampleStep[FrontierT]]:
    """Draw one sentence token by token; yields a report of every step, before the next is computed.

    Chance comes from a generator of this search alone: nobody else's draws change it.

    Raises:
        ValueError: the log-probabilities are not numbers.
    """
    chance = torch.Generator().manual_seed(rules.seed)
    frontier, tokens, log_prob, drawn_log_prob = source.start(), (), 0.0, 0.0
    while True:
        row = frontier.log_probs[0, 0]
        if bool(row.isnan().any()):
            raise ValueError(f"step {len(tokens)}: log-probabilities are not numbers (NaN)")
        drawn_from = sampling_log_probs(row, rules)
        uniform = float(torch.rand((), generator=chance, dtype=torch.float64))
        token = _drawn(drawn_from, uniform)
        log_prob += float(row[token])
        drawn_log_prob += float(drawn_from[token])
        step = SampleStep(frontier, tokens, token, log_prob, drawn_log_prob, uniform, rules)
        yield step
        if step.is_last:
            return
        frontier = source.extend(frontier, torch.tensor([[0]]), torch.tensor([[token]]))
        tokens = (*tokens, token)


def sampling_log_probs(
    log_probs: Float[Tensor, "*row vocab"], rules: SamplingRules
) -> Float[Tensor, "*row vocab"]:
    """Log of the probability with which each token is drawn: temperature, top-k, top-p, and one again in sum.

    Args:
        log_probs: What the model says; logits do as well.
        rules: How to draw. As in transformers, of equals at the bound of top-k all stay.
    """
    kept = log_probs.double() / rules.temperature
    if 0 < rules.top_k < kept.shape[-1]:
        bound = kept.topk(rules.top_k, dim=-1).values[..., -1:]
        kept = kept.masked_fill(kept < bound, -math.inf)
    if rules.top_p < 1:
        values, order = kept.sort(dim=-1, descending=True, stable=True)
        probs = values.softmax(dim=-1)
        beyond = probs.cumsum(dim=-1) - probs >= rules.top_p  # those before it have enough together
        beyond[..., 0] = False
        kept = kept.masked_fill(beyond.scatter(-1, order, beyond), -math.inf)
    return kept.log_softmax(dim=-1)


def _drawn(drawn_from: Float[Tensor, " vocab"], uniform: float) -> int:
    """The token in whose share of the line from 0 to 1 the number falls, the most probable tokens first."""
    values, order = drawn_from.sort(descending=True, stable=True)
    ends = values.exp().cumsum(dim=-1)
    n_possible = int(values.isfinite().sum())
    place = int(torch.searchsorted(ends, uniform * float(ends[-1]), right=True))
    return int(order[min(place, n_possible - 1)])
