"""The facade: load the translator, translate, trace. What a notebook user imports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from explainer.capture.record import Intervention, changed, record
from explainer.capture.trace import Trace, TraceInfo, Wanted, everything
from explainer.checkpoints import Checkpoint, load_checkpoint
from explainer.decode.batch import source_batch
from explainer.decode.hypothesis import Hypothesis
from explainer.decode.model import CachedModel
from explainer.decode.penalty import LengthPenalty
from explainer.decode.search import BeamRules, best_hypotheses
from explainer.model.layout import column_major
from explainer.model.transformer import END_ID, START_ID
from explainer.text.tidy import tidy

PRETRAINED = Path(__file__).parent.parent / "pretrained"
BEAM_4 = BeamRules(beam_size=4, max_new_tokens=100, penalty=LengthPenalty("gnmt", 0.6))
MAX_TOKENS = 60  # source tokens that the app accepts, `</s>` not counted


class TooLongError(ValueError):
    """A sentence has more tokens than allowed."""

    def __init__(self, n_tokens: int, limit: int) -> None:
        super().__init__(f"{n_tokens} tokens; the limit is {limit}: please shorten the sentence")
        self.n_tokens, self.limit = n_tokens, limit


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
        rules: BeamRules = BEAM_4,
        interventions: Mapping[str, Intervention] | None = None,
    ) -> Translation:
        """The German sentence that beam search finds.

        Args:
            source: English text.
            rules: How to search.
            interventions: By hook name, what stands in place of the tensor, in the encoder and at every step.

        Raises:
            TooLongError: more than MAX_TOKENS.
            KeyError: an intervention names no hook point.
        """
        model = self.checkpoint.model
        searched = CachedModel(model, source_batch([self.source_ids(source)]))
        with changed(model, interventions or {}):
            hypotheses = best_hypotheses(searched, rules)
        return Translation(self.checkpoint.tokenizer.decode(hypotheses[0].words), hypotheses)

    def trace(
        self,
        source: str,
        target_ids: Sequence[int],
        *,
        wanted: Wanted = everything,
        interventions: Mapping[str, Intervention] | None = None,
        words: Sequence[str] = (),
    ) -> Trace:
        """Record the pass that reads `source` and, by teacher forcing, `<s>` and the target.

        Args:
            source: English text.
            target_ids: German token ids, with or without `</s>` at the end.
            wanted: Which hook points to keep.
            interventions: By hook name, what stands in place of the tensor.
            words: The interventions in words, for the trace to carry.
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
            interventions=tuple(words),
        )
        inputs = torch.tensor([source_ids]), torch.tensor([[START_ID, *target_ids]])
        return record(model, *inputs, wanted=wanted, interventions=interventions, info=info)
