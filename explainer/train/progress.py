"""What a training process prints while it works."""

import time
from collections.abc import Callable

from explainer.train.loop import TrainStep


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
