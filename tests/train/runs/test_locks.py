"""Locks end with the process that holds them, even if it is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from explainer.train.runs.locks import FileLock, is_alive, is_held

HOLD = """
import sys, time
from pathlib import Path
from explainer.train.runs.locks import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.acquire(5), flush=True)
time.sleep(600)
"""


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    one, other = FileLock(tmp_path / "a.lock"), FileLock(tmp_path / "a.lock")
    assert not is_held(one.path)
    assert one.acquire()
    assert is_held(one.path)
    assert not other.acquire(seconds=0.1)
    one.release()
    assert not is_held(one.path)
    with other:
        assert not one.acquire()
    assert one.acquire()
    one.release()
    one.release()  # once more does no harm


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    here = Path(__file__).parents[3]
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], cwd=here, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "True\n"
        assert is_held(path)
        assert not FileLock(path).acquire()
        assert is_alive(process.pid)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert not is_held(path)
    assert not is_alive(process.pid)
    assert is_alive(os.getpid())
    lock = FileLock(path)
    assert lock.acquire()
    lock.release()
