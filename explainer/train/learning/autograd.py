"""What automatic differentiation says of the loss of a few rows: what the formula p − q is compared with."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch.nn import functional as F

from explainer.train.learning.loss import cross_entropy


def torch_loss(
    logits: Float[np.ndarray, "row vocab"], q: Float[np.ndarray, "row vocab"]
) -> tuple[Float[np.ndarray, " row"], Float[np.ndarray, "row vocab"]]:
    """H(q, softmax(ℓ)) of each row, and the gradient of its own row's loss on the logits ℓ, both by PyTorch."""
    with torch.inference_mode(mode=False), torch.enable_grad():
        leaf = torch.tensor(logits, dtype=torch.float32, requires_grad=True)
        each = F.cross_entropy(leaf, torch.tensor(q, dtype=torch.float32), reduction="none")
        (gradient,) = torch.autograd.grad(each.sum(), leaf)
    return each.detach().numpy(), gradient.numpy()


def trained_loss(
    hidden: Float[np.ndarray, "row d_model"],
    table: Float[np.ndarray, "vocab d_model"],
    ids: Sequence[int],
    smoothing: float,
) -> tuple[float, Float[np.ndarray, "row d_model"]]:
    """The loss per token that training makes small (`explainer/train/learning/loss.py`), and its gradient on `hidden`.

    The gradient is that of the sum over the rows: each row has that of its own loss. Arguments as for `cross_entropy`.
    """
    with torch.inference_mode(mode=False), torch.enable_grad():
        leaf = torch.tensor(hidden, dtype=torch.float32, requires_grad=True)
        labels = torch.tensor(list(ids))
        loss, _ = cross_entropy(leaf, torch.from_numpy(np.array(table, np.float32)), labels, smoothing)
        (gradient,) = torch.autograd.grad(loss, leaf)
    return float(loss.detach()) / len(ids), gradient.numpy()


def torch_adam(gradients: Sequence[float], *, betas: tuple[float, float]) -> list[float]:
    """The weight, 0 at first, after each step of `torch.optim.Adam` with learning rate 1 and the paper's ε.

    `gradients` are those of the weight in each step, in double precision; `betas` are β₁ and β₂.
    """
    weight = torch.zeros(1, dtype=torch.double)
    optimizer = torch.optim.Adam([weight], lr=1.0, betas=betas, eps=1e-9)
    path = []
    for gradient in gradients:
        weight.grad = torch.full_like(weight, gradient)
        optimizer.step()
        path.append(float(weight))
    return path
