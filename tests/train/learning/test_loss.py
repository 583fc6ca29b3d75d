"""The loss, of rows and by teacher forcing, is PyTorch's, values and gradients, and refused where it means nothing."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from explainer.equations.loss import smoothed
from explainer.text.tokenizer import END_ID, START_ID
from explainer.train.learning.autograd import torch_loss, trained_loss
from explainer.train.learning.batches import Example
from explainer.train.learning.forcing import teacher_forced_nll
from explainer.train.learning.loss import cross_entropy
from tests.peers import random_model

D_MODEL, VOCAB, IDS = 13, 37, (3, 18, 4)
EXAMPLES = [Example([4 + i % 20] * (1 + i % 4), [5 + i % 20] * (1 + i % 3)) for i in range(24)]


def problem(rows: int, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor]:
    hidden = torch.randn(rows, D_MODEL).to(dtype).requires_grad_()
    table = torch.randn(VOCAB, D_MODEL, requires_grad=True)
    return hidden, table, torch.randint(VOCAB, (rows,))


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("rows", [1, 511, 512, 513, 1100])  # chunks of 512: one, several, one row left over
def test_values_and_gradients_are_pytorchs(rows: int, smoothing: float) -> None:
    hidden, table, labels = problem(rows)
    loss, nll = cross_entropy(hidden, table, labels, smoothing)
    ours = torch.autograd.grad(loss / rows, (hidden, table))
    expected = F.cross_entropy(hidden @ table.T, labels, label_smoothing=smoothing)
    theirs = torch.autograd.grad(expected, (hidden, table))
    torch.testing.assert_close(loss / rows, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(nll / rows, F.cross_entropy(hidden @ table.T, labels), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)


def test_bfloat16_inputs_are_computed_in_float32() -> None:
    hidden, table, labels = problem(40, torch.bfloat16)
    loss, _ = cross_entropy(hidden, table, labels, 0.1)
    d_hidden, d_table = torch.autograd.grad(loss, (hidden, table))
    whole = hidden.detach().float().requires_grad_()
    expected = F.cross_entropy(whole @ table.T, labels, label_smoothing=0.1, reduction="sum")
    theirs = torch.autograd.grad(expected, (whole, table))
    assert loss.dtype == torch.float32
    assert d_hidden.dtype == torch.bfloat16
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(d_table, theirs[1], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(d_hidden.float(), theirs[0], rtol=2**-7, atol=1e-5)  # rounded once, to 8 bits


def test_a_scaled_loss_scales_the_gradient_and_large_logits_do_not_overflow() -> None:
    hidden, table, labels = problem(9)
    once, thrice = (
        torch.autograd.grad(factor * cross_entropy(hidden, table, labels, 0.1)[0], hidden)[0]
        for factor in (1, 3)
    )
    torch.testing.assert_close(thrice, 3 * once)
    loss, nll = cross_entropy(torch.tensor([[1000.0, -1000.0]]), torch.eye(2), torch.tensor([1]), 0.0)
    assert loss.item() == nll.item() == 2000.0


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


def test_each_row_has_a_loss_and_a_gradient_of_its_own() -> None:
    logits = torch.randn(3, VOCAB)
    q = np.stack([smoothed(VOCAB, label, 0.1) for label in IDS])
    loss, gradient = torch_loss(logits.numpy(), q)
    expected = F.cross_entropy(logits, torch.tensor(IDS), label_smoothing=0.1, reduction="none")
    np.testing.assert_allclose(loss, expected.numpy(), rtol=1e-5)
    for row in range(3):
        alone, of_row = torch_loss(logits[row : row + 1].numpy(), q[row : row + 1])
        np.testing.assert_allclose(alone[0], loss[row], rtol=1e-6)
        np.testing.assert_allclose(of_row[0], gradient[row], atol=1e-7)


def test_the_training_code_works_where_nothing_is_to_be_learnt() -> None:
    """Pages run in inference mode, on read-only arrays."""
    hidden, table = torch.randn(3, D_MODEL), torch.randn(VOCAB, D_MODEL)
    leaf = hidden.clone().requires_grad_()
    with torch.inference_mode():
        loss, gradient = trained_loss(hidden.numpy(), table.numpy(), IDS, 0.1)
    expected = F.cross_entropy(leaf @ table.T, torch.tensor(IDS), label_smoothing=0.1)
    np.testing.assert_allclose(loss, float(expected.detach()), rtol=1e-5)
    mean = torch.autograd.grad(expected, leaf)[0].numpy()
    np.testing.assert_allclose(gradient, len(IDS) * mean, atol=1e-6)  # each row has that of its own loss
