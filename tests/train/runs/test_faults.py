"""Whatever happens to a run, it says what, keeps what was saved, and goes on as if nothing had happened."""

import dataclasses
import errno
import json
import math
import re
from pathlib import Path

import pytest
import torch

from explainer.checkpoints import load_checkpoint
from explainer.files import write_bytes
from explainer.language import PSEUDO, pseudo, speaking
from explainer.train.runs import folder as runs
from explainer.train.runs.faults import NotFiniteError, check_weights, explain
from explainer.train.runs.folder import LOCK, RunFolder
from explainer.train.runs.locks import lock_on
from explainer.train.runs.orders import Orders, read_wish
from explainer.train.runs.pulse import Pulse
from explainer.train.runs.status import look
from tests.train.small import REQUEST, assert_same, last_step, made, metrics, resumed, run, run_wild

SHORT = dataclasses.replace(REQUEST, steps=60, save_every=10)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The run as it is when nothing happens to it."""
    return run(made(tmp_path_factory.mktemp("whole") / "run", SHORT))


@pytest.fixture
def fresh(tmp_path: Path) -> RunFolder:
    """The run, not yet begun."""
    return made(tmp_path / "run", SHORT)


@pytest.fixture
def paused(fresh: RunFolder) -> RunFolder:
    """The run, told to pause between two saves."""
    return run_until(fresh, 34, "pause")


def run_until(folder: RunFolder, step: int, wish: str) -> RunFolder:
    """Train, and leave a wish in the folder as soon as a step is reported."""
    append = RunFolder.append

    def wishing(folder: RunFolder, report: dict[str, object]) -> None:
        append(folder, report)
        if report["step"] == step:
            write_bytes(folder.path / "control", wish.encode())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunFolder, "append", wishing)
        return run(folder)


@pytest.mark.parametrize("step", [1, 34, 40])
def test_paused_by_the_file_it_goes_on_the_same(whole: RunFolder, fresh: RunFolder, step: int) -> None:
    run_until(fresh, step, "pause")
    found = look(fresh.path, [])
    assert (found.status, found.step, found.offered) == ("paused", step, False)
    assert fresh.last_saved_step() == last_step(fresh) == step
    run(fresh)  # the wish was fulfilled and is not a wish for this process
    assert_same(fresh, whole)


def test_stopped_by_the_file(fresh: RunFolder) -> None:
    run_until(fresh, 7, "stop")
    assert look(fresh.path, []).status == "stopped"
    assert fresh.saved_steps() == [0, 7]


def test_an_unknown_wish_is_none(tmp_path: Path) -> None:
    for wish in ("", "dance", "pause stop"):
        (tmp_path / "control").write_text(wish)
        assert read_wish(tmp_path) == ""


def test_it_is_told_how_many_steps_are_done_again(paused: RunFolder) -> None:
    again = {34: "", 35: " The step after it is done again.", 37: " The 3 steps after it are done again."}
    for reached, said in again.items():
        paused.write_state("running", step=reached)  # and nobody holds its lock
        assert look(paused.path, []).advice == f"Resume: it goes on from step 34.{said}"


def test_a_torn_state_loses_nothing(whole: RunFolder, paused: RunFolder) -> None:
    for torn in (b"", b'{"status": "run', b"[1, 2]", b"\xff\x00"):
        (paused.path / "state.json").write_bytes(torn)
        found = look(paused.path, [])
        assert (found.status, found.saved, found.step, found.offered) == ("interrupted", 34, 34, True)
        assert "state.json cannot be read" in found.reason
        assert found.advice == "Resume: it goes on from step 34."
    assert_same(run(paused), whole)


def test_what_a_killed_process_damaged_and_left_is_mended(whole: RunFolder, paused: RunFolder) -> None:
    path = paused.path / "metrics.jsonl"
    junk = b'{"step": 3\n\xff\xfe\n[]\nnull\n{"loss": 1}\n{"step": "two"}\n{"step": 35, "loss": 2.0}\n{"step": 36, "lo'
    path.write_bytes(path.read_bytes() + junk)
    (paused.path / ".resume.safetensors.99.tmp").write_bytes(b"half")
    (paused.path / "steps" / ".40").mkdir()
    assert_same(run(paused), whole)
    assert not list(paused.path.rglob(".*"))


def test_a_damaged_resume_file_is_told(paused: RunFolder) -> None:
    path = paused.path / "resume.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    told = r"resume.safetensors: damaged .* delete it, and the run starts again"
    with pytest.raises(ValueError, match=told):
        run(paused)
    found = look(paused.path, [])
    assert found.status == "failed"
    assert "resume.safetensors: damaged" in found.reason


@pytest.mark.parametrize("file", ["model.safetensors", "resume.safetensors", "config.json"])
@pytest.mark.parametrize("when", [0, 2])
def test_a_full_disk(
    whole: RunFolder, fresh: RunFolder, monkeypatch: pytest.MonkeyPatch, file: str, when: int
) -> None:
    """The disk is full at the first or the third save, for one of the files."""
    when, seen = 1 if (file, when) == ("resume.safetensors", 0) else when, 0

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
        run(fresh)
    found = look(fresh.path, [])
    assert found.status == "failed"
    assert re.fullmatch(rf"the disk is full: \S*{re.escape(file)}\S* could not be written", found.reason)
    with speaking(PSEUDO):
        start, end = pseudo("the disk is full: {detail} could not be written").split("{detail}")
        strange = look(fresh.path, []).reason
        assert (strange.startswith(start), strange.endswith(end), file in strange) == (True, True, True)
    saved = f"it goes on from step {found.saved}" if found.saved else "it starts again"
    assert found.advice == f"Make room on the disk, then resume: {saved}."
    for step in fresh.saved_steps():
        assert load_checkpoint(fresh.step_folder(step)).step == step
    monkeypatch.undo()
    assert_same(run(fresh), whole)


def test_a_full_disk_while_reporting(
    whole: RunFolder, fresh: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = RunFolder.append

    def full(folder: RunFolder, report: dict[str, object]) -> None:
        if report["step"] == 27:
            with (folder.path / "metrics.jsonl").open("a") as file:
                file.write('{"step": 27, "ep')
            raise OSError(errno.ENOSPC, "No space left on device")
        append(folder, report)

    monkeypatch.setattr(RunFolder, "append", full)
    with pytest.raises(OSError, match="No space left"):
        run(fresh)
    found = look(fresh.path, [])
    assert (found.reason, found.saved) == ("the disk is full", 20)
    monkeypatch.undo()
    assert_same(run(fresh), whole)


def test_the_last_words_fit_on_a_full_disk(fresh: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reserve is given back before the last words are written, and no heartbeat fails for want of room."""
    reserve = fresh.path / ".reserve"

    def full(path: Path, value: object) -> None:
        if reserve.exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        write_bytes(path, json.dumps(value).encode())

    with Orders(fresh.path) as orders, Pulse(fresh, orders) as pulse:
        monkeypatch.setattr(runs, "write_json", full)
        pulse._write()
        pulse.last_words("failed", reason="the disk is full")
    assert fresh.state()["reason"] == "the disk is full"
    assert not reserve.exists()


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", dataclasses.replace(SHORT, save_every=5))
    told = run_wild(folder, start=13, rate=1e30)
    assert re.match(r"step 14: the \w+ is not a finite number", told)
    found = look(folder.path, [])
    assert (found.status, found.reason) == ("failed", told)
    assert "The weights of step 10 are kept and good." in found.advice
    assert folder.saved_steps() == [0, 5, 10]
    for step in folder.saved_steps():
        for value in load_checkpoint(folder.step_folder(step)).model.parameters():
            assert bool(value.isfinite().all())
    assert all(math.isfinite(value) for report in metrics(folder) for value in report.values())
    assert last_step(folder) == 13


def test_weights_that_are_no_numbers_are_never_saved(tmp_path: Path) -> None:
    """The last step before a save may break them without a loss that shows it."""
    folder = made(tmp_path / "run", dataclasses.replace(SHORT, save_every=5))
    told = run_wild(folder, start=10, rate=math.inf)
    assert re.match(r"step 10: a weight of .* is too large for a number, or none", told)
    assert folder.saved_steps() == [0, 5]
    assert all(bool(value.isfinite().all()) for value in resumed(folder).values())


def test_a_weight_too_large_for_the_file_is_noticed() -> None:
    layer = torch.nn.Linear(2, 2)
    check_weights(layer, 1)
    with torch.no_grad():
        layer.weight[0, 0] = 1e5  # no float16
    with pytest.raises(NotFiniteError, match="step 3: a weight of weight"):
        check_weights(layer, 3)


def test_every_other_error_is_explained() -> None:
    assert explain(torch.OutOfMemoryError("CUDA"), 5)["reason"] == "there is not enough memory"
    refused = PermissionError(errno.EACCES, "Permission denied", "x")
    assert explain(refused, 5)["reason"].startswith("a file cannot be")
    assert explain(KeyError("x"), None) == explain(KeyError("x"), 0)
    assert "out.log" in explain(KeyError("x"), None)["advice"]


def test_two_processes_cannot_train_one_run(paused: RunFolder) -> None:
    told = r"another process .* has this run; pause it first"
    with lock_on(paused.path / LOCK), pytest.raises(ValueError, match=told):
        run(paused)
    assert look(paused.path, []).status == "paused"


def test_cuda_random_numbers_are_kept_too(paused: RunFolder) -> None:
    """Seen on a CPU: the state that would be kept has both generators where there is a CUDA device."""
    resume = resumed(paused)
    assert torch.is_tensor(resume["random"])
    assert ("random.cuda" in resume) == (torch.cuda.is_available() and paused.state()["device"] == "cuda")
