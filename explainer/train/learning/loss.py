"""The loss: cross-entropy against smoothed targets, averaged over real tokens (Vaswani et al. 2017, §5.4)."""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

_ROWS = 512  # rows of logits alive at a time: a full batch would need 4096 × vocab floats, several times over


class _TiedCrossEntropy(torch.autograd.Function):
    """Σ −q log softmax(hidden tableᵀ), gradients computed chunk by chunk in the forward pass."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, table: Tensor, labels: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        d_hidden, d_table = torch.empty_like(hidden), torch.zeros_like(table)
        loss, nll = hidden.new_zeros(()), hidden.new_zeros(())
        vocab = table.shape[0]
        for first in range(0, len(labels), _ROWS):
            rows = slice(first, first + _ROWS)
            part, chosen = hidden[rows], labels[rows, None]
            logits = part @ table.T
            log_z = logits.logsumexp(dim=-1, keepdim=True)
            nll_rows = log_z - logits.gather(1, chosen)
            nll += nll_rows.sum()
            loss += (1 - smoothing) * nll_rows.sum() + smoothing * (log_z.sum() - logits.sum() / vocab)
            gradient = (
                logits.sub_(log_z).exp_().sub_(smoothing / vocab)
            )  # p − q, first the smoothed part of q
            gradient.scatter_add_(1, chosen, gradient.new_full(chosen.shape, smoothing - 1.0))
            torch.mm(gradient, table, out=d_hidden[rows])
            d_table.addmm_(gradient.T, part)
        ctx.save_for_backward(d_hidden, d_table)
        ctx.mark_non_differentiable(nll)
        return loss, nll

    @staticmethod
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]: torch declares *grad_outputs
        ctx: Any, d_loss: Tensor, d_nll: Tensor
    ) -> tuple[Tensor, Tensor, None, None]:
        d_hidden, d_table = ctx.saved_tensors
        return d_hidden * d_loss, d_table * d_loss, None, None


def cross_entropy(
    hidden: Float[Tensor, "row d_model"],
    table: Float[Tensor, "vocab d_model"],
    labels: Int[Tensor, " row"],
    smoothing: float,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Sum over rows of H(q, p) with p = softmax(hidden tableᵀ), and of −log p(label), both in nats.

    q puts 1 − ε + ε/V on the label and ε/V on every other entry (Szegedy et al. 2016, and PyTorch's
    `label_smoothing`); ε, in 0 … 1, is `smoothing`. `table` is the output projection W. The rows are the real tokens:
    padding is left out by the caller.
    """
    return _TiedCrossEntropy.apply(hidden.float(), table.float(), labels, smoothing)
