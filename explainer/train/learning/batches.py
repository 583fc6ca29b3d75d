"""Batches counted in tokens, of sentences of like length; the same for the same seed and epoch."""

import dataclasses
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from explainer.text.tokenizer import END_ID, PAD_ID, START_ID


@dataclass(frozen=True)
class Example:
    """A sentence pair as token ids, without `<s>` and `</s>`."""

    source: list[int]
    target: list[int]

    @property
    def length(self) -> int:
        """Positions that the longer side takes in a batch, its `</s>` or `<s>` included."""
        return max(len(self.source), len(self.target)) + 1

    @property
    def n_tokens(self) -> int:
        """Real tokens of both sides, with their `</s>`."""
        return len(self.source) + len(self.target) + 2


@dataclass(frozen=True)
class Batch:
    """Padded token ids. Row t of `target` is what the decoder reads, row t of `labels` what it should say next."""

    source: Int[Tensor, "batch source"]  # x₁ … x_n </s>
    target: Int[Tensor, "batch target"]  # <s> y₁ … y_m
    labels: Int[Tensor, "batch target"]  # y₁ … y_m </s>

    @property
    def n_tokens(self) -> int:
        """Real tokens of both sides."""
        return int((self.source != PAD_ID).sum() + (self.labels != PAD_ID).sum())

    def to(self, device: torch.device) -> "Batch":
        """The same batch on another device."""
        return Batch(*(getattr(self, field.name).to(device) for field in dataclasses.fields(self)))


def collate(examples: Sequence[Example]) -> Batch:
    """Pad the examples to the longest of each side."""
    return Batch(
        _padded([[*example.source, END_ID] for example in examples]),
        _padded([[START_ID, *example.target] for example in examples]),
        _padded([[*example.target, END_ID] for example in examples]),
    )


def token_batches(
    examples: Sequence[Example], max_tokens: int, *, seed: int, epoch: int
) -> list[list[Example]]:
    """Every example once, in batches of at most `max_tokens` padded positions a side, in random order.

    Neighbours in a batch have like lengths; a little noise on the lengths mixes them anew in every epoch. An
    example longer than `max_tokens` makes a batch of its own.
    """
    chance = random.Random(f"batches {seed} {epoch}")
    order = sorted(examples, key=lambda example: example.length + chance.random() * 2)
    batches: list[list[Example]] = [[]]
    longest = 0
    for example in order:
        longest = max(longest, example.length)
        if batches[-1] and longest * (len(batches[-1]) + 1) > max_tokens:
            batches.append([])
            longest = example.length
        batches[-1].append(example)
    chance.shuffle(batches)
    return [batch for batch in batches if batch]


def concatenated(examples: Sequence[Example], share: float, *, seed: int, epoch: int) -> Iterator[Example]:
    """Pairs of examples joined end to end, `share` times as many as there are examples.

    Without them a model that has only seen single sentences stops after the first of two.
    """
    chance = random.Random(f"concatenated {seed} {epoch}")
    for _ in range(int(share * len(examples))):
        first, second = chance.choice(examples), chance.choice(examples)
        yield Example(first.source + second.source, first.target + second.target)


def _padded(rows: list[list[int]]) -> Int[Tensor, "batch position"]:
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD_ID] * (longest - len(row)) for row in rows])
