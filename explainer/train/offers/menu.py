"""What the Train page offers: a corpus that comes along, and a request that learns it in minutes on two CPU cores."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from explainer.checkpoints import CONFIG, read_config
from explainer.files import PRETRAINED
from explainer.language import mark
from explainer.text.corpora import pair_lines
from explainer.text.tasks import generate_task
from explainer.train.learning.request import TrainRequest

# Without dropout and label smoothing: the answer is exact, and there are more examples than the model can learn by
# heart. Found by trying: sequences of up to ten letters need two layers and a learning rate well above the usual.
TASK_REQUEST = TrainRequest(
    corpus="corpus.tsv", valid="valid.tsv", vocab_size=400, d_model=64, n_heads=2, d_ff=128, n_encoder_layers=2,
    n_decoder_layers=2, dropout=0.0, smoothing=0.0, steps=800, peak=3e-3, warmup=100, decay=0.5, max_tokens=1024,
    precision="float32", save_every=50,
)  # fmt: skip
CLASSROOM = replace(
    TASK_REQUEST, vocab_size=2000, d_model=128, n_heads=2, d_ff=512, dropout=0.05, smoothing=0.1, steps=700,
    peak=2e-3, warmup=100, decay=0.3, max_tokens=2048, precision="auto", save_every=50,
)  # fmt: skip
OWN = replace(CLASSROOM, vocab_size=4000, steps=3000)  # for a visitor's own pairs
SIZES: dict[str, dict[str, Any]] = {
    mark("small"): {"d_model": 32, "n_heads": 2, "d_ff": 64, "n_encoder_layers": 1, "n_decoder_layers": 1},
    mark("medium"): {},
    mark("large"): {"d_model": 128, "n_heads": 4, "d_ff": 512, "n_encoder_layers": 3, "n_decoder_layers": 3},
}


@dataclass(frozen=True)
class Offer:
    """A task with a request that learns it."""

    title: str
    about: str  # what is learnt, in a sentence
    files: Callable[
        [int], dict[str, bytes]
    ]  # the corpus, for the folder of the run, from a seed if drawn by chance
    request: TrainRequest  # how a model of medium size learns it
    probe: str  # a source sentence that is watched while the model learns


def task_files(task: str, *, seed: int = 1) -> dict[str, bytes]:
    """The corpus of copy, reverse, sort or dates, as files of a run: `corpus.tsv`, `valid.tsv` and `test.tsv`.

    Raises:
        ValueError: there is no such task.
    """
    corpus = generate_task(task, seed=seed)
    parts = {"corpus.tsv": corpus.train, "valid.tsv": corpus.valid, "test.tsv": corpus.test}
    return {name: pair_lines(pairs) for name, pairs in parts.items()}


def _task(name: str, about: str, probe: str = "g l a s s b o x") -> Offer:
    return Offer(name, about, lambda seed: task_files(name, seed=seed), TASK_REQUEST, probe)


def _classroom_files(seed: int) -> dict[str, bytes]:
    """The shipped sentences, the same for every seed."""
    parts = {"corpus.tsv": "train", "valid.tsv": "valid"}
    return {
        name: gzip.decompress((PRETRAINED / "classroom" / f"{part}.tsv.gz").read_bytes())
        for name, part in parts.items()
    }


OFFERS: dict[str, Offer] = {
    "copy": _task(mark("copy"), mark("Letters, once more: the simplest alignment there is.")),
    "reverse": _task(
        mark("reverse"), mark("Letters from last to first: the alignment is the other diagonal.")
    ),
    "sort": _task(
        mark("sort"),
        mark("Letters in alphabetical order: each step looks for the next letter, wherever it stands."),
    ),
    "dates": _task(
        mark("dates"),
        mark("A day as people write it → the same as ISO 8601: the year, which stood last, comes first."),
        "Tuesday, 3 March 1998",
    ),
    "classroom": Offer(
        mark("classroom German"),
        mark("English → German of some hundred words: 32,914 pairs, written by a grammar of our own."),
        _classroom_files,
        CLASSROOM,
        "Anna is buying the red lamp.",
    ),
}


def continued(request: TrainRequest, folder: Path) -> TrainRequest:
    """The request with the size, vocabulary and weights of a checkpoint folder, and a learning rate for going on.

    Raises:
        CheckpointError: its configuration cannot be used; the weights are read when the run begins.
    """
    config, _ = read_config(folder / CONFIG)
    kept = {field.name for field in fields(config)} & {field.name for field in fields(request)} - {"dropout"}
    return replace(
        request, start=str(folder), peak=2e-4, warmup=50, **{name: getattr(config, name) for name in kept}
    )


def sized(request: TrainRequest, size: str) -> TrainRequest:
    """The request with a model of another size."""
    return replace(request, **SIZES[size])
