"""Interventions: functions that stand in for a tensor at a hook point. A "What if?" is one or several of them."""

from torch import Tensor

from explainer.capture.record import Intervention


def without_head(head: int) -> Intervention:
    """At `attend.hook_mixed`: the head adds nothing, its Z is 0 wherever it looks."""

    def switch_off(mixed: Tensor) -> Tensor:
        changed = mixed.clone()
        changed[:, head] = 0
        return changed

    return switch_off
