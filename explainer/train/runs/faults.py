"""What went wrong in a training run, in words for whoever started it: the reason, and what can be done."""

import errno
import math
from typing import Any

import torch

from explainer.checkpoints import CheckpointError
from explainer.language import mark
from explainer.model.families import Network
from explainer.train.learning.loop import TrainStep

_FULL = (errno.ENOSPC, errno.EDQUOT)


class NotFiniteError(ArithmeticError):
    """The loss, the gradient or a weight is no number any more; the message says at which step."""


_GOOD = mark(
    "The weights of step {saved} are kept and good. Start another run with a lower learning rate or a longer warm-up: "
    "this one would end at the same step again."
)
_SMALLER = mark("Start another run with a smaller model or smaller batches.")
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


def explain(error: BaseException, saved: int | None) -> dict[str, Any]:
    """The fields "reason", "detail" and "advice" of state.json that belong to the error that ended a run.

    Reason and advice are texts of the catalogues, but for what an error said itself. In the reason, {detail} is the
    detail; in the advice, {saved} is the step that was saved last.
    """
    detail = ""
    if isinstance(error, NotFiniteError):
        reason, advice = str(error), _GOOD
    elif isinstance(error, OSError) and error.errno in _FULL:
        place = mark("the disk is full: {detail} could not be written")
        reason, advice = place if error.filename else mark("the disk is full"), _ROOM[bool(saved)]
        detail = str(error.filename or "")
    elif isinstance(error, OSError):
        reason, advice = mark("a file cannot be read or written: {detail}"), _RIGHT[bool(saved)]
        detail = str(error)
    elif isinstance(error, MemoryError | torch.OutOfMemoryError):
        reason, advice = mark("there is not enough memory"), _SMALLER
    elif isinstance(error, ValueError | CheckpointError):
        reason, advice = str(error), mark("Put that right in a new run.")
    else:
        reason, advice = f"{type(error).__name__}: {error}", _TRY[bool(saved)]
    return {"reason": reason, "detail": detail, "advice": advice}
