"""What beam search must agree with: transformers' `generate`, and its rules written out with lists."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from transformers import GenerationConfig, GenerationMixin, MarianMTModel, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput

from explainer.decode.search.beam import BeamRules
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.table import ProbabilityTable
from explainer.text.tokenizer import PAD_ID, START_ID

Result = list[tuple[tuple[int, ...], float]]  # hypotheses with their scores, best first
EARLY_STOPPING: tuple[bool | str, ...] = (True, False, "never")


def rules_of(
    beam_size: int, limit: int, penalty: LengthPenalty, early_stopping: bool | str = "never", end_id: int = 2
) -> BeamRules:
    """The rules of a search in one line."""
    given: dict[str, Any] = {"penalty": penalty, "early_stopping": early_stopping, "end_id": end_id}
    return BeamRules(beam_size=beam_size, max_new_tokens=limit, **given)


def generate(peer: "MarianMTModel | TableModel", source: Tensor, rules: BeamRules) -> list[Result]:
    """The hypotheses of every sentence of `source` by transformers."""
    n_beams = rules.beam_size
    out = cast(Any, peer).generate(
        input_ids=source,
        attention_mask=source != PAD_ID,
        num_beams=n_beams,
        num_return_sequences=n_beams,
        max_new_tokens=rules.max_new_tokens,
        length_penalty=rules.penalty.alpha if rules.penalty.name == "huggingface" else 0.0,
        early_stopping=rules.early_stopping,
        eos_token_id=rules.end_id,
        pad_token_id=PAD_ID,
        decoder_start_token_id=START_ID,
        do_sample=False,
        return_dict_in_generate=True,
        output_scores=True,
    )
    lengths = (out.beam_indices >= 0).sum(dim=-1).tolist()
    rows = zip(out.sequences.tolist(), lengths, out.sequences_scores.tolist(), strict=True)
    found = [(tuple(tokens[1 : 1 + length]), score) for tokens, length, score in rows]
    return [found[first : first + n_beams] for first in range(0, len(found), n_beams)]


def generate_greedily(
    peer: "MarianMTModel | TableModel", source: Tensor, rules: BeamRules
) -> tuple[int, ...]:
    """transformers' greedy search of one sentence."""
    out = cast(Any, peer).generate(
        input_ids=source,
        num_beams=1,
        do_sample=False,
        max_new_tokens=rules.max_new_tokens,
        eos_token_id=rules.end_id,
        pad_token_id=PAD_ID,
        decoder_start_token_id=START_ID,
    )
    return tuple(out[0, 1:].tolist())


class TableModel(PreTrainedModel, GenerationMixin):
    """A table of probabilities as a language model of transformers: the log of a row stands for its logits."""

    config_class = PretrainedConfig
    main_input_name = "input_ids"

    def __init__(self, table: ProbabilityTable) -> None:
        super().__init__(PretrainedConfig())
        self.generation_config = GenerationConfig(use_cache=False)
        self.table = table
        self.anchor = nn.Parameter(torch.zeros(1))  # without one, a model stands on no device

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **kwargs: Any
    ) -> CausalLMOutput:
        """The row after all tokens but the first one, which is the start token."""
        words = self.table.vocabulary
        rows = [self.table.probabilities(tuple(words[i] for i in ids[1:])) for ids in input_ids.tolist()]
        return CausalLMOutput(logits=torch.tensor(rows).log()[:, None])  # type: ignore[arg-type]

    def prepare_inputs_for_generation(self, input_ids: Tensor, **kwargs: Any) -> dict[str, Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Everything is fed again at every step."""
        return {"input_ids": input_ids}


def rules_written_out(log_probs: Callable[[tuple[int, ...]], Sequence[float]], rules: BeamRules) -> Result:
    """Beam search with lists, straight from the rules of `generate`, for one sentence."""
    size, limit = rules.beam_size, rules.max_new_tokens
    alive: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    pool: Result = []
    for length in range(1, limit + 1):
        candidates = [
            ((*prefix, token), total + log_p)
            for prefix, total in alive
            for token, log_p in enumerate(log_probs(prefix))
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[1])
        looked_at = candidates[: 2 * size]
        done = [tokens[-1] == rules.end_id or length == limit for tokens, _ in looked_at]
        pool += [
            (tokens, total / divisor(rules, length))
            for (tokens, total), is_done in zip(looked_at[:size], done, strict=False)
            if is_done
        ]
        pool = sorted(pool, key=lambda hypothesis: -hypothesis[1])[:size]
        alive = [candidate for candidate, is_done in zip(looked_at, done, strict=True) if not is_done][:size]
        if not alive:
            break
        if len(pool) == size:
            far = rules.early_stopping == "never" and rules.penalty.alpha > 0
            if (
                rules.early_stopping is True
                or alive[0][1] / divisor(rules, limit if far else length) <= pool[-1][1]
            ):
                break
    return pool


def divisor(rules: BeamRules, length: int) -> float:
    """What the formulas of the three length penalties divide by."""
    alpha = rules.penalty.alpha
    return {"none": 1.0, "huggingface": length**alpha, "gnmt": ((5 + length) / 6) ** alpha}[
        rules.penalty.name
    ]


def every_sequence(
    log_probs: Callable[[tuple[int, ...]], Sequence[float]], n_tokens: int, rules: BeamRules
) -> Result:
    """All sequences that end in the end token or at the limit, with their scores, best first."""
    found: Result = []
    for length in range(1, rules.max_new_tokens + 1):
        for tokens in itertools.product(range(n_tokens), repeat=length):
            is_cut = length == rules.max_new_tokens
            if rules.end_id in tokens[:-1] or not (tokens[-1] == rules.end_id or is_cut):
                continue
            total = sum(log_probs(tokens[:i])[token] for i, token in enumerate(tokens))
            found.append((tokens, total / divisor(rules, length)))
    return sorted(found, key=lambda hypothesis: -hypothesis[1])
