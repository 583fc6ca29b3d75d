"""The run engine with real processes, which are really killed."""

import dataclasses
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from explainer.train.runs.engine import Engine
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.launch import NICENESS
from explainer.train.runs.locks import is_alive
from explainer.train.runs.names import RunError
from tests.train.small import (
    FILES,
    LONG,
    REPOSITORY,
    REQUEST,
    assert_same,
    last_step,
    made,
    metrics,
    run,
    wait_until,
)

SERVER = """
import json, sys, time
from pathlib import Path
from explainer.train.runs.engine import Engine
from explainer.train.runs.launch import NICENESS
from explainer.train.learning.request import TrainRequest
from tests.train.small import FILES
engine = Engine(Path(sys.argv[1]))
for name in ("one", "two"):
    engine.start(name, TrainRequest.from_json(json.loads(sys.argv[2])), device="cpu", files=FILES)
time.sleep(600)
"""


OTHER = """
import sys
from pathlib import Path
from explainer.train.runs.engine import Engine
from explainer.train.runs.names import RunError
engine = Engine(Path(sys.argv[1]))
status = engine.status("one")
print(status.status, flush=True)
for act in (engine.resume, engine.delete):
    try:
        act("one")
        print("did it", flush=True)
    except RunError as error:
        print(error, flush=True)
engine.close()
"""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    found = Engine(tmp_path / "runs")
    yield found
    found.close(seconds=60)


def trains(folder: RunFolder, step: int) -> None:
    """Wait until the run has come so far."""
    wait_until(lambda: last_step(folder) >= step or folder.state().get("status") == "failed")
    assert last_step(folder) >= step, (folder.path / "out.log").read_text()


def test_paused_killed_and_resumed_it_is_the_same_run(engine: Engine, tmp_path: Path) -> None:
    begun = engine.start("one", REQUEST, device="cpu", files=FILES)
    assert (begun.status, begun.steps) == ("starting", REQUEST.steps)
    folder = engine.folder("one")
    trains(folder, 5)
    assert engine.status("one").status == "running"
    assert os.getpriority(os.PRIO_PROCESS, folder.state()["pid"]) >= NICENESS
    assert os.getsid(folder.state()["pid"]) == folder.state()["pid"]
    with pytest.raises(RunError, match="one is running: stop it first"):
        engine.delete("one")
    assert engine.pause("one").wish == "pause"
    wait_until(lambda: engine.status("one").status == "paused")
    paused = engine.status("one")
    assert paused.step == paused.saved == last_step(folder) < REQUEST.steps
    assert not paused.offered

    engine.resume("one")
    trains(folder, paused.step + 5)
    os.kill(folder.state()["pid"], signal.SIGKILL)
    wait_until(lambda: engine.status("one").status == "interrupted")
    wait_until(lambda: "SIGKILL" in engine.status("one").reason)
    killed = engine.status("one")
    assert killed.offered
    assert f"Resume: it goes on from step {killed.saved}." in killed.advice
    assert [status.name for status in engine.offered()] == ["one"]

    engine.resume("one")
    wait_until(lambda: engine.status("one").status == "finished")
    assert_same(folder, run(made(tmp_path / "whole")))


def test_a_run_resumed_before_its_old_process_is_gone_waits_for_it(engine: Engine) -> None:
    engine.start("one", LONG, device="cpu", files=FILES)
    folder = engine.folder("one")
    trains(folder, 5)
    engine.pause("one")
    with engine._guard:  # the engine does not see yet that the process has ended
        wait_until(lambda: engine.status("one").status == "paused")
        assert engine.resume("one").status == "queued"
        old = engine._workers["one"]
        old.process.wait()
        old.bury()
        assert folder.state()["status"] == "queued"  # it ended well, and is not spoken for
    paused = folder.last_saved_step()
    trains(folder, paused + 5)
    engine.stop("one")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_when_the_server_is_gone_its_runs_save_and_pause(tmp_path: Path, how: signal.Signals) -> None:
    runs = tmp_path / "runs"
    arguments = [str(runs), json.dumps(dataclasses.asdict(LONG))]
    server = subprocess.Popen([sys.executable, "-c", SERVER, *arguments], cwd=REPOSITORY)
    folder = RunFolder(runs / "one")
    try:
        wait_until(lambda: last_step(folder) >= 5)
    finally:
        server.send_signal(how)
        server.wait()
    pid = folder.state()["pid"]
    wait_until(lambda: folder.state()["status"] == "paused", seconds=60)
    wait_until(lambda: not is_alive(pid), seconds=60)  # no orphan goes on computing
    assert folder.state()["step"] == folder.last_saved_step() == last_step(folder) > 0

    again = Engine(runs)  # the server is started again
    offered = {status.name: status.status for status in again.offered()}
    assert offered == {"one": "paused", "two": "interrupted"}
    assert again.status("one").reason == "The app was closed while it ran."
    assert again.status("two").reason == "The app was closed while the run was waiting."
    assert not again._workers  # it offers, and starts nothing by itself
    for name in ("one", "two"):
        again.stop(name)
    assert again.offered() == []
    again.close()


def test_a_disk_that_takes_no_more(engine: Engine) -> None:
    """The kernel refuses to write files beyond a size, from one moment to the next."""
    engine.start("one", LONG, device="cpu", files=FILES)
    folder = engine.folder("one")
    trains(folder, 5)
    resource.prlimit(folder.state()["pid"], resource.RLIMIT_FSIZE, (4096, 4096))
    wait_until(lambda: engine.status("one").status == "failed")
    failed = engine.status("one")
    assert failed.reason.startswith("a file cannot be read or written: [Errno 27] File too large")
    assert "then resume: it starts again." in failed.advice
    assert failed.can_resume


def test_what_cannot_even_begin_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.start("bad", LONG, device="cpu", files={"corpus.tsv": b"no tab\n", "valid.tsv": b""})
    wait_until(lambda: engine.status("bad").status == "failed")
    assert "nothing to learn from: corpus.tsv: 0 pairs, 1 unreadable lines" in engine.status("bad").reason
    assert engine.folder("bad").state()["advice"]
    monkeypatch.setattr(sys, "executable", "/bin/false")
    engine.start("one", LONG, device="cpu", files=FILES)
    wait_until(lambda: engine.status("one").status == "failed")
    assert engine.status("one").reason == "The run's process ended with status 1."
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    wait_until(lambda: engine.status("one").can_resume)
    engine.resume("one")
    assert engine.status("one").status == "failed"
    assert "/no/such/python" in engine.status("one").reason


def test_a_run_of_one_server_is_safe_from_the_other(engine: Engine) -> None:
    """Each is a process of its own: a run is never trained twice."""
    engine.start("one", LONG, device="cpu", files=FILES)
    folder = engine.folder("one")
    trains(folder, 5)
    pid = folder.state()["pid"]

    def told(*command: str) -> "subprocess.CompletedProcess[str]":
        arguments = [sys.executable, *command]
        return subprocess.run(
            arguments, cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False
        )

    other = told("-c", OTHER, str(engine.runs)).stdout.splitlines()
    assert other == ["running", "one is running: it cannot be resumed", "one is running: stop it first"]
    trains(folder, last_step(folder) + 1)  # it did not notice
    assert folder.state()["pid"] == pid
    refused = told("-m", "explainer", "train", "--resume", f"--runs-dir={engine.runs}", "--name=one")
    assert refused.returncode == 2
    assert f"another process (number {pid}) has this run; pause it first" in refused.stderr
    steps = [report["step"] for report in metrics(folder) if "loss" in report]
    assert steps == list(range(1, len(steps) + 1))  # nobody else wrote


def test_only_one_of_two_servers_resumes(engine: Engine) -> None:
    made(engine.runs / "one", LONG).write_state("paused", step=0)
    other = Engine(engine.runs)
    try:
        engine.resume("one")
        with pytest.raises(RunError, match=r"one is (queued|starting|running): it cannot be resumed"):
            other.resume("one")
        trains(engine.folder("one"), 3)
        assert sorted([*engine._workers, *other._workers]) == ["one"]
    finally:
        other.close()
