"""Run folders: all that a training run was asked, has done, and needs to go on.

request.json       what was asked
state.json         status, step, pid, heartbeat, device, precision
metrics.jsonl      one line per report of the training loop
steps/<n>/         a checkpoint folder for each saved step
resume.safetensors the exact state of the trainer
"""

import contextlib
import dataclasses
import json
import math
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save
from torch import Tensor

from explainer.checkpoints import CheckpointError, read_tensors, save_checkpoint, weights_of
from explainer.files import write_bytes, write_json
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from explainer.train.request import TrainRequest


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
        write_json(self.path / "request.json", dataclasses.asdict(request))

    def forget(self) -> None:
        """Undo `create`: remove the request, and the folder if nothing else is in it."""
        (self.path / "request.json").unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not empty: not ours to remove
            self.path.rmdir()

    def request(self) -> TrainRequest:
        """What the run was asked to do; ValueError says what is wrong with the file."""
        path = self.path / "request.json"
        try:
            return TrainRequest.from_json(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError as error:
            raise ValueError(f"{path}: missing; is {self.path} a run folder?") from error
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from error

    def write_state(self, status: str, **fields: Any) -> None:
        """Tell whoever watches how the run is."""
        about = {"status": status, "pid": os.getpid(), "heartbeat": time.time()}
        write_json(self.path / "state.json", about | fields)

    def state(self) -> dict[str, Any]:
        """What `write_state` told last; empty if nothing yet."""
        path = self.path / "state.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def append(self, report: dict[str, Any]) -> None:
        """Add a line to the metrics."""
        with (self.path / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(report) + "\n")

    def forget_after(self, step: int) -> None:
        """Drop the metrics of later steps: a process that was killed reported more than it saved."""
        path = self.path / "metrics.jsonl"
        if path.exists():
            kept = [line for line in path.read_bytes().splitlines(keepends=True) if _step_of(line) <= step]
            write_bytes(path, b"".join(kept))

    def save_step(self, model: Transformer, tokenizer: Tokenizer, step: int) -> None:
        """Keep the weights of this step (float16) as a checkpoint folder."""
        temporary = self.path / "steps" / f".{step}"
        shutil.rmtree(temporary, ignore_errors=True)
        save_checkpoint(temporary, model, tokenizer, step=step, dtype=torch.float16)
        final = self.step_folder(step)
        shutil.rmtree(final, ignore_errors=True)
        temporary.replace(final)

    def save_resume(self, state: dict[str, Tensor]) -> None:
        """Keep the exact state of the trainer."""
        write_bytes(self.path / "resume.safetensors", save({k: v.contiguous() for k, v in state.items()}))

    def load_resume(self) -> dict[str, Tensor] | None:
        """The state last kept, or None if the run never came so far."""
        path = self.path / "resume.safetensors"
        return load_file(path) if path.exists() else None

    def step_folder(self, step: int) -> Path:
        """Where the checkpoint of a step lies."""
        return self.path / "steps" / f"{step:06d}"

    def saved_steps(self) -> list[int]:
        """The steps whose weights were kept, ascending."""
        return sorted(int(p.name) for p in (self.path / "steps").glob("[0-9]*") if p.name.isdigit())


def _step_of(line: bytes) -> float:
    """The step of a line of the metrics; infinite if the line was not written to its end."""
    try:
        return json.loads(line)["step"]
    except ValueError:
        return math.inf


def average(folders: list[Path], model: Transformer) -> None:
    """Set the weights of `model` to the mean of those in the checkpoint folders (Vaswani et al. 2017, §6.1)."""
    if not folders:
        raise CheckpointError("no checkpoint to average")
    own = weights_of(model)
    shapes = {name: tuple(value.shape) for name, value in own.items()}
    total = {name: torch.zeros_like(value, dtype=torch.float64) for name, value in own.items()}
    for folder in folders:
        for name, value in read_tensors(folder / "model.safetensors", shapes).items():
            total[name] += value.double()
    for name, value in own.items():
        value.data.copy_(total[name] / len(folders))
