"""Whatever happens to a run, it says what, keeps what was saved, and goes on as if nothing had happened."""

import dataclasses
import errno
import json
import math
import re
from pathlib import Path

import pytest
import torch
from torch import Tensor

from explainer.checkpoints import load_checkpoint
from explainer.files import write_bytes
from explainer.train.runs import folder as runs
from explainer.train.runs import worker
from explainer.train.runs.faults import NotFiniteError, check_weights, explain
from explainer.train.runs.folder import LOCK, RunFolder
from explainer.train.runs.locks import lock_on
from explainer.train.runs.orders import Orders, read_wish
from explainer.train.runs.pulse import Pulse
from explainer.train.runs.status import look
from tests.train.small import REQUEST, assert_same, last_step, made, metrics, run

SHORT = dataclasses.replace(REQUEST, steps=60, save_every=10)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The run as it is when nothing happens to it."""
    folder = made(tmp_path_factory.mktemp("whole") / "run", SHORT)
    run(folder)
    return folder


@pytest.fixture
def paused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """The run, told to pause between two saves."""
    folder = made(tmp_path / "run", SHORT)
    ask_at(monkeypatch, 34, "pause")
    run(folder)
    monkeypatch.undo()
    return folder


def ask_at(monkeypatch: pytest.MonkeyPatch, step: int, wish: str) -> None:
    """Leave a wish in the folder as soon as a step is reported."""
    append = RunFolder.append

    def wishing(folder: RunFolder, report: dict[str, object]) -> None:
        append(folder, report)
        if report["step"] == step:
            write_bytes(folder.path / "control", wish.encode())

    monkeypatch.setattr(RunFolder, "append", wishing)


@pytest.mark.parametrize("step", [1, 34, 40])
def test_paused_by_the_file_it_goes_on_the_same(
    whole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    folder = made(tmp_path / "run", SHORT)
    ask_at(monkeypatch, step, "pause")
    run(folder)
    assert (folder.state()["status"], folder.state()["step"]) == ("paused", step)
    assert look(folder.path, []).status == "paused"
    assert not look(folder.path, []).offered
    assert folder.last_saved_step() == last_step(folder) == step
    monkeypatch.undo()
    run(folder)  # the wish was fulfilled and is not a wish for this process
    assert_same(folder, whole)


def test_stopped_by_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(tmp_path / "run", SHORT)
    ask_at(monkeypatch, 7, "stop")
    run(folder)
    assert look(folder.path, []).status == "stopped"
    assert folder.saved_steps() == [0, 7]


@pytest.mark.parametrize("wish", ["", "dance", "pause stop"])
def test_an_unknown_wish_is_none(tmp_path: Path, wish: str) -> None:
    (tmp_path / "control").write_text(wish)
    assert read_wish(tmp_path) == ""


@pytest.mark.parametrize(
    ("reached", "said"),
    [
        (34, ""),
        (35, " The step after it is done again."),
        (37, " The 3 steps after it are done again."),
    ],
)
def test_it_is_told_how_many_steps_are_done_again(paused: RunFolder, reached: int, said: str) -> None:
    paused.write_state("running", step=reached)  # and nobody holds its lock
    assert look(paused.path, []).advice == f"Resume: it goes on from step 34.{said}"


def test_a_torn_state_loses_nothing(whole: RunFolder, paused: RunFolder) -> None:
    for torn in (b"", b'{"status": "run', b"[1, 2]", b"\xff\x00"):
        (paused.path / "state.json").write_bytes(torn)
        found = look(paused.path, [])
        assert (found.status, found.saved, found.step, found.offered) == ("interrupted", 34, 34, True)
        assert "state.json cannot be read" in found.reason
        assert found.advice == "Resume: it goes on from step 34."
    run(paused)
    assert_same(paused, whole)


def test_damaged_metrics_are_read_around_and_mended(whole: RunFolder, paused: RunFolder) -> None:
    path = paused.path / "metrics.jsonl"
    junk = b'{"step": 3\n\xff\xfe\n[]\nnull\n{"loss": 1}\n{"step": "two"}\n{"step": 35, "loss": 2.0}\n{"step": 36, "lo'
    path.write_bytes(path.read_bytes() + junk)
    run(paused)
    assert_same(paused, whole)


def test_a_killed_process_leaves_no_rubbish(whole: RunFolder, paused: RunFolder) -> None:
    (paused.path / ".resume.safetensors.99.tmp").write_bytes(b"half")
    (paused.path / "steps" / ".40").mkdir()
    run(paused)
    assert_same(paused, whole)
    hidden = [path.name for path in paused.path.rglob(".*")]
    assert hidden == []


def test_a_damaged_resume_file_is_told(paused: RunFolder) -> None:
    path = paused.path / "resume.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(
        ValueError, match=r"resume.safetensors: damaged .* delete it, and the run starts again"
    ):
        run(paused)
    found = look(paused.path, [])
    assert found.status == "failed"
    assert "resume.safetensors: damaged" in found.reason


@pytest.mark.parametrize("file", ["model.safetensors", "resume.safetensors", "config.json"])
@pytest.mark.parametrize("when", [0, 2])
def test_a_full_disk(
    whole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, when: int
) -> None:
    """The disk is full at the first or the third save, for one of the files."""
    if (file, when) == ("resume.safetensors", 0):
        when = 1
    folder = made(tmp_path / "run", SHORT)
    seen = 0

    def full(path: Path, content: bytes) -> None:
        nonlocal seen
        if path.name == file:
            seen += 1
            if seen > when:
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write_bytes(path, content)

    for module in ("explainer.checkpoints.write_bytes", "explainer.train.runs.folder.write_bytes"):
        monkeypatch.setattr(module, full)
    monkeypatch.setattr(
        "explainer.checkpoints.write_json", lambda path, value: full(path, json.dumps(value).encode())
    )
    with pytest.raises(OSError, match="No space left"):
        run(folder)
    found = look(folder.path, [])
    assert found.status == "failed"
    assert re.fullmatch(rf"the disk is full: \S*{re.escape(file)}\S* could not be written", found.reason)
    saved = f"it goes on from step {found.saved}" if found.saved else "it starts again"
    assert found.advice == f"Make room on the disk, then resume: {saved}."
    for step in folder.saved_steps():
        assert load_checkpoint(folder.step_folder(step)).step == step
    monkeypatch.undo()
    run(folder)
    assert_same(folder, whole)


def test_a_full_disk_while_reporting(
    whole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "run", SHORT)
    append = RunFolder.append

    def full(folder: RunFolder, report: dict[str, object]) -> None:
        if report["step"] == 27:
            with (folder.path / "metrics.jsonl").open("a") as file:
                file.write('{"step": 27, "ep')
            raise OSError(errno.ENOSPC, "No space left on device")
        append(folder, report)

    monkeypatch.setattr(RunFolder, "append", full)
    with pytest.raises(OSError, match="No space left"):
        run(folder)
    assert look(folder.path, []).reason == "the disk is full"
    assert look(folder.path, []).saved == 20
    monkeypatch.undo()
    run(folder)
    assert_same(folder, whole)


def test_the_last_words_fit_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reserve is given back before the last words are written, and no heartbeat fails for want of room."""
    folder = made(tmp_path / "run", SHORT)
    reserve = folder.path / ".reserve"

    def full(path: Path, value: object) -> None:
        if reserve.exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        write_bytes(path, json.dumps(value).encode())

    with Orders(folder.path) as orders, Pulse(folder, orders) as pulse:
        monkeypatch.setattr(runs, "write_json", full)
        pulse._write()
        pulse.last_words("failed", reason="the disk is full")
    assert folder.state()["reason"] == "the disk is full"
    assert not reserve.exists()


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = dataclasses.replace(SHORT, save_every=5)
    folder = made(tmp_path / "run", request)
    schedule = worker.learning_rate_of(request)
    monkeypatch.setattr(
        worker, "learning_rate_of", lambda request: lambda step: schedule(step) if step < 13 else 1e30
    )
    with pytest.raises(NotFiniteError, match=r"step 14: the \w+ is not a finite number"):
        run(folder)
    found = look(folder.path, [])
    assert found.status == "failed"
    assert found.reason.startswith("step 14: the ")
    assert "The weights of step 10 are kept and good." in found.advice
    assert folder.saved_steps() == [0, 5, 10]
    for step in folder.saved_steps():
        for value in load_checkpoint(folder.step_folder(step)).model.parameters():
            assert bool(value.isfinite().all())
    assert all(math.isfinite(value) for report in metrics(folder) for value in report.values())
    assert last_step(folder) == 13


def test_weights_that_are_no_numbers_are_never_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step before a save may break them without a loss that shows it."""
    folder = made(tmp_path / "run", dataclasses.replace(SHORT, save_every=5))
    schedule = worker.learning_rate_of(SHORT)
    monkeypatch.setattr(
        worker, "learning_rate_of", lambda request: lambda step: schedule(step) if step < 10 else math.inf
    )
    with pytest.raises(NotFiniteError, match=r"step 10: a weight of .* is too large for a number, or none"):
        run(folder)
    assert folder.saved_steps() == [0, 5]
    resume = folder.load_resume()
    assert resume is not None
    assert all(bool(value.isfinite().all()) for value in resume.values())


def test_a_weight_too_large_for_the_file_is_noticed() -> None:
    layer = torch.nn.Linear(2, 2)
    check_weights(layer, 1)
    with torch.no_grad():
        layer.weight[0, 0] = 1e5  # no float16
    with pytest.raises(NotFiniteError, match="step 3: a weight of weight"):
        check_weights(layer, 3)


def test_every_other_error_is_explained() -> None:
    assert explain(torch.OutOfMemoryError("CUDA"), 5).reason == "there is not enough memory"
    refused = PermissionError(errno.EACCES, "Permission denied", "x")
    assert explain(refused, 5).reason.startswith("a file cannot be")
    assert explain(KeyError("x"), None) == explain(KeyError("x"), 0)
    assert "out.log" in explain(KeyError("x"), None).advice


def test_two_processes_cannot_train_one_run(paused: RunFolder) -> None:
    lock = lock_on(paused.path / LOCK)
    lock.acquire()
    with pytest.raises(ValueError, match=r"another process .* has this run; pause it first"):
        run(paused)
    lock.release()
    assert look(paused.path, []).status == "paused"


def test_cuda_random_numbers_are_kept_too(paused: RunFolder) -> None:
    """Seen on a CPU: the state that would be kept has both generators where there is a CUDA device."""
    resume: dict[str, Tensor] | None = paused.load_resume()
    assert resume is not None
    assert torch.is_tensor(resume["random"])
    assert ("random.cuda" in resume) == (torch.cuda.is_available() and paused.state()["device"] == "cuda")
