"""What a training run is asked to do: all that decides its result, saved as request.json in the run's folder."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from explainer.model.config import MAX_STEP, TransformerConfig, one_of, real, whole

PATHS = ("corpus", "valid", "mix", "tokenizer", "start")  # fields that name files
MAX_SHARE = 1000  # times the corpus: more is a slip, and would fill the memory


@dataclass(frozen=True, kw_only=True)
class TrainRequest:
    """A corpus, a model, and how the one learns from the other.

    The fields from `d_model` to `look_ahead_mask` describe the model: see TransformerConfig.

    Attributes:
        corpus: TSV file of sentence pairs to learn from (`.gz` is unpacked).
        valid: TSV file of sentence pairs on which the loss is measured, never learnt; "" for none.
        tokenizer: File `tokenizer.json` of a checkpoint whose vocabulary is taken; "" learns one from the corpus. A
            model and one that learns from its translations must share theirs.
        start: Checkpoint folder whose weights and vocabulary the run begins with; "" for random weights. Its model must
            be of the size that is asked for.
        vocab_size: Entries of the vocabulary that is learnt from the corpus.
        mix: TSV file of sentence pairs of which every epoch takes a part, in the order of the file: it goes on where
            the last one stopped, and from the beginning after the last pair; "" for none.
        mix_share: How many pairs of that file an epoch takes, as a share of the corpus.
        concatenated: Pairs joined end to end that are added to every epoch, as a share of the corpus.
        unpunctuated: Pairs repeated without their final full stop, as a share of the corpus.
        schedule: How the learning rate changes: "trapezoid" (up, level, straight down at the end), "cosine" (up,
            then down along a cosine), or "inverse_sqrt" (the paper's, which has its own peak and ignores `peak`).
        steps: How many times the weights are updated.
        peak: Highest learning rate.
        warmup: Steps until the highest learning rate is reached.
        decay: Share of the steps, at the end, in which the trapezoid falls to zero.
        max_tokens: Size of a batch: positions of the source side, or of the target side, padding included.
        smoothing: ε of the label smoothing: how much of the target is spread over the whole vocabulary.
        shift_labels: Whether each row is asked for the *next* token, as it must be. Otherwise it is asked for the one
            that it has just read: the loss falls to nothing, and nothing is learnt.
        weight_decay: How strongly each step pulls the weights towards zero, times the learning rate (AdamW).
        precision: Number format of the matrix products: "float32", "bfloat16", or "auto", the faster one.
        seed: Seed of the initial weights, of dropout, and of the order of the data.
        save_every: Steps from one saved checkpoint to the next. Of more than 64, some early ones are removed.
    """

    corpus: str
    valid: str = ""
    tokenizer: str = ""
    start: str = ""
    vocab_size: int = 8000
    mix: str = ""
    mix_share: float = 0.0
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
    look_ahead_mask: bool = True
    schedule: Literal["trapezoid", "cosine", "inverse_sqrt"] = "trapezoid"
    steps: int = 6000
    peak: float = 1e-3
    warmup: int = 500
    decay: float = 0.3
    max_tokens: int = 4096
    smoothing: float = 0.1
    shift_labels: bool = True
    weight_decay: float = 0.01
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    seed: int = 1
    save_every: int = 500

    def __post_init__(self) -> None:
        for name in PATHS:
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name}: must be a text")
        for name in ("steps", "warmup", "save_every", "max_tokens"):
            whole(name, getattr(self, name), 1, MAX_STEP)
        for name in ("mix_share", "concatenated", "unpunctuated", "weight_decay"):
            real(name, getattr(self, name), 0, MAX_SHARE)
        if self.mix and not self.mix_share:
            raise ValueError(f"mix_share = {self.mix_share!r}: must be greater than 0 with a file to mix in")
        for name in ("smoothing", "decay"):
            real(name, getattr(self, name), 0, 1)
        whole("seed", self.seed, -(2**63), 2**63 - 1)
        if real("peak", self.peak, 0, 1e9) == 0:
            raise ValueError("peak = 0: must be greater than 0")
        one_of("shift_labels", self.shift_labels, (True, False))
        one_of("schedule", self.schedule, ("trapezoid", "cosine", "inverse_sqrt"))
        one_of("precision", self.precision, ("auto", "float32", "bfloat16"))
        self.model_config(self.vocab_size)

    def model_config(self, vocab_size: int) -> TransformerConfig:
        """The model asked for, with the vocabulary that was learnt."""
        own = {field.name for field in dataclasses.fields(TransformerConfig)} & vars(self).keys()
        fields = {name: getattr(self, name) for name in own - {"vocab_size"}}
        return TransformerConfig(vocab_size=vocab_size, **fields)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "TrainRequest":
        """The request that `dataclasses.asdict` wrote; ValueError names an unknown field.

        Old requests say `grammar`: the share of pairs that a program wrote which is no longer here. It becomes
        `mix_share` without a file, which is enough for everything but going on with the run.
        """
        if not isinstance(fields, dict):
            raise ValueError(f"expected fields by name, found {type(fields).__name__}")
        fields = {{"grammar": "mix_share"}.get(name, name): value for name, value in fields.items()}
        known = tuple(sorted(field.name for field in dataclasses.fields(cls)))
        for name in fields:
            one_of("field", name, known)
        return cls(**fields)
