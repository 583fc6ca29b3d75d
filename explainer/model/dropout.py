"""Dropout (Srivastava et al. 2014) with one random byte per element."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Dropout(nn.Module):
    """While training, zero each element with probability p and divide the others by 1 − p.

    p is rounded to a multiple of 1/256, because one random byte decides per element: on a CPU that is several
    times faster than `nn.Dropout`, which took a tenth of a training step.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.limit = round(256 * p)  # bytes below it drop their element

    def forward(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Drop elements of `x`, or return it untouched in eval mode."""
        if not self.training or not self.limit:
            return x
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device)
        words.random_(-(2**63), None)
        kept = words.view(torch.uint8)[: x.numel()].view(x.shape) >= self.limit
        return x * (kept * (256 / (256 - self.limit)))

    __call__ = forward  # as for a HookPoint
