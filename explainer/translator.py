"""The facade: load the translator, translate, trace. What a notebook user imports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import numpy as np
import torch

from explainer.capture.record import Intervention, changed, record
from explainer.capture.trace import Trace, TraceInfo, Wanted, everything, read_only
from explainer.checkpoints import Checkpoint, load_checkpoint
from explainer.decode.batch import source_batch
from explainer.decode.hypothesis import Hypothesis
from explainer.decode.model import CachedModel, PlainModel
from explainer.decode.penalty import LengthPenalty
from explainer.decode.search import BeamRules, best_hypotheses
from explainer.files import PRETRAINED
from explainer.model.layout import column_major
from explainer.model.transformer import END_ID, PAD_ID, START_ID
from explainer.text.tidy import tidy
from explainer.whatif.change import Lengths
from explainer.whatif.changes import Changes, check, combined, compiled, edited, in_words

BEAM_4 = BeamRules(beam_size=4, max_new_tokens=100, penalty=LengthPenalty("gnmt", 0.6))
MAX_TOKENS = 60  # source tokens that the app accepts, `</s>` not counted
_LONGER, _MORE = 1.5, 10  # a translation has at most so many times the tokens of its source, and so many more


class TooLongError(ValueError):
    """A sentence has more tokens than allowed."""

    def __init__(self, n_tokens: int, limit: int) -> None:
        super().__init__(f"{n_tokens} tokens; the limit is {limit}: please shorten the sentence")
        self.n_tokens, self.limit = n_tokens, limit


def rules_for(n_source: int) -> BeamRules:
    """Four beams, cut where no translation is that long any more: a model that was broken on purpose may never end.

    Args:
        n_source: Source tokens, `</s>` not counted.
    """
    limit = min(BEAM_4.max_new_tokens, int(_LONGER * n_source) + _MORE)
    return replace(BEAM_4, max_new_tokens=limit)


@dataclass(frozen=True)
class Translation:
    """A German sentence and the hypotheses that the search came to, the best first."""

    text: str
    hypotheses: tuple[Hypothesis, ...]

    @property
    def best(self) -> Hypothesis:
        """The hypothesis that `text` spells."""
        return self.hypotheses[0]

    @property
    def ids(self) -> tuple[int, ...]:
        """The token that each decoder row predicts: the best hypothesis, `</s>` last."""
        return (*self.best.words, END_ID)


@dataclass(frozen=True)
class Translator:
    """An English-German Transformer with its vocabulary."""

    checkpoint: Checkpoint

    @classmethod
    def load(cls, folder: Path = PRETRAINED / "translator") -> "Translator":
        """Read a checkpoint folder; CheckpointError says what is wrong with it."""
        checkpoint = load_checkpoint(folder)
        column_major(checkpoint.model)
        return cls(checkpoint)

    def source_ids(self, text: str) -> list[int]:
        """Token ids of an English text, without `</s>`.

        Raises:
            TooLongError: more than MAX_TOKENS.
        """
        ids = self.checkpoint.tokenizer.encode(tidy(text))
        if len(ids) > MAX_TOKENS:
            raise TooLongError(len(ids), MAX_TOKENS)
        return ids

    def translate(
        self,
        source: str,
        *,
        rules: BeamRules | None = None,
        changes: Changes = (),
        interventions: Mapping[str, Intervention] | None = None,
    ) -> Translation:
        """The German sentence that beam search finds.

        Args:
            source: English text.
            rules: How to search; by default `rules_for` the length of the source.
            changes: What is changed, in the encoder and at every step; see `explainer.whatif`.
            interventions: By hook name, what stands in place of the tensor: changes that have no name of their own.

        Raises:
            TooLongError: more than MAX_TOKENS.
            ImpossibleError: a change cannot be made with this model or sentence.
            KeyError: an intervention names no hook point.
        """
        model = self.checkpoint.model
        again = not model.config.look_ahead_mask or any(change.needs_rows for change in changes)
        ids = edited(changes, self.source_ids(source))
        rules, sources = rules or rules_for(len(ids)), source_batch([ids])
        check(changes, model.config, Lengths(sources.shape[1], rules.max_new_tokens))
        with changed(model, combined(compiled(changes, model.config), interventions or {})):
            if again:
                hypotheses = best_hypotheses(PlainModel(model, sources), rules)
            else:
                hypotheses = best_hypotheses(CachedModel(model, sources), rules)
        return Translation(self.checkpoint.tokenizer.decode(hypotheses[0].words), hypotheses)

    def trace(
        self,
        source: str,
        target_ids: Sequence[int],
        *,
        wanted: Wanted = everything,
        changes: Changes = (),
        interventions: Mapping[str, Intervention] | None = None,
        padding: int = 0,
    ) -> Trace:
        """Record the pass that reads `source` and, by teacher forcing, `<s>` and the target.

        Args:
            source: English text.
            target_ids: German token ids, with or without `</s>` at the end.
            wanted: Which hook points to keep.
            changes: What is changed on the way; see `explainer.whatif`.
            interventions: By hook name, what stands in place of the tensor: changes that have no name of their own.
            padding: How many `<pad>` stand after both sentences, as if longer ones were in the batch.
        """
        tokenizer, model = self.checkpoint.tokenizer, self.checkpoint.model
        source_ids = [*edited(changes, self.source_ids(source)), END_ID]
        target_ids = [*(i for i in target_ids if i != END_ID)]
        pads = [PAD_ID] * padding
        source_ids += pads
        info = TraceInfo(
            source=tuple(tokenizer.pieces(source_ids)),
            target=tuple(tokenizer.pieces([START_ID, *target_ids, *pads])),
            predicted=tuple(tokenizer.pieces([*target_ids, END_ID, *pads])),
            checkpoint=self.checkpoint.sha256,
            step=self.checkpoint.step,
            interventions=(*in_words(changes, tokenizer.piece), *(interventions or {})),
        )
        inputs = torch.tensor([source_ids]), torch.tensor([[START_ID, *target_ids, *pads]])
        check(changes, model.config, Lengths(inputs[0].shape[1], inputs[1].shape[1]))
        acts = combined(compiled(changes, model.config), interventions or {})
        return record(model, *inputs, wanted=wanted, interventions=acts, info=info)

    @cached_property
    def parameters(self) -> Mapping[str, np.ndarray]:
        """The model's weights by their torch names, read-only; tied ones under each of their names."""
        named = self.checkpoint.model.named_parameters(remove_duplicate=False)
        return MappingProxyType({name: read_only(value.numpy(force=True)) for name, value in named})
