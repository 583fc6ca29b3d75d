"""The training process: interrupted at any moment, it goes on as if nothing had happened."""

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from explainer.checkpoints import load_checkpoint
from explainer.train.learning.request import TrainRequest
from explainer.train.runs import worker
from explainer.train.runs.folder import RunFolder

PAIRS = [
    ("The street is wide.", "Die Straße ist breit."),
    ("The animal is tired.", "Das Tier ist müde."),
    ("She is tired.", "Sie ist müde."),
    ("It is wide and tired.", "Es ist breit und müde."),
    ("How are you?", "Wie geht es dir?"),
    ("The animals are tired", "Die Tiere sind müde"),
    ("Go.", "Geh."),
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{english}\t{german}\n" for english, german in PAIRS), encoding="utf-8")
    return path


@pytest.fixture
def request_(corpus: Path) -> TrainRequest:
    return TrainRequest(
        corpus=str(corpus), valid=str(corpus), vocab_size=300, concatenated=0.3, unpunctuated=0.3,
        d_model=8, n_heads=2, d_ff=16, n_encoder_layers=1, n_decoder_layers=1,
        steps=160, warmup=10, max_tokens=30, save_every=30, precision="float32",
    )  # fmt: skip


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """The handlers of this process are what they were."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    assert {number: signal.getsignal(number) for number in before} == before


def started(path: Path, request: TrainRequest) -> RunFolder:
    folder = RunFolder(path)
    folder.create(request)
    return folder


def metrics(folder: RunFolder) -> list[dict[str, Any]]:
    path = folder.path / "metrics.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    reports = []
    for line in lines:
        try:
            reports.append(json.loads(line))
        except ValueError:
            break  # is being written
    return reports


def results(folder: RunFolder) -> list[tuple[float, ...]]:
    """The reports without their times."""
    return [tuple(value for name, value in report.items() if name != "seconds") for report in metrics(folder)]


def quiet(text: str) -> None:
    pass


def interrupted(folder: RunFolder, step: int, how: signal.Signals) -> int:
    """Go on with the run in a process of its own and send it a signal after `step`; its exit code."""
    here = Path(__file__).parents[3]
    command = [sys.executable, "-m", "explainer", "train", "--resume"]
    command += ["--runs-dir", str(folder.path.parent), "--name", folder.path.name]
    process = subprocess.Popen(
        command, cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 120
        while not any(report["step"] >= step for report in metrics(folder)):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(how)
        _, errors = process.communicate(timeout=60)
        assert "Traceback" not in errors
        return process.returncode
    finally:
        process.kill()
        process.wait()


def test_interrupted_and_killed_it_ends_as_if_never_stopped(tmp_path: Path, request_: TrainRequest) -> None:
    whole, broken = started(tmp_path / "whole", request_), started(tmp_path / "broken", request_)
    worker.run(whole, device="cpu", say=quiet)

    assert interrupted(broken, 5, signal.SIGINT) == 0
    state = broken.state()
    assert state["status"] == "paused"
    assert state["step"] == broken.saved_steps()[-1] == metrics(broken)[-1]["step"]
    assert interrupted(broken, state["step"] + 15, signal.SIGTERM) == 0
    assert broken.state()["step"] > state["step"]
    assert interrupted(broken, broken.state()["step"] + 25, signal.SIGKILL) == -signal.SIGKILL
    worker.run(broken, device="cpu", say=quiet)

    assert broken.state()["status"] == whole.state()["status"] == "finished"
    expected, found = whole.load_resume(), broken.load_resume()
    assert expected is not None
    assert found is not None
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        assert torch.equal(found[name], value), name
    assert results(broken) == results(whole)
    assert [report["step"] for report in metrics(broken) if "loss" in report] == list(range(1, 161))


@pytest.fixture
def finished(tmp_path: Path, request_: TrainRequest) -> RunFolder:
    folder = started(tmp_path / "run", dataclasses.replace(request_, steps=12, save_every=5))
    worker.run(folder, device="cpu", say=quiet)
    return folder


def test_what_a_run_leaves(finished: RunFolder) -> None:
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


def test_a_finished_run_is_left_as_it_is(finished: RunFolder) -> None:
    before = {path: path.read_bytes() for path in finished.path.rglob("*.*") if path.name != "state.json"}
    worker.run(finished, device="cpu", say=quiet)
    assert {
        path: path.read_bytes() for path in finished.path.rglob("*.*") if path.name != "state.json"
    } == before
    assert finished.state()["status"] == "finished"


def test_the_precision_found_at_the_start_is_kept(
    tmp_path: Path, request_: TrainRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found by timing, so that a busy moment could change it: then the result would not be the same."""
    request = dataclasses.replace(request_, precision="auto", steps=4, save_every=2)
    whole, broken = started(tmp_path / "whole", request), started(tmp_path / "broken", request)
    monkeypatch.setattr(worker, "choose_autocast", lambda device: torch.bfloat16)
    worker.run(whole, device="cpu", say=quiet)
    save = RunFolder.save_resume

    def stop_after(folder: RunFolder, state: dict[str, torch.Tensor], precision: str) -> None:
        save(folder, state, precision)
        raise InterruptedError

    monkeypatch.setattr(RunFolder, "save_resume", stop_after)
    with pytest.raises(InterruptedError):
        worker.run(broken, device="cpu", say=quiet)
    monkeypatch.setattr(RunFolder, "save_resume", save)
    monkeypatch.setattr(worker, "choose_autocast", lambda device: None)
    worker.run(broken, device="cpu", say=quiet)
    assert (broken.path / "resume.safetensors").read_bytes() == (
        whole.path / "resume.safetensors"
    ).read_bytes()


def test_sentences_too_long_for_the_model_are_left_out_and_reported(
    corpus: Path, tmp_path: Path, request_: TrainRequest
) -> None:
    long = "".join(random.Random(0).choices("कखगघङचछजझञटठडढणतथदधन", k=900))  # too mixed for merges
    with corpus.open("a", encoding="utf-8") as file:
        file.write(f"{long}\tkurz\nshort\t{long}\n")
    folder = started(tmp_path / "run", dataclasses.replace(request_, steps=20, concatenated=1))
    said: list[str] = []
    worker.run(folder, device="cpu", say=said.append)
    assert "2 pairs longer than 512 tokens are left out" in said[0]


def test_a_corpus_without_pairs_is_an_error(corpus: Path, tmp_path: Path, request_: TrainRequest) -> None:
    corpus.write_text("no tab here\n")
    with pytest.raises(ValueError, match=r"nothing to learn from: pairs\.tsv: 0 pairs, 1 unreadable lines"):
        worker.run(started(tmp_path / "run", request_), device="cpu", say=quiet)


def test_an_unknown_device_is_an_error(tmp_path: Path, request_: TrainRequest) -> None:
    with pytest.raises(ValueError, match="device = 'abacus': must be auto, cpu or cuda"):
        worker.run(started(tmp_path / "run", request_), device="abacus", say=quiet)
