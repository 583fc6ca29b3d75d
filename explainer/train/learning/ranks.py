"""Several processes that train one model together, started by `torchrun`: each takes a part of every batch.

The sum of their gradients is the gradient of the whole batch, so that the loss curve is that of one process with the
same batches. Gradients are summed here and not by `DistributedDataParallel`, which averages over processes: sentences
differ in length, and the loss is a mean over tokens.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import torch
from torch import Tensor, distributed

Item = TypeVar("Item")


class Ranks:
    """The group that this process belongs to; alone, it is a group of one and does nothing.

    The process with `rank` 0 leads: it alone reads and writes the run's folder.
    """

    rank = 0
    size = 1

    def share(self, items: Sequence[Item]) -> list[Item]:
        """The part of this process; all of them if there are fewer than processes (a mean does not mind)."""
        return list(items)

    def total(self, value: int) -> int:
        """The sum of what the processes have."""
        return value

    def sum_in_place(self, tensors: list[Tensor]) -> None:
        """Give every process the sums over all of them."""

    def agree(self, make: Callable[[], Item]) -> Item:
        """What the leading process makes, given to all."""
        return make()

    def any(self, flag: bool) -> bool:
        """Whether one of them says so."""
        return self.total(int(flag)) > 0

    def leave(self) -> None:
        """End the group."""


class Torchrun(Ranks):
    """A group that `torchrun` started: NCCL between CUDA devices, Gloo between CPUs."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        if device.type == "cuda":
            torch.cuda.set_device(device)
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        self.rank, self.size = distributed.get_rank(), distributed.get_world_size()

    def share(self, items: Sequence[Item]) -> list[Item]:
        """Every `size`-th item."""
        return list(items[self.rank :: self.size] if len(items) >= self.size else items)

    def total(self, value: int) -> int:
        """One number a process, added up."""
        sums = torch.tensor([value], device=self.device)
        distributed.all_reduce(sums)
        return int(sums)

    def sum_in_place(self, tensors: list[Tensor]) -> None:
        """All of them in one message."""
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        distributed.all_reduce(flat)
        parts = flat.split([tensor.numel() for tensor in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.view_as(tensor))

    def agree(self, make: Callable[[], Item]) -> Item:
        """Sent by the leading process; the others wait."""
        box: list[Any] = [make() if self.rank == 0 else None]
        distributed.broadcast_object_list(box, src=0)
        return cast(Item, box[0])

    def leave(self) -> None:
        """Close the connections."""
        distributed.destroy_process_group()


ALONE = Ranks()


def started_by_torchrun() -> bool:
    """Whether this process is one of several; it is told so by its environment."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


def leads() -> bool:
    """Whether this process is the only one, or the first."""
    return not started_by_torchrun() or os.environ.get("RANK", "0") == "0"


def own_device(device: torch.device) -> torch.device:
    """Of the CUDA devices of this computer the one that is this process's own.

    Raises:
        ValueError: there are more processes than devices.
    """
    if device.type != "cuda" or not started_by_torchrun():
        return device
    number, count = int(os.environ.get("LOCAL_RANK", "0")), torch.cuda.device_count()
    if number >= count:
        raise ValueError(f"process {number + 1} of this computer has no CUDA device: there are {count}")
    return torch.device("cuda", number)


def join(device: torch.device) -> Ranks:
    """The group that this process belongs to."""
    return Torchrun(device) if started_by_torchrun() else ALONE
