"""The training process: owns a run folder, trains, reports, saves, and stops when asked."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import torch

from explainer.model.families import family_of
from explainer.text.corpora import read_pairs
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.averaging import average
from explainer.train.learning.data import TrainingData, fitting, to_examples
from explainer.train.learning.loop import Trainer
from explainer.train.learning.precision import choose_autocast, choose_device
from explainer.train.learning.ranks import ALONE, Ranks, join, own_device
from explainer.train.learning.request import PATHS, TrainRequest
from explainer.train.learning.schedule import learning_rate_of
from explainer.train.runs.faults import explain
from explainer.train.runs.folder import RunFolder, Spectator
from explainer.train.runs.orders import Orders
from explainer.train.runs.pulse import Pulse
from explainer.train.runs.session import Session

_HANDOVER = 20.0  # seconds that the process of a server that ended may take to let go of a run
_FORMATS = {"float32": None, "bfloat16": torch.bfloat16}


def run(
    folder: RunFolder, *, device: str = "auto", say: Callable[[str], None] = print, server: Path | None = None
) -> None:
    """Train the run in `folder`, from where it stopped if it was begun, until its last step or an order to end.

    SIGINT (Ctrl-C), SIGTERM, a word in the file `control` and the end of the server whose lock is `server` make it
    save and return after the step in hand. state.json tells what happened, also when it fails; `say` prints a line.

    Raises:
        ValueError: the folder's request, the corpus or the device cannot be used, or another process trains the run.
        NotFiniteError: the loss has become infinite or not a number.
        OSError: a file cannot be read or written.
    """
    where = own_device(choose_device(device))
    ranks = join(where)
    if ranks.rank != 0:
        folder, say = Spectator(folder.path), lambda line: None
    try:
        request = ranks.agree(folder.request)
        with (
            folder.owned(_HANDOVER if server else 0.0),
            Orders(folder.path, server) as orders,
            Pulse(folder, orders) as pulse,
        ):
            try:
                folder.sweep(wishes=server is None)
                _session(folder, request, where, ranks, say).train(orders, pulse)
            except Exception as error:
                pulse.last_words("failed", **explain(error, folder.last_saved_step()))
                raise
    finally:
        ranks.leave()


def _session(
    folder: RunFolder, request: TrainRequest, where: torch.device, ranks: Ranks, say: Callable[[str], None]
) -> Session:
    """The run as it was saved last, or at its beginning."""
    paths = {name: getattr(request, name) for name in PATHS}
    here = {name: path and str(folder.path / path) for name, path in paths.items()}  # an absolute one stays
    request = dataclasses.replace(request, **here)
    if ranks.rank == 0:
        data = TrainingData(request, _known_tokenizer(folder, request))
        vocabulary = ranks.agree(data.tokenizer.to_str)
    else:
        vocabulary = ranks.agree(str)
        data = TrainingData(request, Tokenizer.from_str(vocabulary))
    say(data.report)
    precision = ranks.agree(lambda: choose_precision(folder, request, where))
    trainer = trainer_of(request, data, where, precision, ranks)
    resume = ranks.agree(folder.load_resume)
    if resume is not None:
        trainer.restore(resume)
    pairs = read_pairs(Path(request.valid)).pairs if request.valid else []
    valid = fitting(to_examples(pairs, data.tokenizer), data.limit)
    return Session(folder, request, trainer, data.tokenizer, valid, f"{where.type} {precision}", say)


def trainer_of(
    request: TrainRequest, data: TrainingData, device: torch.device, precision: str, ranks: Ranks = ALONE
) -> Trainer:
    """A new model, or the one to start from, and all that is needed to train it as the request asks."""
    torch.manual_seed(request.seed)
    config = request.model_config(len(data.tokenizer))
    model = family_of(config).module(config)
    if request.start:
        average([Path(request.start)], model)  # of one: its weights, checked
    return Trainer(
        model.to(device),
        data.examples,
        learning_rate=learning_rate_of(request),
        max_tokens=request.max_tokens,
        smoothing=request.smoothing,
        shift_labels=request.shift_labels,
        weight_decay=request.weight_decay,
        autocast=_FORMATS[precision],
        seed=request.seed,
        ranks=ranks,
    )


def choose_precision(folder: RunFolder, request: TrainRequest, device: torch.device) -> str:
    """What the request names, or what was found fastest when the run began: a run must not change it."""
    if request.precision != "auto":
        return request.precision
    before, _, found = folder.precision().partition(" ")
    if before == device.type and found in _FORMATS:
        return found
    return "float32" if choose_autocast(device) is None else "bfloat16"


def _known_tokenizer(folder: RunFolder, request: TrainRequest) -> Tokenizer | None:
    """The one that was saved last, or that the request names; None: it is learnt from the corpus."""
    if steps := folder.saved_steps():
        return Tokenizer.load(folder.step_folder(steps[-1]) / "tokenizer.json")
    path = request.tokenizer or (request.start and str(Path(request.start) / "tokenizer.json"))
    if not path:
        return None
    try:
        return Tokenizer.load(Path(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
