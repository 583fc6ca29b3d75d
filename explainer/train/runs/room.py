"""How much a folder of runs may hold, and what goes first when it is full."""

import contextlib
import os
from pathlib import Path

from explainer.train.runs.folder import RunFolder
from explainer.train.runs.names import RunError, run_names

MAX_BYTES = 20 * 2**30  # of a folder of runs
_FEW, _RECENT = (
    12,
    6,
)  # saved steps that are left of a run whose old saves go, and how many of them are the last ones


def make_room(runs: Path) -> None:
    """If a folder of runs is full, remove old saved steps, of the runs begun first at first.

    The first step, the last ones and a few between are left of each run, whatever it is doing: it goes on from its
    `resume.safetensors`.

    Raises:
        RunError: it is full all the same.
    """
    size = _bytes_in(runs)
    for name in reversed(run_names(runs) if size > MAX_BYTES else []):
        folder = RunFolder(runs / name)
        before = _bytes_in(folder.path)
        folder.thin(_FEW, _RECENT)
        size -= before - _bytes_in(folder.path)
        if size <= MAX_BYTES:
            return
    if size > MAX_BYTES:
        held, limit = f"{size / 2**30:.1f} GB", f"{MAX_BYTES / 2**30:.0f} GB"
        raise RunError(f"the folder of runs holds {held}, the limit is {limit}: delete runs first")


def _bytes_in(folder: Path) -> int:
    """What the files below a folder hold; those that go meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size
    return total
