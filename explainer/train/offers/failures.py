"""Runs that are broken on purpose: a healthy request with one thing changed, and a question to be answered first."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from explainer.language import mark
from explainer.train.learning.request import TrainRequest
from explainer.train.offers.menu import TASK_REQUEST

HEALTHY = replace(TASK_REQUEST, steps=400, save_every=50)  # of the task "reverse"
Change = Callable[[TrainRequest], TrainRequest]


@dataclass(frozen=True)
class Failure:
    """A broken run."""

    title: str  # what is broken
    answers: tuple[str, ...]  # what may happen, the right one among them
    right: int  # which of the answers comes true, from 0
    change: Change  # breaks a healthy request


def _with(**fields: object) -> Change:
    return lambda request: replace(request, **fields)  # pyright: ignore[reportArgumentType]


FAILURES: dict[str, Failure] = {
    "rate": Failure(
        mark("learning rate × 100"),
        (
            mark("It learns a hundred times faster."),
            mark("The loss stays near that of guessing."),
            mark("It learns as before: Adam makes up for it."),
        ),
        1,
        lambda request: replace(request, peak=request.peak * 100),
    ),
    "warmup": Failure(
        mark("no warm-up"),
        (
            mark("The loss explodes at once."),
            mark("It learns, but much later than the healthy run."),
            mark("It learns as well: so small a model does without."),
        ),
        2,
        _with(warmup=1),
    ),
    "mask": Failure(
        mark("no look-ahead mask"),
        (
            mark("The loss falls to almost nothing, and what it writes itself is wrong."),
            mark("The loss falls more slowly."),
            mark("It learns the task better: it sees more."),
        ),
        0,
        _with(look_ahead_mask=False),
    ),
    "positions": Failure(
        mark("no positions"),
        (
            mark("It learns as before: the mask tells the order."),
            mark("It cannot reverse: it knows which letters there are, not where they stand."),
            mark("It reverses short sequences only."),
        ),
        1,
        _with(positions="none"),
    ),
    "smoothing": Failure(
        mark("ε = 0.9"),
        (
            mark("It still finds most of the right letters, but is never sure: −log p stays high."),
            mark("It writes random letters."),
            mark("It learns faster, because the target is softer."),
        ),
        0,
        _with(smoothing=0.9),
    ),
    "labels": Failure(
        mark("labels not shifted"),
        (
            mark("The loss falls to almost nothing, and it repeats what it has just read."),
            mark("The loss stays at that of guessing."),
            mark("It learns to copy the source."),
        ),
        0,
        _with(shift_labels=False),
    ),
    "dropout": Failure(
        mark("dropout 0.9"),
        (
            mark("It only takes a little longer."),
            mark("Too little gets through: it hardly learns."),
            mark("It learns the training pairs by heart."),
        ),
        1,
        _with(dropout=0.9),
    ),
}
