"""The facade: load the translator, translate, trace. What a notebook user imports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
class Translation:
    """A German sentence and what the model thinks of it."""

    text: str
    ids: tuple[int, ...]
    log_prob: float


@dataclass(frozen=True)
class Translator:
    """An English-German Transformer with its vocabulary."""

    checkpoint: Checkpoint

    @classmethod
    def load(cls, folder: Path = PRETRAINED / "translator") -> "Translator":
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

    def translate(
        self, source: str, *, beam_size: int = 4, interventions: Mapping[str, Intervention] | None = None
    ) -> Translation:
        model, tokenizer = self.checkpoint.model, self.checkpoint.tokenizer
        ids = [*self.source_ids(source), END_ID]
        out: list[int] = []
        total = 0.0
        from explainer.model.hooks import listening
        from explainer.capture.record import Recorder
        with torch.inference_mode(), listening(Recorder(model, lambda n: False, interventions)):
            for _ in range(100):
                lp = model(torch.tensor([ids]), torch.tensor([[START_ID, *out]]))[0, -1]
                token = int(lp.argmax()); total += float(lp[token])
                if token == END_ID: break
                out.append(token)
        return Translation(tokenizer.decode(out), tuple([*out, END_ID]), total)

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
