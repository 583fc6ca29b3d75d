"""Two servers on one folder of runs, each a process of its own: a run is never trained twice."""

import subprocess
import sys
from pathlib import Path

import pytest

from explainer.train.runs.engine import Engine
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.names import RunError
from tests.train.small import FILES, LONG, REPOSITORY, last_step, made, metrics, wait_until

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


def test_a_run_of_one_server_is_safe_from_the_other(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    engine = Engine(runs)
    try:
        engine.start("one", LONG, device="cpu", files=FILES)
        folder = engine.folder("one")
        wait_until(lambda: last_step(folder) >= 5)
        pid = folder.state()["pid"]
        done = subprocess.run(
            [sys.executable, "-c", OTHER, str(runs)],
            cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        assert done.stdout.splitlines() == [
            "running",
            "one is running: it cannot be resumed",
            "one is running: stop it first",
        ]
        before = last_step(folder)
        wait_until(lambda: last_step(folder) > before)  # it did not notice
        assert folder.state()["pid"] == pid

        command = [sys.executable, "-m", "explainer", "train", "--resume", f"--runs-dir={runs}", "--name=one"]
        refused = subprocess.run(
            command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False
        )
        assert refused.returncode == 2
        assert f"another process (number {pid}) has this run; pause it first" in refused.stderr
        steps = [report["step"] for report in metrics(folder) if "loss" in report]
        assert steps == list(range(1, len(steps) + 1))  # nobody else wrote
    finally:
        engine.close(seconds=60)


def test_only_one_of_two_servers_resumes(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    made(runs / "one", LONG).write_state("paused", step=0)
    one, other = Engine(runs), Engine(runs)
    try:
        one.resume("one")
        with pytest.raises(RunError, match=r"one is (queued|starting|running): it cannot be resumed"):
            other.resume("one")
        folder = RunFolder(runs / "one")
        wait_until(lambda: last_step(folder) >= 3)
        assert sorted([*one._workers, *other._workers]) == ["one"]
    finally:
        one.close(seconds=60)
        other.close()
