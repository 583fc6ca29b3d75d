"""The training process: owns a run folder, trains, reports, saves, and stops when asked."""

import dataclasses
import os
import signal
import time
from collections.abc import Callable
from types import FrameType

import torch

from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from explainer.train.data import TrainingData, to_examples
from explainer.train.loop import Trainer, TrainStep
from explainer.train.precision import choose_autocast, choose_device
from explainer.train.request import TrainRequest
from explainer.train.runs import RunFolder
from explainer.train.schedule import cosine, inverse_square_root, trapezoid
from explainer.text.corpora import read_pairs
from pathlib import Path


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
    """
    request = folder.request()
    wanted = _StopFlag()
    where = choose_device(device)
    autocast = choose_autocast(where)
    resume = folder.load_resume()
    data = TrainingData(request, _saved_tokenizer(folder))
    say(data.report)
    torch.manual_seed(request.seed)
    model = Transformer(request.model_config(len(data.tokenizer))).to(where)
    trainer = Trainer(
        model,
        data.examples,
        learning_rate=learning_rate_of(request),
        max_tokens=request.max_tokens,
        smoothing=request.smoothing,
        weight_decay=request.weight_decay,
        autocast=autocast,
        seed=request.seed,
    )
    if resume is not None:
        trainer.restore(resume)
    valid = to_examples(read_pairs(Path(request.valid)).pairs, data.tokenizer) if request.valid else []
    say(f"{sum(p.numel() for p in model.parameters()):,} weights on {where}, matrix products in {autocast or 'float32'}")
    if trainer.position.step == 0:
        folder.save_step(model, data.tokenizer, 0)
    progress = _Progress(request.steps, say)
    folder.write_state("running", step=trainer.position.step)
    for report in trainer.steps():
        if report.step <= request.steps:
            folder.append(dataclasses.asdict(report))
            progress.show(report)
        done = report.step >= request.steps
        if done or wanted.stop or report.step % request.save_every == 0:
            folder.save_step(model, data.tokenizer, report.step)
            folder.save_resume(trainer.state())
            if valid and not wanted.stop:
                nll = trainer.evaluate(valid)
                folder.append({"step": report.step, "valid_nll": nll})
                say(f"step {report.step:,}: {nll:.3f} nats per token on the validation pairs")
            folder.write_state("finished" if done else "paused" if wanted.stop else "running", step=report.step)
        if done or wanted.stop:
            break
    say("finished" if done else f"saved at step {report.step:,}; the same command with --resume goes on")


class _StopFlag:
    """Set by SIGINT or SIGTERM."""

    def __init__(self) -> None:
        self.stop = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._set)

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


def _saved_tokenizer(folder: RunFolder) -> Tokenizer | None:
    steps = folder.saved_steps()
    return Tokenizer.load(folder.step_folder(steps[-1]) / "tokenizer.json") if steps else None
