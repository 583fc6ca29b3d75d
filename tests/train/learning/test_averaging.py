"""The mean of weights: of any checkpoints, and of a run's last ones as a run of its own."""

import errno
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from explainer.checkpoints import CheckpointError, load_checkpoint, save_checkpoint, weights_of
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.corpora import read_pairs
from explainer.text.tokenizer import END_ID, START_ID, Tokenizer
from explainer.train.learning.averaging import average, average_run
from explainer.train.runs import folder as run_folders
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.names import RunError, run_names
from explainer.train.runs.status import look
from tests.conftest import randomized
from tests.train.conftest import Save


def scale(model: Transformer, factor: float) -> None:
    with torch.no_grad():
        for value in model.parameters():
            value.mul_(factor)


def nll(model: Transformer, tokenizer: Tokenizer, path: Path) -> float:
    """Mean −log p per token, sentence by sentence and by PyTorch's own loss."""
    total, count = 0.0, 0
    for pair in read_pairs(path).pairs:
        source, target = tokenizer.encode(pair.source), tokenizer.encode(pair.target)
        with torch.inference_mode():
            rows = model(torch.tensor([[*source, END_ID]]), torch.tensor([[START_ID, *target]]))[0]
        total += float(F.cross_entropy(rows, torch.tensor([*target, END_ID]), reduction="sum"))
        count += len(target) + 1
    return total / count


def test_an_average_is_the_mean(tmp_path: Path, model: Transformer, tokenizer: Tokenizer) -> None:
    models = [randomized(Transformer(model.config)) for _ in range(3)]
    folders = [tmp_path / str(i) for i in range(3)]
    for folder, one in zip(folders, models, strict=True):
        save_checkpoint(folder, one, tokenizer, step=1)
    average(folders, model)
    for name, value in weights_of(model).items():
        expected = torch.stack([weights_of(one)[name] for one in models]).mean(dim=0)
        torch.testing.assert_close(value, expected, msg=name)
    average(folders[:1] * 3, model)
    for name, value in weights_of(model).items():
        assert torch.equal(value, weights_of(models[0])[name]), name
    with pytest.raises(CheckpointError, match="no checkpoint to average"):
        average([], model)
    other = TransformerConfig(vocab_size=len(tokenizer), d_model=8, n_heads=2, d_ff=24)
    with pytest.raises(CheckpointError, match=r"has shape .*, expected"):
        average(folders, Transformer(other))


def test_only_the_last_are_averaged_and_the_losses_are_those_of_the_weights(
    save: Save, model: Transformer, tokenizer: Tokenizer
) -> None:
    expected = {name: value.detach().half().float() for name, value in model.named_parameters()}
    for step, factor in (
        (10, 64.0),
        (20, 1 / 32),
        (30, 2.0),
    ):  # 64 W is left out; of 2 W and 4 W the mean is 3 W
        scale(model, factor)
        folder = save(step)
    made = average_run(folder.path.parent, "run", 2)
    found = load_checkpoint(folder.path.parent / made.name / "steps" / "000030").model
    for name, value in found.named_parameters():
        torch.testing.assert_close(value, 3 * expected[name], atol=0, rtol=1e-3)  # float16
    valid = folder.path / "valid.tsv"
    last = load_checkpoint(folder.step_folder(30)).model
    assert made.before == pytest.approx(nll(last, tokenizer, valid), rel=1e-4)
    assert made.after == pytest.approx(nll(found, tokenizer, valid), rel=1e-2)  # measured before float16
    assert made.before != pytest.approx(made.after, rel=0.05)


def test_an_average_is_a_finished_run_of_its_own(save: Save) -> None:
    folder = save(0, 10, 20)
    runs, before = folder.path.parent, sorted(folder.path.rglob("*"))
    averages = [average_run(runs, "run", 2) for _ in range(2)]
    assert [made.name for made in averages] == ["run-mean2", "run-mean2-2"]
    assert averages[0].steps == (10, 20)
    assert averages[0].before == averages[0].after  # of equal weights
    assert sorted(folder.path.rglob("*")) == before
    status = look(runs / "run-mean2", [])
    assert (status.status, status.step, status.can_resume) == ("finished", 20, False)
    assert not list(runs.glob(".new-*"))
    (folder.path / "valid.tsv").unlink()
    made = average_run(runs, "run", 2)
    assert (made.before, made.after) == (None, None)


def test_an_average_is_seen_when_it_is_whole_and_only_if_there_is_room(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = save(10, 20).path.parent
    seen: list[list[str]] = []
    write_state = RunFolder.write_state

    def watched(folder: RunFolder, status: str, **fields: Any) -> None:
        seen.append(run_names(runs))
        write_state(folder, status, **fields)

    def full(folder: RunFolder, report: object) -> None:
        raise OSError(errno.ENOSPC, "the disk is full")

    monkeypatch.setattr(RunFolder, "write_state", watched)
    average_run(runs, "run", 2)
    assert seen == [["run"]]
    monkeypatch.setattr(RunFolder, "append", full)
    with pytest.raises(OSError, match="the disk is full"):
        average_run(runs, "run", 2)
    monkeypatch.setattr(run_folders, "MAX_BYTES", 1000)
    with pytest.raises(RunError, match="delete runs first"):
        average_run(runs, "run", 2)
    assert sorted(path.name for path in runs.iterdir()) == [".engine", "run", "run-mean2"]


def test_what_cannot_be_averaged(save: Save) -> None:
    runs = save(0, 10, 20).path.parent  # step 0 is chance: it counts for nothing
    for last in (0, 1, 3):
        with pytest.raises(RunError, match=f"run has saved 2 steps: from 2 to 2 can be averaged, not {last}"):
            average_run(runs, "run", last)
    with pytest.raises(RunError, match="there is no run called 'none'"):
        average_run(runs, "none", 2)
