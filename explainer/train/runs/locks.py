"""Locks on files that end with the process that holds them, however it ends: the kernel lets go of them."""

import os
import sys
from pathlib import Path

from filelock import FileLock, Timeout

if sys.platform != "win32":
    import fcntl

_PAUSE = 0.02  # seconds between two tries


def lock_on(path: Path, patience: float = 0.0) -> FileLock:
    """A lock that one process at a time can hold: in a `with` block, or from `acquire` to `release` in any thread.

    Its file is made when needed and stays; the folder must exist. Another holder is waited for `patience` seconds,
    then `filelock.Timeout`, an OSError, is raised.
    """
    return FileLock(path, timeout=patience, poll_interval=_PAUSE, thread_local=False, fallback_to_soft=False)


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock. A file that is not there is held by nobody."""
    if sys.platform == "win32":
        try:
            if path.exists():
                lock_on(path).acquire().lock.release()
        except Timeout:
            return True
        return False
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return False
    with file:
        try:  # shared: those who only look do not stand in each other's way
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def is_alive(pid: int) -> bool:
    """Whether there is a process of this number; a number may have been given to another one since."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return True  # there is no harmless question there: the lock and the heartbeat have to tell
    try:
        os.kill(pid, 0)
    except OSError as error:  # if we may not ask it, it is there
        return not isinstance(error, ProcessLookupError)
    return True
