"""Run folders: all that a training run was asked, has done, and needs to go on.

request.json       what was asked
state.json         status, step, pid, heartbeat, device, precision; why it ended and what to do
control            "pause" or "stop", left by whoever wants that
metrics.jsonl      one line per report of the training loop
steps/<n>/         a checkpoint folder for each saved step
resume.safetensors the exact state of the trainer
run.lock           is locked as long as a process trains the run
out.log            what that process printed

Files that only this run needs, such as its corpus, lie here too: a path in the request is relative to the folder.
"""

import contextlib
import dataclasses
import json
import math
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from filelock import Timeout
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor

from explainer.checkpoints import save_checkpoint
from explainer.files import read_json, write_bytes, write_json
from explainer.model.config import MAX_STEP
from explainer.model.families import Network
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.request import TrainRequest
from explainer.train.runs.locks import lock_on
from explainer.train.runs.names import RunError, run_names
from explainer.train.runs.orders import leave_wish
from explainer.train.runs.reports import read_report

LOCK = "run.lock"
MAX_SAVES = 64  # saved steps of a run; beyond that, those that are closest together go
RECENT = 32  # the last ones, which stay: they may be averaged
MAX_BYTES = 20 * 2**30  # of a folder of runs
_FEW, _FEW_RECENT = 12, 6  # saved steps that are left of a run whose old saves go, and the last ones of them
_HIDDEN = (
    ".new-",
    ".deleted-",
    ".upload-",
)  # folders that are no runs yet or no more; the last as they once were
_STEP = re.compile(rf"[0-9]{{6,{len(str(MAX_STEP))}}}")


@dataclass(frozen=True)
class RunFolder:
    """The files of one run."""

    path: Path

    def create(self, request: TrainRequest) -> None:
        """Start a run in a new folder; FileExistsError if there is something already."""
        if (self.path / "request.json").exists():
            raise FileExistsError(f"{self.path} already holds a run: resume it or choose another name")
        if self.path.exists() and any(self.path.iterdir()):
            raise FileExistsError(f"{self.path} holds other files: choose another name")
        self.write_request(request)

    def forget(self) -> None:
        """Undo `create` and what a process left that never began; the folder too if nothing else is in it."""
        for name in ("request.json", "state.json", "control", LOCK, ".reserve"):
            (self.path / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not empty: not ours to remove
            self.path.rmdir()

    @contextlib.contextmanager
    def owned(self, seconds: float = 0.0) -> Iterator[None]:
        """In a `with` block: no other process trains this run, nor moves or deletes it.

        Raises:
            ValueError: another process had it for so many seconds.
        """
        try:
            held = lock_on(self.path / LOCK, seconds).acquire()
        except Timeout as error:
            pid = self.state().get("pid", "unknown")
            raise ValueError(
                f"{self.path}: another process (number {pid}) has this run; pause it first"
            ) from error
        with held:
            yield

    def sweep(self, *, wishes: bool) -> None:
        """Remove files that a killed process was writing; only the process that has the lock may do it.

        With `wishes`, a wish in the file `control` goes too: it was for an earlier process.
        """
        if wishes:
            leave_wish(self.path, "")
        for path in (*self.path.glob(".*.tmp"), *(self.path / "steps").glob(".[0-9]*")):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def request(self) -> TrainRequest:
        """What the run was asked to do; ValueError says what is wrong with the file."""
        path = self.path / "request.json"
        try:
            return TrainRequest.from_json(read_json(path))
        except FileNotFoundError as error:
            raise ValueError(f"{path}: missing; is {self.path} a run folder?") from error
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from error

    def write_request(self, request: TrainRequest) -> None:
        """Put another request in the place of the one that is there."""
        write_json(self.path / "request.json", dataclasses.asdict(request))

    def write_state(self, status: str, *, keep: tuple[str, ...] = (), **fields: Any) -> None:
        """Tell whoever watches how the run is; of what was told before, the fields `keep` stay."""
        about = {"status": status, "pid": os.getpid(), "heartbeat": time.time()}
        before = self.state() if keep else {}
        kept = {name: before[name] for name in keep if name in before}
        write_json(self.path / "state.json", about | kept | fields)

    def state(self) -> dict[str, Any]:
        """What `write_state` told last; empty if nothing yet, or if the file is damaged."""
        try:
            found = read_json(self.path / "state.json")
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def reserve(self, size: int) -> None:
        """Keep so many bytes of the disk for the last words of a process; 0 gives them back."""
        path = self.path / ".reserve"
        if size:
            with contextlib.suppress(OSError):
                path.write_bytes(b"-" * size)
        else:
            path.unlink(missing_ok=True)

    def append(self, report: dict[str, Any]) -> None:
        """Add a line to the metrics."""
        with (self.path / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(report) + "\n")

    def forget_after(self, step: int) -> None:
        """Drop damaged metrics and those of later steps: a process that was killed reported more than it saved."""
        path = self.path / "metrics.jsonl"
        if path.exists():
            kept = [line for line in path.read_bytes().splitlines(keepends=True) if _step_of(line) <= step]
            write_bytes(path, b"".join(kept))

    def last_report(self) -> dict[str, Any]:
        """The last line of the metrics; empty if there is none."""
        path = self.path / "metrics.jsonl"
        lines = path.read_bytes().splitlines() if path.exists() else []
        return read_report(lines[-1]) if lines else {}

    def save_step(self, model: Network, tokenizer: Tokenizer, step: int) -> None:
        """Keep the weights of this step (float16) as a checkpoint folder."""
        temporary = self.path / "steps" / f".{step}"
        shutil.rmtree(temporary, ignore_errors=True)
        try:
            save_checkpoint(temporary, model, tokenizer, step=step, dtype=torch.float16)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        self._drop(step)
        temporary.replace(self.step_folder(step))
        self.thin(MAX_SAVES, RECENT)

    def thin(self, most: int, recent: int) -> None:
        """Remove saved steps until `most` are left; see `superfluous`."""
        for step in superfluous(self.saved_steps(), most, recent):
            self._drop(step)

    def _drop(self, step: int) -> None:
        """Remove a saved step. Whoever reads it finds all of it or nothing; `sweep` removes what a crash leaves."""
        leaving = self.path / "steps" / f".{step}.old"
        with contextlib.suppress(FileNotFoundError):
            self.step_folder(step).replace(leaving)
        shutil.rmtree(leaving, ignore_errors=True)

    def save_resume(self, state: dict[str, Tensor], precision: str = "") -> None:
        """Keep the exact state of the trainer, and in which number format it computes where ("cpu bfloat16")."""
        tensors = {name: value.contiguous() for name, value in state.items()}
        write_bytes(self.path / "resume.safetensors", save(tensors, {"precision": precision}))

    def load_resume(self) -> dict[str, Tensor] | None:
        """The state last kept, or None if the run never came so far; ValueError if the file is damaged."""
        path = self.path / "resume.safetensors"
        try:
            return load_file(path) if path.exists() else None
        except (SafetensorError, OSError) as error:
            raise ValueError(f"{path}: damaged ({error}); delete it, and the run starts again") from error

    def precision(self) -> str:
        """The number format that `save_resume` kept; "" if there is none."""
        try:
            with safe_open(self.path / "resume.safetensors", framework="pt") as file:
                return (file.metadata() or {}).get("precision", "")
        except (SafetensorError, OSError):
            return ""

    def step_folder(self, step: int) -> Path:
        """Where the checkpoint of a step lies."""
        return self.path / "steps" / f"{step:06d}"

    def saved_steps(self) -> list[int]:
        """The steps whose weights were kept, ascending."""
        names = {path.name for path in (self.path / "steps").glob("[0-9]*") if _STEP.fullmatch(path.name)}
        return sorted(step for step in map(int, names) if self.step_folder(step).name in names)

    def last_saved_step(self) -> int:
        """The last of them; 0 if there is none."""
        return max(self.saved_steps(), default=0)


class Spectator(RunFolder):
    """The folder as it is for those processes of a group that do not lead: they leave it alone."""

    @contextlib.contextmanager
    def owned(self, seconds: float = 0.0) -> Iterator[None]:
        """The leading process has the lock."""
        yield

    def _nothing(self, *args: Any, **fields: Any) -> None:
        pass

    sweep = write_state = reserve = append = forget_after = save_step = save_resume = _nothing


def _step_of(line: bytes) -> float:
    """The step of a line of the metrics; infinite if the line is damaged."""
    try:
        return float(read_report(line)["step"])
    except ValueError:
        return math.inf


def superfluous(steps: list[int], most: int, recent: int) -> list[int]:
    """The saved steps that go so that `most` are left: never the first, nor one of the last `recent`.

    Each time it is the one whose neighbours are closest together in their square roots: early steps differ most.
    """
    left, gone = list(steps), []
    while len(left) > max(most, recent + 1):
        older = range(1, len(left) - recent)
        closest = min(older, key=lambda i: math.sqrt(left[i + 1]) - math.sqrt(left[i - 1]))
        gone.append(left.pop(closest))
    return gone


@contextlib.contextmanager
def hidden_run(runs: Path) -> Iterator[RunFolder]:
    """In a `with` block: a run that nobody sees before its folder is renamed; without that it goes with the block."""
    hidden = RunFolder(runs / f".new-{uuid.uuid4().hex}")
    try:
        yield hidden
    finally:
        shutil.rmtree(hidden.path, ignore_errors=True)


def remove_hidden(runs: Path) -> None:
    """Remove what a killed server left of runs that it was making or deleting; no other server may live."""
    for path in runs.iterdir():
        if path.name.startswith(_HIDDEN):
            shutil.rmtree(path, ignore_errors=True)


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
        folder.thin(_FEW, _FEW_RECENT)
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
