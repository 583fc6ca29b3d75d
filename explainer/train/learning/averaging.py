"""The mean of a run's last saved weights as a run of its own, and what it is worth (Vaswani et al. 2017, §6.1)."""

from dataclasses import dataclass
from pathlib import Path

import torch

from explainer.checkpoints import CheckpointError, load_checkpoint, read_tensors, weights_of
from explainer.model.families import Network
from explainer.text.corpora import read_pairs
from explainer.train.learning.data import fitting, to_examples
from explainer.train.learning.forcing import teacher_forced_nll
from explainer.train.runs.archive import without_paths
from explainer.train.runs.folder import RunFolder, hidden_run, make_room
from explainer.train.runs.names import RunError, free_name, run_folder
from explainer.train.runs.queue import Queue


def average(folders: list[Path], model: Network) -> None:
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


@dataclass(frozen=True)
class Averaged:
    """A run that holds an average; losses are None without validation pairs."""

    name: str
    steps: tuple[int, ...]  # whose weights were averaged
    before: float | None  # mean −log p per token (nats) on the validation pairs with the last weights
    after: float | None  # the same with the averaged ones


def average_run(runs: Path, name: str, last: int) -> Averaged:
    """Average the weights of the `last` steps that a run has saved and keep them beside it as a finished run.

    Raises:
        RunError: there is no such run, it has saved fewer steps, or the folder of runs is full.
    """
    folder = RunFolder(run_folder(runs, name))
    make_room(runs)
    saved = [step for step in folder.saved_steps() if step > 0]
    if not 2 <= last <= len(saved):
        raise RunError(
            f"{name} has saved {len(saved)} steps: from 2 to {len(saved)} can be averaged, not {last}"
        )
    steps = tuple(saved[-last:])
    checkpoint = load_checkpoint(folder.step_folder(steps[-1]))
    request = folder.request()
    path = folder.path / request.valid
    pairs = read_pairs(path).pairs if request.valid and path.is_file() else []
    examples = fitting(to_examples(pairs, checkpoint.tokenizer), checkpoint.model.config.max_positions)
    before = teacher_forced_nll(checkpoint.model, examples) if examples else None
    average([folder.step_folder(step) for step in steps], checkpoint.model)
    after = teacher_forced_nll(checkpoint.model, examples) if examples else None
    with hidden_run(runs) as made:
        made.create(without_paths(request))
        made.save_step(checkpoint.model, checkpoint.tokenizer, steps[-1])
        if after is not None:
            made.append({"step": steps[-1], "valid_nll": after})
        made.write_state("finished", step=steps[-1], steps=request.steps, origin="average")
        with Queue(runs).lock:
            path = made.path.rename(runs / free_name(runs, f"{name[:30]}-mean{last}"))
    return Averaged(path.name, steps, before, after)
