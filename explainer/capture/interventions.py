"""Interventions: functions that stand in for a tensor at a hook point. A "What if?" is one or several of them."""

import torch
from torch import Tensor

from explainer.capture.record import Intervention


def without_heads(*heads: int) -> Intervention:
    """At `attend.hook_mixed`: these heads add nothing, their Z is 0 wherever they look."""

    def switch_off(mixed: Tensor) -> Tensor:
        changed = mixed.clone()
        changed[:, list(heads)] = 0
        return changed

    return switch_off


def multiplied(factor: float, head: int | None = None) -> Intervention:
    """At `attend.hook_scores`: the scores of one head (or all) times `factor`."""

    def multiply(scores: Tensor) -> Tensor:
        changed = scores.clone()
        changed[:, _heads(head)] *= factor
        return changed

    return multiply


def levelled(head: int | None = None) -> Intervention:
    """At `attend.hook_masked`: every score that is not masked becomes 0, so that the softmax shares evenly."""

    def level(masked: Tensor) -> Tensor:
        changed = masked.clone()
        chosen = changed[:, _heads(head)]
        changed[:, _heads(head)] = torch.where(chosen.isneginf(), chosen, 0.0)
        return changed

    return level


def with_score(head: int | None, row: int, column: int, value: float) -> Intervention:
    """At `attend.hook_scores`: one cell reads `value`; in a pass that has no such cell, nothing changes."""

    def edit(scores: Tensor) -> Tensor:
        changed = scores.clone()
        if row < scores.shape[-2] and column < scores.shape[-1]:
            changed[:, _heads(head), row, column] = value
        return changed

    return edit


def with_mask_flipped(row: int, column: int) -> Intervention:
    """At `attend.hook_mask`: what may be attended to in one cell may not, and the other way round."""

    def flip(mask: Tensor) -> Tensor:
        changed = mask.clone()
        if row < mask.shape[-2] and column < mask.shape[-1]:
            changed[..., row, column] = ~changed[..., row, column]
        return changed

    return flip


def last_row_for_all(mask: Tensor) -> Tensor:
    """At `attend.hook_mask` of a decoder: every row may attend to what the last one may, all but padding."""
    return mask[..., -1:, :].expand_as(mask)


def in_turn(first: Intervention, second: Intervention) -> Intervention:
    """Both at one hook point: the second acts on what the first made."""
    return lambda value: second(first(value))


def _heads(head: int | None) -> slice:
    return slice(None) if head is None else slice(head, head + 1)


class Memory:
    """Remembers the tensor of one hook point, to stand in its place at a later one of the same pass."""

    def __init__(self) -> None:
        self._held: Tensor | None = None

    def remember(self, value: Tensor) -> Tensor:
        """At the earlier hook point: changes nothing."""
        self._held = value
        return value

    def instead(self, value: Tensor) -> Tensor:
        """At the later one: what was remembered."""
        return value if self._held is None else self._held
