"""The training process: interrupted at any moment, it goes on as if nothing had happened."""

import dataclasses
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from explainer.checkpoints import load_checkpoint
from explainer.train.runs import worker
from explainer.train.runs.folder import RunFolder
from tests.train.small import REPOSITORY, REQUEST, assert_same, last_step, made, metrics, run, wait_until

NOISY = dataclasses.replace(REQUEST, steps=160, save_every=30, unpunctuated=0.3)


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """The handlers of this process are what they were."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    assert {number: signal.getsignal(number) for number in before} == before


def interrupted(folder: RunFolder, step: int, how: signal.Signals) -> int:
    """Go on with the run in a process of its own and send it a signal after `step`; its exit code."""
    command = [sys.executable, "-m", "explainer", "train", "--resume"]
    command += ["--runs-dir", str(folder.path.parent), "--name", folder.path.name]
    quiet, heard = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=quiet, stderr=heard, text=True) as process:
        try:
            wait_until(lambda: last_step(folder) >= step or process.poll() is not None, seconds=120)
            process.send_signal(how)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
        assert "Traceback" not in errors
        return process.returncode


def test_interrupted_it_ends_as_if_never_stopped(tmp_path: Path) -> None:
    whole, broken = run(made(tmp_path / "whole", NOISY)), made(tmp_path / "broken", NOISY)
    assert interrupted(broken, 5, signal.SIGINT) == 0
    state = broken.state()
    assert state["status"] == "paused"
    assert state["step"] == broken.last_saved_step() == last_step(broken)
    assert interrupted(broken, state["step"] + 15, signal.SIGTERM) == 0
    assert broken.state()["step"] > state["step"]
    run(broken)
    assert broken.state()["status"] == whole.state()["status"] == "finished"
    assert_same(whole, broken)
    assert [report["step"] for report in metrics(broken) if "loss" in report] == list(range(1, 161))


def test_what_a_run_leaves_and_it_is_left_as_it_is(tmp_path: Path) -> None:
    finished = run(made(tmp_path / "run", dataclasses.replace(REQUEST, steps=12, save_every=5)))
    assert finished.saved_steps() == [0, 5, 10, 12]
    assert finished.state()["status"] == "finished"
    assert finished.state()["pid"] == os.getpid()
    reports = metrics(finished)
    assert [report["step"] for report in reports if "loss" in report] == list(range(1, 13))
    assert [report["step"] for report in reports if "valid_nll" in report] == [5, 10, 12]
    loaded = load_checkpoint(finished.step_folder(12))
    assert loaded.step == 12
    final = load_file(finished.path / "resume.safetensors")
    for name, value in loaded.model.named_parameters():
        assert torch.equal(value, final[f"model.{name}"].half().float()), name

    def kept() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in finished.path.rglob("*.*") if path.name != "state.json"}

    before = kept()
    run(finished)
    assert kept() == before
    assert finished.state()["status"] == "finished"


def test_the_precision_found_at_the_start_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found by timing, so that a busy moment could change it: then the result would not be the same."""
    request = dataclasses.replace(REQUEST, precision="auto", steps=4, save_every=2)
    whole, broken = made(tmp_path / "whole", request), made(tmp_path / "broken", request)
    monkeypatch.setattr(worker, "choose_autocast", lambda device: torch.bfloat16)
    run(whole)
    save = RunFolder.save_resume

    def stop_after(folder: RunFolder, state: dict[str, torch.Tensor], precision: str) -> None:
        save(folder, state, precision)
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "save_resume", stop_after)
        with pytest.raises(InterruptedError):
            run(broken)
    monkeypatch.setattr(worker, "choose_autocast", lambda device: None)
    run(broken)
    saved = [(folder.path / "resume.safetensors").read_bytes() for folder in (whole, broken)]
    assert saved[0] == saved[1]


def test_sentences_too_long_for_the_model_are_left_out_and_reported(tmp_path: Path) -> None:
    long = "".join(random.Random(0).choices("कखगघङचछजझञटठडढणतथदधन", k=900))  # too mixed for merges
    folder = made(tmp_path / "run", dataclasses.replace(REQUEST, steps=20, concatenated=1))
    with (folder.path / "corpus.tsv").open("a", encoding="utf-8") as file:
        file.write(f"{long}\tkurz\nshort\t{long}\n")
    said: list[str] = []
    run(folder, said.append)
    assert "2 pairs longer than 512 tokens are left out" in said[0]


def test_an_unknown_device_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="device = 'abacus': must be auto, cpu or cuda"):
        worker.run(made(tmp_path / "run"), device="abacus", say=lambda line: None)
