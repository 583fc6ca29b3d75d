"""Runs that are broken on purpose: a healthy request with one thing changed, and a question to be answered first."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from explainer.train.learning.request import TrainRequest
from explainer.train.offers.recipes import TASK_REQUEST

HEALTHY = replace(TASK_REQUEST, steps=400, save_every=50)  # of the task "reverse"
Change = Callable[[TrainRequest], TrainRequest]


@dataclass(frozen=True)
class Failure:
    """A broken run.

    Attributes:
        title: What is broken.
        answers: What may happen, the right one among them.
        right: Which of the answers comes true, from 0.
        change: Breaks a healthy request.
    """

    title: str
    answers: tuple[str, ...]
    right: int
    change: Change


def _with(**fields: object) -> Change:
    return lambda request: replace(request, **fields)  # pyright: ignore[reportArgumentType]


FAILURES: dict[str, Failure] = {
    "rate": Failure(
        "learning rate × 100",
        (
            "It learns a hundred times faster.",
            "The loss stays near that of guessing.",
            "It learns as before: Adam makes up for it.",
        ),
        1,
        lambda request: replace(request, peak=request.peak * 100),
    ),
    "warmup": Failure(
        "no warm-up",
        (
            "The loss explodes at once.",
            "It learns, but much later than the healthy run.",
            "It learns as well: so small a model does without.",
        ),
        2,
        _with(warmup=1),
    ),
    "mask": Failure(
        "no look-ahead mask",
        (
            "The loss falls to almost nothing, and what it writes itself is wrong.",
            "The loss falls more slowly.",
            "It learns the task better: it sees more.",
        ),
        0,
        _with(look_ahead_mask=False),
    ),
    "positions": Failure(
        "no positions",
        (
            "It learns as before: the mask tells the order.",
            "It cannot reverse: it knows which letters there are, not where they stand.",
            "It reverses short sequences only.",
        ),
        1,
        _with(positions="none"),
    ),
    "smoothing": Failure(
        "ε = 0.9",
        (
            "It still finds most of the right letters, but is never sure: −log p stays high.",
            "It writes random letters.",
            "It learns faster, because the target is softer.",
        ),
        0,
        _with(smoothing=0.9),
    ),
    "labels": Failure(
        "labels not shifted",
        (
            "The loss falls to almost nothing, and it repeats what it has just read.",
            "The loss stays at that of guessing.",
            "It learns to copy the source.",
        ),
        0,
        _with(shift_labels=False),
    ),
    "dropout": Failure(
        "dropout 0.9",
        (
            "It only takes a little longer.",
            "Too little gets through: it hardly learns.",
            "It learns the training pairs by heart.",
        ),
        1,
        _with(dropout=0.9),
    ),
}
