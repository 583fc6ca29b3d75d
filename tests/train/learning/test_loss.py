"""The loss is compared with PyTorch's, values and gradients."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from explainer.train.learning.loss import cross_entropy

D_MODEL, VOCAB = 13, 37


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
