"""Batches: nothing lost, nothing twice, nothing too large, the same for the same seed."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.text.tokenizer import END_ID, PAD_ID, START_ID
from explainer.train.learning.batches import Example, collate, concatenated, token_batches

TOKENS = st.lists(st.integers(4, 30), min_size=1, max_size=12)
Pairs = list[tuple[list[int], list[int]]]
PAIRS = st.lists(
    st.tuples(TOKENS, TOKENS), max_size=40
)  # examples are made in the test: making one is checked


@given(pairs=PAIRS, max_tokens=st.integers(1, 60), seed=st.integers(0, 9), epoch=st.integers(0, 9))
def test_every_example_once_and_no_batch_too_large(
    pairs: Pairs, max_tokens: int, seed: int, epoch: int
) -> None:
    examples = [Example(source, target) for source, target in pairs]
    batches = token_batches(examples, max_tokens, seed=seed, epoch=epoch)
    assert Counter(repr(e) for batch in batches for e in batch) == Counter(map(repr, examples))
    for batch in batches:
        made = collate(batch)
        assert len(batch) == 1 or max(made.source.numel(), made.target.numel()) <= max_tokens
    assert batches == token_batches(examples, max_tokens, seed=seed, epoch=epoch)


def test_another_epoch_or_seed_is_another_order() -> None:
    examples = [Example([i], [i] * (1 + i % 9)) for i in range(4, 200)]
    first = token_batches(examples, 40, seed=0, epoch=0)
    assert first != token_batches(examples, 40, seed=0, epoch=1)
    assert first != token_batches(examples, 40, seed=1, epoch=0)


def test_batches_are_well_filled() -> None:
    examples = [Example([5] * (1 + i % 20), [6] * (1 + i % 20)) for i in range(2000)]
    batches = [collate(batch) for batch in token_batches(examples, 400, seed=0, epoch=0)]
    real = sum(batch.n_tokens for batch in batches)
    padded = sum(batch.source.numel() + batch.labels.numel() for batch in batches)
    assert real / padded > 0.85  # at random lengths it would be about a half


@given(pairs=PAIRS.filter(len))
def test_the_labels_are_the_target_one_step_ahead(pairs: Pairs) -> None:
    examples = [Example(source, target) for source, target in pairs]
    batch = collate(examples)
    for row, example in enumerate(examples):
        pads = [PAD_ID] * (batch.source.shape[1] - len(example.source) - 1)
        assert batch.source[row].tolist() == [*example.source, END_ID, *pads]
        pads = [PAD_ID] * (batch.target.shape[1] - len(example.target) - 1)
        assert batch.target[row].tolist() == [START_ID, *example.target, *pads]
        assert batch.labels[row].tolist() == [*example.target, END_ID, *pads]
    assert batch.n_tokens == sum(len(e.source) + len(e.target) + 2 for e in examples)


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.1, 10), (1.5, 150)])
def test_joined_pairs_are_two_of_the_examples(share: float, count: int) -> None:
    examples = [Example([4 + i] * 2, [4 + i] * 3) for i in range(100)]
    joined = list(concatenated(examples, share, seed=0, epoch=3))
    assert len(joined) == count
    for one in joined:
        assert len(one.source) == 4
        assert one.target == [one.source[0]] * 3 + [one.source[2]] * 3
    assert joined == list(concatenated(examples, share, seed=0, epoch=3))
    if count > 1:
        assert joined != list(concatenated(examples, share, seed=0, epoch=4))
