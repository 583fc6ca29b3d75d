"""Several changes together: read from a link, checked against the sentence, compiled for one pass."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from explainer.capture.interventions import in_turn
from explainer.capture.record import Intervention
from explainer.measures.anatomy import KINDS
from explainer.model.config import TransformerConfig
from explainer.whatif.anatomy import Anatomy, anatomy_of
from explainer.whatif.attention import (
    HeadOff,
    MaskCell,
    NoLookAheadMask,
    OnlyHead,
    Score,
    Temperature,
    Uniform,
    Unscaled,
)
from explainer.whatif.change import KIND_WORDS, Change, ImpossibleError, Lengths, Where
from explainer.whatif.stream import NoNorm, NoPositions, NoResidual, Replace, Swap

Changes = tuple[Change, ...]
ALL = (
    HeadOff, OnlyHead, Unscaled, Temperature, Uniform, Score, MaskCell, NoLookAheadMask, NoPositions, NoResidual,
    NoNorm, Replace, Swap,
)  # fmt: skip
BY_CODE: dict[str, type[Change]] = {kind.code: kind for kind in ALL}
MOST = 32  # changes in one link


def parse(spec: str) -> Change:
    """The change that a part of a link names.

    Raises:
        ValueError: it names none.
    """
    code = spec.partition(":")[0]
    if code not in BY_CODE:
        raise ValueError(f"{spec[:40]!r}: no such change: expected one of {', '.join(BY_CODE)}")
    return BY_CODE[code].parse(spec)


def check(changes: Changes, config: TransformerConfig, lengths: Lengths) -> None:
    """Check each change, then what they do together.

    Raises:
        ImpossibleError: there is no such place, no head of a layer is left on, or a row would see no key.
    """
    if len(changes) > MOST:
        raise ImpossibleError(f"{len(changes)} changes at once: at most {MOST}")
    anatomy = anatomy_of(config)
    for change in changes:
        change.check(anatomy, lengths)
    _check_heads(changes, anatomy)
    _check_masks(changes, lengths)


def compiled(changes: Changes, config: TransformerConfig) -> dict[str, Intervention]:
    """The interventions of all changes, to be used for one pass or one search; at one hook they act in turn."""
    anatomy, together = anatomy_of(config), {}
    for change in sorted(changes, key=lambda one: one.turn):
        together = combined(together, change.interventions(anatomy))
    return together


def combined(
    first: Mapping[str, Intervention], second: Mapping[str, Intervention]
) -> dict[str, Intervention]:
    """Both, by hook name; where they meet, the second acts on what the first made."""
    both = {name: in_turn(first[name], act) if name in first else act for name, act in second.items()}
    return {**first, **both}


def edited(changes: Changes, source_ids: Sequence[int]) -> list[int]:
    """The source tokens after all changes."""
    ids = list(source_ids)
    for change in changes:
        ids = change.edited(ids)
    return ids


def _check_heads(changes: Changes, anatomy: Anatomy) -> None:
    off: defaultdict[Where, set[int]] = defaultdict(set)
    for change in changes:
        if isinstance(change, HeadOff):
            (attention,), layer = change.where.attentions(anatomy), replace(change.where, head=None)
            off[layer] |= change.off(attention.n_heads)
            if len(off[layer]) == attention.n_heads:
                raise ImpossibleError(f"no head of {layer.words} would be left on: keep at least one")


def _check_masks(changes: Changes, lengths: Lengths) -> None:
    for kind in KINDS:
        allowed = np.ones((lengths.rows(kind), lengths.columns(kind)), dtype=bool)
        if kind == "decoder":  # while it writes, a row never sees what comes later
            allowed = np.tril(allowed)
        written = allowed.copy()
        for change in changes:
            if isinstance(change, MaskCell) and change.kind == kind:
                allowed[change.row, change.column] ^= written[change.row, change.column]
        empty = np.flatnonzero(~allowed.any(axis=1))
        if empty.size:
            raise ImpossibleError(
                f"row {empty[0] + 1} of {KIND_WORDS[kind]} would see no key: its softmax would be 0 ÷ 0; leave one open"
            )


def in_words(changes: Changes, piece: Callable[[int], str]) -> tuple[str, ...]:
    """Each change in a few words; `piece` spells a token id."""
    return tuple(change.words(piece) for change in changes)
