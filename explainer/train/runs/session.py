"""A training session: step, report and save, until the last step or until somebody wants it to end."""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass

from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.batches import Example
from explainer.train.learning.forcing import exactly_right
from explainer.train.learning.loop import Trainer, TrainStep
from explainer.train.learning.request import TrainRequest
from explainer.train.runs.faults import check_report, check_weights
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.orders import Orders
from explainer.train.runs.pulse import Pulse

EXACT_OF = 500  # validation pairs of which it is counted how many are entirely right


class Progress:
    """One line a few seconds apart: step, loss, tokens per second, time left."""

    def __init__(self, steps: int, say: Callable[[str], None], every: float = 10.0) -> None:
        self.steps, self.say, self.every = steps, say, every
        self.since, self.tokens, self.count = time.monotonic(), 0, 0

    def show(self, report: TrainStep) -> None:
        """Count this step, and print the line if it is time or the last step."""
        self.tokens += report.n_tokens
        self.count += 1
        elapsed = time.monotonic() - self.since
        if elapsed < self.every and report.step < self.steps:
            return
        minutes = round((self.steps - report.step) * elapsed / self.count / 60)
        left = f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"
        self.say(
            f"step {report.step:,}/{self.steps:,}  epoch {report.epoch}  loss {report.loss:.3f}  "
            f"nll {report.nll:.3f}  lr {report.learning_rate:.2e}  "
            f"{self.tokens / elapsed:,.0f} tokens/s  {left} left"
        )
        self.since, self.tokens, self.count = time.monotonic(), 0, 0


@dataclass
class Session:
    """A run and the trainer that carries it on."""

    folder: RunFolder
    request: TrainRequest
    trainer: Trainer
    tokenizer: Tokenizer
    valid: list[Example]  # on which the loss is measured; none: it is not
    precision: str  # where and in which number format it computes, as `save_resume` keeps it
    say: Callable[[str], None]  # prints a line

    def train(self, orders: Orders, pulse: Pulse) -> None:
        """Step until the last step or an order; then save and say goodbye.

        Raises:
            NotFiniteError: the loss has become no number; what was saved before is left as it is.
            OSError: a file cannot be written.
        """
        self._begin(pulse)
        progress, steps = Progress(self.request.steps, self.say), self.trainer.steps()
        asked = self._asked(orders)
        while not asked and not self._finished:
            report = next(steps)
            check_report(report)
            self.folder.append(dataclasses.asdict(report))
            pulse.tell(step=report.step)
            progress.show(report)
            asked = self._asked(orders)
            if self._due and not asked:
                self._measure()
            if self._due or asked:
                check_weights(self.trainer.model, self._step)
                self.folder.save_step(self.trainer.model, self.tokenizer, self._step)
                self.folder.save_resume(self.trainer.state(), self.precision)
        if self._finished:
            pulse.last_words("finished")
            self.say("finished")
        else:
            pulse.last_words("stopped" if orders.wish == "stop" else "paused", cause=orders.cause)
            self.say(f"saved at step {self._step:,}; the same command with --resume goes on")

    @property
    def _step(self) -> int:
        return self.trainer.position.step

    @property
    def _finished(self) -> bool:
        return self._step >= self.request.steps

    @property
    def _due(self) -> bool:
        """Whether this is a step at which a run saves that nobody interrupts."""
        return self._step % self.request.save_every == 0 or self._finished

    def _asked(self, orders: Orders) -> bool:
        return self.trainer.ranks.any(orders.asked())

    def _begin(self, pulse: Pulse) -> None:
        """Drop what was reported but not saved; save, or measure, what an interruption left out."""
        n_weights = sum(p.numel() for p in self.trainer.model.parameters())
        device, precision = self.precision.split()
        self.say(f"{n_weights:,} weights on {device}, matrix products in {precision}")
        self.folder.forget_after(self._step)
        if self._step == 0:
            self.folder.save_step(self.trainer.model, self.tokenizer, 0)
        elif self._due and "valid_nll" not in self.trainer.ranks.agree(self.folder.last_report):
            self._measure()
        fields = {"step": self._step, "steps": self.request.steps, "device": device, "precision": precision}
        pulse.tell(status="running", **fields)

    def _measure(self) -> None:
        """Loss and errors on the validation pairs, without dropout."""
        if not self.valid:
            return
        trainer, few = self.trainer, self.valid[:EXACT_OF]
        nll = trainer.evaluate(self.valid)
        exact = exactly_right(trainer.model, few, max_tokens=trainer.max_tokens, autocast=trainer.autocast)
        self.folder.append({"step": self._step, "valid_nll": nll, "valid_exact": exact})
        self.say(
            f"step {self._step:,}: {nll:.3f} nats per token on the validation pairs, "
            f"{exact:.1%} of them entirely right"
        )
