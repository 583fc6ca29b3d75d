"""The loss by teacher forcing: PyTorch's, whatever the batches, and refused where it would mean nothing."""

import pytest
import torch
from torch.nn import functional as F

from explainer.text.tokenizer import END_ID, START_ID
from explainer.train.learning.batches import Example
from explainer.train.learning.forcing import teacher_forced_nll
from tests.peers import random_model

EXAMPLES = [Example([4 + i % 20] * (1 + i % 4), [5 + i % 20] * (1 + i % 3)) for i in range(24)]


@pytest.mark.parametrize("masked", [True, False])
def test_it_is_pytorchs_loss_whatever_the_batches(masked: bool) -> None:
    """The mean by PyTorch's loss is from passes of one sentence each, in which nothing is padded."""
    model = random_model(look_ahead_mask=masked, spread=2.0)
    total, count = 0.0, 0
    for one in EXAMPLES:
        rows = model(torch.tensor([[*one.source, END_ID]]), torch.tensor([[START_ID, *one.target]]))[0]
        total += F.nll_loss(rows, torch.tensor([*one.target, END_ID]), reduction="sum").item()
        count += len(rows)
    for max_tokens in (1, 20, 4096):
        found = teacher_forced_nll(model, EXAMPLES, max_tokens=max_tokens)
        assert found == pytest.approx(total / count, rel=1e-5)


def test_where_it_would_mean_nothing_it_is_refused() -> None:
    with pytest.raises(ValueError, match=r"in training mode.*call model.eval\(\) first"):
        teacher_forced_nll(random_model().train(), EXAMPLES)
    with pytest.raises(ValueError, match="examples: none given"):
        teacher_forced_nll(random_model(), [])
