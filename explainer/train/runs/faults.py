"""What went wrong in a training run, in words for whoever started it: the reason, and what can be done."""

import errno
import math
from dataclasses import dataclass

import torch

from explainer.checkpoints import CheckpointError
from explainer.language import mark
from explainer.model.families import Network
from explainer.train.learning.loop import TrainStep

_FULL = (errno.ENOSPC, errno.EDQUOT)


class NotFiniteError(ArithmeticError):
    """The loss, the gradient or a weight is no number any more; the message says at which step."""


_ROOM = (  # if nothing was saved; if something was
    mark("Make room on the disk, then resume: it starts again."),
    mark("Make room on the disk, then resume: it goes on from step {saved}."),
)
_RIGHT = (
    mark("Put that right, then resume: it starts again."),
    mark("Put that right, then resume: it goes on from step {saved}."),
)
_TRY = (
    mark("The file out.log tells more. You can try to resume: it starts again."),
    mark("The file out.log tells more. You can try to resume: it goes on from step {saved}."),
)


@dataclass(frozen=True)
class Fault:
    """Why a run failed, and what to do: a text of the catalogues, in which {saved} is the step that was saved last."""

    reason: str
    advice: str


def check_report(report: TrainStep) -> None:
    """NotFiniteError if the loss or the gradient of this step is infinite or not a number."""
    for name, value in (("loss", report.loss), ("gradient", report.gradient_norm)):
        if not math.isfinite(value):
            raise NotFiniteError(f"step {report.step}: the {name} is not a finite number ({value})")


def check_weights(model: torch.nn.Module | Network, step: int) -> None:
    """NotFiniteError if a weight is infinite or not a number, in float32 or in the float16 of a checkpoint."""
    for name, value in model.named_parameters():
        if not bool(value.detach().half().isfinite().all()):
            raise NotFiniteError(f"step {step}: a weight of {name} is too large for a number, or none")


def explain(error: BaseException, saved: int | None) -> Fault:
    """The reason and the advice that belong to an error.

    Args:
        error: What ended the run.
        saved: The last step whose weights were kept; None if there is none.
    """
    if isinstance(error, NotFiniteError):
        return Fault(
            str(error),
            mark(
                "The weights of step {saved} are kept and good. Start another run with a lower learning rate or a "
                "longer warm-up: this one would end at the same step again."
            ),
        )
    if isinstance(error, OSError):
        if error.errno in _FULL:
            return Fault(f"the disk is full{_place(error)}", _ROOM[bool(saved)])
        return Fault(f"a file cannot be read or written: {error}", _RIGHT[bool(saved)])
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return Fault(
            "there is not enough memory", mark("Start another run with a smaller model or smaller batches.")
        )
    if isinstance(error, ValueError | CheckpointError):
        return Fault(str(error), mark("Put that right in a new run."))
    return Fault(f"{type(error).__name__}: {error}", _TRY[bool(saved)])


def _place(error: OSError) -> str:
    return f": {error.filename} could not be written" if error.filename else ""
