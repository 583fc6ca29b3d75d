"""Locks on files that end with the process that holds them, however it ends: the kernel lets go of them."""

import os
import sys
import time
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: int, shared: bool) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(file: int, shared: bool) -> None:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


_PAUSE = 0.02  # seconds between two tries
_PATIENCE = 30.0  # seconds that a `with` block waits for what others hold for milliseconds


class FileLock:
    """A lock that one holder at a time can have; of use in a `with` block, or by `acquire` and `release`.

    Args:
        path: The file that stands for the lock; it is made when needed and stays, empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self, seconds: float = 0.0) -> bool:
        """Try for so long to get the lock; whether it was got. The folder must exist."""
        deadline = time.monotonic() + seconds
        while not self._try():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE)
        return True

    def release(self) -> None:
        """Let go, if it is held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> "FileLock":
        if not self.acquire(seconds=_PATIENCE):
            raise TimeoutError(f"{self.path}: another process does not let go of it")
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def _try(self) -> bool:
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _try_lock(file, shared=False)
            if not os.path.samestat(os.fstat(file), self.path.stat()):
                raise FileNotFoundError  # somebody moved or removed the file meanwhile
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock. A file that is not there is held by nobody."""
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        _try_lock(file, shared=True)  # those who only look do not stand in each other's way
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def is_alive(pid: int) -> bool:
    """Whether there is a process of this number; a number may have been given to another one since."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return True  # there is no harmless question there: the lock and the heartbeat have to tell
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is there, but not ours
        return True
    return True
