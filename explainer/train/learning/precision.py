"""Where and in which number format to train: found out by looking and timing, not assumed."""

import time

import torch


def choose_device(name: str) -> torch.device:
    """The device called `name`; "auto" takes CUDA where there is one.

    Raises:
        ValueError: the name is none of auto, cpu, cuda, or the device is not there.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name not in ("cpu", "cuda"):
        raise ValueError(f"device = {name!r}: must be auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device = 'cuda': this computer has no CUDA device that torch can use; choose cpu")
    return torch.device(name)


def choose_autocast(device: torch.device) -> torch.dtype | None:
    """bfloat16 if its matrix products are clearly faster here than float32's, else None."""
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else None
    return torch.bfloat16 if _seconds(torch.bfloat16) < 0.7 * _seconds(torch.float32) else None


def _seconds(dtype: torch.dtype, rounds: int = 5) -> float:
    a, b = torch.randn(1024, 256, dtype=dtype), torch.randn(256, 1024, dtype=dtype)
    torch.matmul(a, b)
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        torch.matmul(a, b)
        best = min(best, time.perf_counter() - started)
    return best
