"""The facade: load the translator, translate, trace. What a notebook user imports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch

from explainer.capture.record import Intervention, record
from explainer.capture.trace import Trace, TraceInfo, Wanted, everything
from explainer.checkpoints import Checkpoint, load_checkpoint
from explainer.model.transformer import END_ID, START_ID
from explainer.text.tidy import tidy

PRETRAINED = Path(__file__).parent.parent / "pretrained"
MAX_TOKENS = 60  # source tokens that the app accepts, `</s>` not counted


class TooLongError(ValueError):
    """A sentence has more tokens than allowed."""

    def __init__(self, n_tokens: int, limit: int) -> None:
        super().__init__(f"{n_tokens} tokens; the limit is {limit}: please shorten the sentence")
        self.n_tokens, self.limit = n_tokens, limit


@dataclass(frozen=True)
class Translator:
    """An English-German Transformer with its vocabulary."""

    checkpoint: Checkpoint

    @classmethod
    def load(cls, folder: Path = PRETRAINED / "translator") -> Self:
        """Read a checkpoint folder; CheckpointError says what is wrong with it."""
        return cls(load_checkpoint(folder))

    def source_ids(self, text: str) -> list[int]:
        """Token ids of an English text, without `</s>`.

        Raises:
            TooLongError: more than MAX_TOKENS.
        """
        ids = self.checkpoint.tokenizer.encode(tidy(text))
        if len(ids) > MAX_TOKENS:
            raise TooLongError(len(ids), MAX_TOKENS)
        return ids

    def trace(
        self,
        source: str,
        target_ids: Sequence[int],
        *,
        wanted: Wanted = everything,
        interventions: Mapping[str, Intervention] | None = None,
        changed: Sequence[str] = (),
    ) -> Trace:
        """Record the pass that reads `source` and, by teacher forcing, `<s>` and the target.

        Args:
            source: English text.
            target_ids: German token ids, with or without `</s>` at the end.
            wanted: Which hook points to keep.
            interventions: By hook name, what stands in place of the tensor.
            changed: The interventions in words, for the trace to carry.
        """
        tokenizer, model = self.checkpoint.tokenizer, self.checkpoint.model
        source_ids = [*self.source_ids(source), END_ID]
        target_ids = [*(i for i in target_ids if i != END_ID)]
        info = TraceInfo(
            source=tuple(tokenizer.pieces(source_ids)),
            target=tuple(tokenizer.pieces([START_ID, *target_ids])),
            predicted=tuple(tokenizer.pieces([*target_ids, END_ID])),
            checkpoint=self.checkpoint.sha256,
            step=self.checkpoint.step,
            interventions=tuple(changed),
        )
        inputs = torch.tensor([source_ids]), torch.tensor([[START_ID, *target_ids]])
        return record(model, *inputs, wanted=wanted, interventions=interventions, info=info)
