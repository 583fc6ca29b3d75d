"""Several changes together: read from a link, checked against the sentence, compiled for one pass."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from torch import nn

from explainer.capture.interventions import in_turn
from explainer.capture.record import Intervention, classes_of
from explainer.language import _
from explainer.measures.anatomy import KIND_NAMES, KINDS, Anatomy, anatomy_of
from explainer.model.attention import MultiHeadAttention
from explainer.text.tokenizer import END_ID
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
from explainer.whatif.change import Change, ImpossibleError, Lengths, Where
from explainer.whatif.stream import NoNorm, NoPositions, NoResidual, Replace, Swap

Changes = tuple[Change, ...]
ALL = (
    HeadOff, OnlyHead, Unscaled, Temperature, Uniform, Score, MaskCell, NoLookAheadMask, NoPositions, NoResidual,
    NoNorm, Replace, Swap,
)  # fmt: skip
BY_CODE: dict[str, type[Change]] = {kind.code: kind for kind in ALL}
MOST = 32  # changes in one link
_PARTS: WeakKeyDictionary[nn.Module, Anatomy] = WeakKeyDictionary()


def parse(spec: str) -> Change:
    """The change that a part of a link names.

    Raises:
        ValueError: it names none.
    """
    code = spec.partition(":")[0]
    if code not in BY_CODE:
        told = _("{spec}: no such change: expected one of {codes}")
        raise ValueError(told.format(spec=repr(spec[:40]), codes=", ".join(BY_CODE)))
    return BY_CODE[code].parse(spec)


def model_parts(model: Any) -> Anatomy:
    """What of a model can be changed; read off its modules once, as that takes as long as a layer."""
    if model not in _PARTS:
        heads = {
            path: (one.n_heads, one.query.out_features // one.n_heads)
            for path, one in model.named_modules()
            if isinstance(one, MultiHeadAttention)
        }
        words = range(END_ID + 1, model.config.vocab_size)
        _PARTS[model] = replace(anatomy_of(classes_of(model)), heads=heads, words=words)
    return _PARTS[model]


def check(changes: Changes, model: nn.Module, lengths: Lengths) -> None:
    """Check each change, then what they do together.

    Raises:
        ImpossibleError: there is no such place, no head of a layer is left on, or a row would see no key.
    """
    if len(changes) > MOST:
        raise ImpossibleError(_("{n} changes at once: at most {most}").format(n=len(changes), most=MOST))
    anatomy = model_parts(model)
    for change in changes:
        change.check(anatomy, lengths)
    _check_heads(changes, anatomy)
    _check_masks(changes, lengths)


def compiled(changes: Changes, model: nn.Module) -> dict[str, Intervention]:
    """The interventions of all changes, to be used for one pass or one search; at one hook they act in turn."""
    anatomy, together = model_parts(model), {}
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
            (path,), layer = change.where.attentions(anatomy), replace(change.where, head=None)
            n_heads, __ = anatomy.heads[path]
            off[layer] |= change.off(n_heads)
            if len(off[layer]) == n_heads:
                told = _("no head of {layer} would be left on: keep at least one")
                raise ImpossibleError(told.format(layer=layer.words))


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
            told = _("row {row} of {kind} would see no key: its softmax would be 0 ÷ 0; leave one open")
            raise ImpossibleError(told.format(row=empty[0] + 1, kind=_(KIND_NAMES[kind])))


def in_words(changes: Changes, piece: Callable[[int], str]) -> tuple[str, ...]:
    """Each change in a few words; `piece` spells a token id."""
    return tuple(change.words(piece) for change in changes)
