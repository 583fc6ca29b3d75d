"""Locks end with the process that holds them, even if it is killed."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import Timeout

from explainer.train.runs.locks import is_alive, is_held, lock_on
from tests.train.small import REPOSITORY

HOLD = """
import sys, time
from pathlib import Path
from explainer.train.runs.locks import lock_on
lock = lock_on(Path(sys.argv[1]), 5)
print(lock.acquire().lock.is_locked, flush=True)
time.sleep(600)
"""


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    one, other = lock_on(path), lock_on(path, patience=0.1)
    assert not is_held(path)
    assert not path.exists()  # whoever looks makes nothing
    one.acquire()
    assert is_held(path)
    assert is_held(path)
    with pytest.raises(Timeout):
        other.acquire()
    one.release()
    assert not is_held(path)
    with other, pytest.raises(Timeout):
        one.acquire()
    one.acquire()
    one.release()
    one.release()  # once more does no harm


def test_any_thread_may_let_go_and_those_who_look_do_not_see_each_other(tmp_path: Path) -> None:
    """A run that ended is buried by the engine's own thread."""
    path = tmp_path / "a.lock"
    lock = lock_on(path)
    lock.acquire()
    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join()
    assert not is_held(path)
    with path.open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not is_held(path)


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "True\n"
        assert is_held(path)
        with pytest.raises(Timeout):
            lock_on(path).acquire()
        assert is_alive(process.pid)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert not is_held(path)
    assert not is_alive(process.pid)
    assert is_alive(os.getpid())
    lock_on(path).acquire().lock.release()
