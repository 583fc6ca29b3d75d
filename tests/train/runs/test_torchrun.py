"""`torchrun` with two processes: the same loss curve as one process with the same batches."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from explainer.train.learning.ranks import ALONE, own_device
from explainer.train.learning.request import TrainRequest
from explainer.train.runs.folder import RunFolder
from tests.train.small import REPOSITORY, REQUEST, made, metrics, resumed, run

REQUEST = dataclasses.replace(REQUEST, dropout=0.0, steps=20, save_every=10, max_tokens=50)


def torchrun(*options: str) -> str:
    """What it printed; a failure if it failed."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += ["-m", "explainer", "train", "--device=cpu", *options]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_two_processes_make_the_same_curve_as_one(tmp_path: Path) -> None:
    one = run(made(tmp_path / "one", REQUEST))
    corpus = str(one.path / "corpus.tsv")
    default = vars(TrainRequest(corpus="corpus.tsv", valid="valid.tsv"))
    options = {name: value for name, value in vars(REQUEST).items() if value != default[name]}
    said = torchrun(
        f"--corpus={corpus}", f"--valid={corpus}", f"--runs-dir={tmp_path}", "--name=two",
        *(f"--{name.replace('_', '-')}={value}" for name, value in options.items()),
    )  # fmt: skip
    two = RunFolder(tmp_path / "two")
    assert said.count("finished") == 1  # one of them speaks
    assert two.state()["status"] == "finished"
    assert two.saved_steps() == one.saved_steps() == [0, 10, 20]

    expected, found = metrics(one), metrics(two)
    assert [report.keys() for report in found] == [report.keys() for report in expected]
    for mine, theirs in zip(found, expected, strict=True):
        for name in ("step", "epoch", "learning_rate", "n_tokens"):
            assert mine.get(name) == theirs.get(name)
        for name in ("loss", "nll", "gradient_norm", "valid_nll"):
            assert mine.get(name, 0.0) == pytest.approx(theirs.get(name, 0.0), abs=1e-5, rel=1e-5)
    weights = resumed(two)
    for name, value in resumed(one).items():
        # a key's bias changes no softmax: its gradient is rounding noise, which Adam divides by its own size
        if name.startswith("model.") and not name.endswith("key.bias"):
            torch.testing.assert_close(weights[name], value, atol=1e-4, rtol=1e-3, msg=name)


def test_alone_nothing_is_divided() -> None:
    assert ALONE.share([1, 2, 3]) == [1, 2, 3]
    assert ALONE.total(7) == 7
    assert ALONE.agree(lambda: "x") == "x"
    assert ALONE.any(True)
    assert not ALONE.any(False)
    tensor = torch.ones(3)
    ALONE.sum_in_place([tensor])
    assert torch.equal(tensor, torch.ones(3))


def test_a_process_without_a_device_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert own_device(torch.device("cpu")) == torch.device("cpu")
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    with pytest.raises(ValueError, match="process 2 of this computer has no CUDA device: there are 1"):
        own_device(torch.device("cuda"))
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert own_device(torch.device("cuda")) == torch.device("cuda", 1)
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert own_device(torch.device("cuda")) == torch.device("cuda")
