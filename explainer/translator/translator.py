"""The facade: load the translator, translate, trace. What a notebook user imports."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import numpy as np
import torch

from explainer.capture.record import Intervention, changed, record
from explainer.capture.trace import Trace, TraceInfo, Wanted, everything, read_only
from explainer.checkpoints import Checkpoint, CheckpointError, load_checkpoint
from explainer.decode.search.beam import best_hypotheses
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules, LengthPenalty, length_limit
from explainer.decode.sources import source_of
from explainer.decode.sources.batch import source_batch
from explainer.files import PRETRAINED
from explainer.model.layout import column_major
from explainer.model.transformer import Transformer
from explainer.text.tidy import tidy
from explainer.text.tokenizer import END_ID, PAD_ID, START_ID
from explainer.whatif.change import Lengths
from explainer.whatif.changes import Changes, check, combined, compiled, edited, in_words

BEAM_4 = BeamRules(beam_size=4, penalty=LengthPenalty("gnmt", 0.6))
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
    def ended(self) -> bool:
        """Whether the search came to `</s>`; else it was cut at the limit of tokens."""
        return self.best.finished

    @property
    def ids(self) -> tuple[int, ...]:
        """The token that each decoder row predicts: those that the search chose, `</s>` last if it ended."""
        return self.best.tokens


@dataclass(frozen=True)
class Translator:
    """An English-German Transformer with its vocabulary, and the folder it was read from."""

    checkpoint: Checkpoint[Transformer]
    folder: Path = PRETRAINED / "translator"

    @classmethod
    def load(cls, folder: Path = PRETRAINED / "translator") -> "Translator":
        """Read a checkpoint folder; CheckpointError says what is wrong with it."""
        checkpoint = load_checkpoint(folder)
        if not isinstance(checkpoint.model, Transformer):
            family = type(checkpoint.model).__name__
            raise CheckpointError(f"{folder}: holds a model of the family {family}, expected a Transformer")
        column_major(checkpoint.model)
        return cls(checkpoint, folder)

    def source_ids(self, text: str) -> list[int]:
        """Token ids of an English text, without `</s>`.

        Raises:
            TooLongError: more than MAX_TOKENS, or than the model has positions for.
        """
        ids = self.checkpoint.tokenizer.encode(tidy(text))
        if len(ids) > self.most_tokens:
            raise TooLongError(len(ids), self.most_tokens)
        return ids

    @property
    def most_tokens(self) -> int:
        """The most tokens of a typed sentence, `</s>` not counted."""
        return min(MAX_TOKENS, self.checkpoint.model.config.max_positions - 1)

    def limit_for(self, n_source: int) -> int:
        """The most tokens of a translation, `</s>` included: see `length_limit`."""
        return length_limit(n_source, self.checkpoint.model.config.max_positions)

    def rules_for(self, n_source: int) -> BeamRules:
        """How a sentence of `n_source` tokens is searched: four beams, up to its limit."""
        return replace(BEAM_4, max_new_tokens=self.limit_for(n_source))

    def translate(
        self,
        source: str,
        *,
        rules: BeamRules | None = None,
        changes: Changes = (),
        interventions: Mapping[str, Intervention] | None = None,
    ) -> Translation:
        """The German sentence that beam search finds; `rules` are by default `rules_for` the length of the source.

        Changes (see `explainer.whatif`) act in the encoder and at every step, and so do interventions: by hook name,
        what stands in place of the tensor, for changes that have no name of their own.

        Raises:
            TooLongError: see `source_ids`.
            ImpossibleError: a change cannot be made with this model or sentence.
            KeyError: an intervention names no hook point.
        """
        model = self.checkpoint.model
        ids = edited(changes, self.source_ids(source))
        rules, sources = rules or self.rules_for(len(ids)), source_batch([ids])
        check(changes, model, Lengths(sources.shape[1], rules.max_new_tokens))
        with changed(model, combined(compiled(changes, model), interventions or {})):
            anew = any(change.needs_rows for change in changes)
            hypotheses = best_hypotheses(source_of(model, sources, anew=anew), rules)
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
        """Record the pass that reads `source` and, by teacher forcing, is asked for the target.

        There is a decoder row for each token of the target: it reads the one before, the first reads `<s>`. The
        target is as a search chose it: `</s>` last if the sentence ends, without it if it was cut. Changes and
        interventions are those of `translate`; `padding` is how many `<pad>` follow both sentences, as with longer
        ones in the batch.

        Raises:
            ValueError: the target has no token.
        """
        if not target_ids:
            raise ValueError("the target has no token; that of an empty sentence is `</s>`")
        tokenizer, model = self.checkpoint.tokenizer, self.checkpoint.model
        source_ids = [*edited(changes, self.source_ids(source)), END_ID]
        read = [START_ID, *target_ids[:-1]]
        pads = [PAD_ID] * padding
        source_ids += pads
        info = TraceInfo(
            source=tuple(tokenizer.pieces(source_ids)),
            target=tuple(tokenizer.pieces([*read, *pads])),
            predicted=tuple(tokenizer.pieces([*target_ids, *pads])),
            checkpoint=self.checkpoint.sha256,
            step=self.checkpoint.step,
            interventions=(*in_words(changes, tokenizer.piece), *(interventions or {})),
        )
        inputs = torch.tensor([source_ids]), torch.tensor([[*read, *pads]])
        check(changes, model, Lengths(inputs[0].shape[1], inputs[1].shape[1]))
        acts = combined(compiled(changes, model), interventions or {})
        return record(model, *inputs, wanted=wanted, interventions=acts, info=info)

    @property
    def digest(self) -> str:
        """Of weights, configuration and vocabulary: what the model makes of a text depends on nothing else."""
        return self.checkpoint.digest

    @property
    def nbytes(self) -> int:
        """Bytes of its weights in memory."""
        return sum(one.nbytes for one in self.checkpoint.model.parameters())

    @property
    def code(self) -> str:
        """How to load the same model in Python."""
        if self.folder == PRETRAINED / "translator":
            return "translator = Translator.load()"
        return (
            f"translator = Translator.load(pathlib.Path({os.path.relpath(self.folder)!r}))  # import pathlib"
        )

    @cached_property
    def parameters(self) -> Mapping[str, np.ndarray]:
        """The model's weights by their torch names, read-only; tied ones under each of their names."""
        named = self.checkpoint.model.named_parameters(remove_duplicate=False)
        return MappingProxyType({name: read_only(value.numpy(force=True)) for name, value in named})
