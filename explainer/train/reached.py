"""What a request really reaches: the highest learning rate of its own schedule, within its own steps."""

from functools import lru_cache

from explainer.train.request import TrainRequest
from explainer.train.worker import learning_rate_of

_ROUNDING = 1e-9  # as a share of the peak


@lru_cache(maxsize=64)
def highest_rate(request: TrainRequest) -> float:
    """The maximum over the steps 1 … `steps` of the learning rate that the trainer uses at that step."""
    rate = learning_rate_of(request)
    return max(rate(step) for step in range(1, request.steps + 1))


def misses_peak(request: TrainRequest) -> bool:
    """Whether the schedule falls, or the run ends, before the learning rate has come up to `peak`.

    The paper's schedule has its own peak, reached at the end of the warm-up.
    """
    if request.schedule == "inverse_sqrt":
        return request.warmup > request.steps
    return highest_rate(request) < (1 - _ROUNDING) * request.peak
