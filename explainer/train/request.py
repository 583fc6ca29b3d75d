"""What a training run is asked to do: all that decides its result, saved as request.json in the run's folder."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from explainer.config import TransformerConfig, at_least, one_of


@dataclass(frozen=True, kw_only=True)
class TrainRequest:
    """A corpus, a model, and how the one learns from the other.

    Attributes:
        corpus: TSV file of sentence pairs to learn from (`.gz` is unpacked).
        valid: TSV file of sentence pairs on which the loss is measured, never learnt; "" for none.
        vocab_size: Entries of the vocabulary that is learnt from the corpus.
        grammar: Sentences of the built-in grammar mixed into every epoch, as a share of the corpus.
        concatenated: Pairs joined end to end that are added to every epoch, as a share of the corpus.
        unpunctuated: Pairs repeated without their final full stop, as a share of the corpus.
        d_model, n_heads, d_ff, n_encoder_layers, n_decoder_layers, dropout, norm, positions, tie_embeddings:
            The model; see TransformerConfig.
        schedule: "trapezoid" (warm-up, level, straight down over the last `decay`), "cosine", or
            "inverse_sqrt" (the paper's; `peak` is then d_model^−0.5 · warmup^−0.5 and the option is ignored).
        steps: Optimiser steps.
        peak: Highest learning rate.
        warmup: Steps until it is reached.
        decay: Share of the steps in which the trapezoid falls to zero.
        max_tokens: Padded positions a side in a batch.
        smoothing: ε of the label smoothing.
        weight_decay: Decoupled weight decay.
        seed: Of the initial weights, dropout, and the order of the data.
        save_every: Steps between two saved checkpoints.
    """

    corpus: str
    valid: str = ""
    vocab_size: int = 8000
    grammar: float = 0.0
    concatenated: float = 0.0
    unpunctuated: float = 0.0
    d_model: int = 256
    n_heads: int = 4
    d_ff: int = 1024
    n_encoder_layers: int = 3
    n_decoder_layers: int = 3
    dropout: float = 0.1
    norm: Literal["post", "pre"] = "post"
    positions: Literal["sinusoidal", "learned", "none"] = "sinusoidal"
    tie_embeddings: bool = True
    schedule: Literal["trapezoid", "cosine", "inverse_sqrt"] = "trapezoid"
    steps: int = 6000
    peak: float = 1e-3
    warmup: int = 500
    decay: float = 0.3
    max_tokens: int = 4096
    smoothing: float = 0.1
    weight_decay: float = 0.01
    seed: int = 1
    save_every: int = 500

    def __post_init__(self) -> None:
        for name in ("steps", "warmup", "save_every", "max_tokens"):
            at_least(name, getattr(self, name), 1)
        for name in ("grammar", "concatenated", "unpunctuated", "weight_decay"):
            at_least(name, getattr(self, name), 0)
        for name in ("smoothing", "decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} = {getattr(self, name)!r}: must be between 0 and 1")
        if not self.peak > 0:
            raise ValueError(f"peak = {self.peak!r}: must be greater than 0")
        one_of("schedule", self.schedule, ("trapezoid", "cosine", "inverse_sqrt"))
        self.model_config(self.vocab_size)

    def model_config(self, vocab_size: int) -> TransformerConfig:
        """The model asked for, with the vocabulary that was learnt."""
        own = {field.name for field in dataclasses.fields(TransformerConfig)} - {"vocab_size", "max_positions"}
        return TransformerConfig(vocab_size=vocab_size, **{name: getattr(self, name) for name in own})

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "TrainRequest":
        """The request that `dataclasses.asdict` wrote; ValueError names an unknown field."""
        known = tuple(sorted(field.name for field in dataclasses.fields(cls)))
        for name in fields:
            one_of("field", name, known)
        return cls(**fields)
