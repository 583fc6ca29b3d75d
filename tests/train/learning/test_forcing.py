"""The loss by teacher forcing: PyTorch's, whatever the batches, and refused where it would mean nothing."""

import pytest
import torch
from torch.nn import functional as F

from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID, START_ID
from explainer.train.learning.batches import Example
from explainer.train.learning.forcing import teacher_forced_nll
from tests.peers import random_model

EXAMPLES = [Example([4 + i % 20] * (1 + i % 4), [5 + i % 20] * (1 + i % 3)) for i in range(24)]


def one_by_one(model: Transformer) -> float:
    """The same mean by PyTorch's loss, from passes of one sentence each, in which nothing is padded."""
    total, count = 0.0, 0
    for example in EXAMPLES:
        rows = model(torch.tensor([[*example.source, END_ID]]), torch.tensor([[START_ID, *example.target]]))[
            0
        ]
        total += F.nll_loss(rows, torch.tensor([*example.target, END_ID]), reduction="sum").item()
        count += len(rows)
    return total / count


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("max_tokens", [1, 20, 4096])
def test_it_is_pytorchs_loss_whatever_the_batches(masked: bool, max_tokens: int) -> None:
    model = random_model(look_ahead_mask=masked, spread=2.0)
    found = teacher_forced_nll(model, EXAMPLES, max_tokens=max_tokens)
    assert found == pytest.approx(one_by_one(model), rel=1e-5)


def test_a_model_in_training_mode_is_refused() -> None:
    with pytest.raises(ValueError, match=r"in training mode.*call model.eval\(\) first"):
        teacher_forced_nll(random_model().train(), EXAMPLES)


def test_no_examples_have_no_mean() -> None:
    with pytest.raises(ValueError, match="examples: none given"):
        teacher_forced_nll(random_model(), [])
