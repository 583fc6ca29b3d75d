"""What the page compares its formulas with is what PyTorch computes."""

import numpy as np
import torch
from torch.nn import functional as F

from explainer.equations.loss import smoothed
from explainer.train.learning.autograd import torch_loss, trained_loss

VOCAB, D_MODEL, IDS = 19, 5, (3, 18, 4)


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
