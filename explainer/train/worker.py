"""The training process: owns a run folder, trains, reports, saves, and stops when asked."""

import dataclasses
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import torch

from explainer.model.transformer import Transformer
from explainer.text.corpora import read_pairs
from explainer.text.tokenizer import Tokenizer
from explainer.train.batches import Example
from explainer.train.data import TrainingData, fitting, to_examples
from explainer.train.loop import Trainer, TrainStep
from explainer.train.precision import choose_autocast, choose_device
from explainer.train.request import TrainRequest
from explainer.train.runs import RunFolder
from explainer.train.schedule import cosine, inverse_square_root, trapezoid

_FORMATS = {"float32": None, "bfloat16": torch.bfloat16}


def learning_rate_of(request: TrainRequest) -> Callable[[int], float]:
    """The schedule that the request names, as a function of the step counted from 1."""
    if request.schedule == "inverse_sqrt":
        return lambda step: inverse_square_root(step, d_model=request.d_model, warmup=request.warmup)
    if request.schedule == "cosine":
        return lambda step: cosine(step, peak=request.peak, warmup=request.warmup, steps=request.steps)
    decay_from = round(request.steps * (1 - request.decay))
    return lambda step: trapezoid(
        step, peak=request.peak, warmup=request.warmup, decay_from=decay_from, steps=request.steps
    )


def run(folder: RunFolder, *, device: str = "auto", say: Callable[[str], None] = print) -> None:
    """Train the run in `folder`, from where it stopped if it was begun, until its last step or a signal.

    SIGINT (Ctrl-C) and SIGTERM make it save and return after the step in hand.

    Raises:
        ValueError: the folder's request, the corpus or the device cannot be used.
        OSError: a file cannot be read or written.
    """
    request = folder.request()
    where = choose_device(device)
    with _StopFlag() as wanted:
        data = TrainingData(request, _saved_tokenizer(folder))
        say(data.report)
        trainer = trainer_of(request, data, where, choose_precision(folder, request, where))
        resume = folder.load_resume()
        if resume is not None:
            trainer.restore(resume)
        valid = fitting(_valid_examples(request, data.tokenizer), data.limit)
        _train(folder, request, trainer, data.tokenizer, valid, wanted, say)


def trainer_of(request: TrainRequest, data: TrainingData, device: torch.device, precision: str) -> Trainer:
    """A new model and all that is needed to train it as the request asks."""
    torch.manual_seed(request.seed)
    return Trainer(
        Transformer(request.model_config(len(data.tokenizer))).to(device),
        data.examples,
        learning_rate=learning_rate_of(request),
        max_tokens=request.max_tokens,
        smoothing=request.smoothing,
        weight_decay=request.weight_decay,
        autocast=_FORMATS[precision],
        seed=request.seed,
    )


def choose_precision(folder: RunFolder, request: TrainRequest, device: torch.device) -> str:
    """What the request names, or what was found fastest when the run began: a run must not change it."""
    if request.precision != "auto":
        return request.precision
    state = folder.state()
    if state.get("device") == device.type and state.get("precision") in _FORMATS:
        return state["precision"]
    return _name_of(choose_autocast(device))


def _train(
    folder: RunFolder,
    request: TrainRequest,
    trainer: Trainer,
    tokenizer: Tokenizer,
    valid: list[Example],
    wanted: "_StopFlag",
    say: Callable[[str], None],
) -> None:
    """Step, report and save until the last step or a signal."""
    step, n_weights = trainer.position.step, sum(p.numel() for p in trainer.model.parameters())
    where = {"device": trainer.device.type, "precision": _name_of(trainer.autocast)}
    say(f"{n_weights:,} weights on {where['device']}, matrix products in {where['precision']}")
    if step == 0:
        folder.save_step(trainer.model, tokenizer, 0)
    folder.forget_after(step)
    folder.write_state("running", step=step, **where)
    progress = _Progress(request.steps, say)
    stopping = wanted.stop or step >= request.steps
    steps = trainer.steps()
    while not stopping:
        report = next(steps)
        step = report.step
        folder.append(dataclasses.asdict(report))
        progress.show(report)
        interrupted = wanted.stop
        stopping = interrupted or step >= request.steps
        if stopping or step % request.save_every == 0:
            if valid and not interrupted:
                nll = trainer.evaluate(valid)
                folder.append({"step": step, "valid_nll": nll})
                say(f"step {step:,}: {nll:.3f} nats per token on the validation pairs")
            folder.save_step(trainer.model, tokenizer, step)
            folder.save_resume(trainer.state())
            folder.write_state("running", step=step, **where)
    finished = step >= request.steps
    folder.write_state("finished" if finished else "paused", step=step, **where)
    say("finished" if finished else f"saved at step {step:,}; the same command with --resume goes on")


class _StopFlag:
    """In a `with` block: set by SIGINT or SIGTERM, which otherwise do nothing."""

    def __init__(self) -> None:
        self.stop = False

    def __enter__(self) -> "_StopFlag":
        self.before = {number: signal.signal(number, self._set) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _set(self, number: int, frame: FrameType | None) -> None:
        self.stop = True


class _Progress:
    """One line a few seconds apart: step, loss, tokens per second, time left."""

    def __init__(self, steps: int, say: Callable[[str], None], every: float = 10.0) -> None:
        self.steps, self.say, self.every = steps, say, every
        self.since, self.tokens, self.count = time.monotonic(), 0, 0

    def show(self, report: TrainStep) -> None:
        self.tokens += report.n_tokens
        self.count += 1
        elapsed = time.monotonic() - self.since
        if elapsed < self.every and report.step < self.steps:
            return
        left = (self.steps - report.step) * elapsed / self.count
        self.say(
            f"step {report.step:,}/{self.steps:,}  epoch {report.epoch}  loss {report.loss:.3f}  "
            f"nll {report.nll:.3f}  lr {report.learning_rate:.2e}  "
            f"{self.tokens / elapsed:,.0f} tokens/s  {_clock(left)} left"
        )
        self.since, self.tokens, self.count = time.monotonic(), 0, 0


def _clock(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"


def _name_of(autocast: torch.dtype | None) -> str:
    return next(name for name, dtype in _FORMATS.items() if dtype == autocast)


def _valid_examples(request: TrainRequest, tokenizer: Tokenizer) -> list[Example]:
    return to_examples(read_pairs(Path(request.valid)).pairs, tokenizer) if request.valid else []


def _saved_tokenizer(folder: RunFolder) -> Tokenizer | None:
    steps = folder.saved_steps()
    return Tokenizer.load(folder.step_folder(steps[-1]) / "tokenizer.json") if steps else None
