"""The queue: runs that wait for a device. One file for each lies in the folder of runs, whatever server asked for it.

A run waits only as long as the server lives that wants it: nothing begins to compute for nobody.
"""

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from explainer.files import read_json, write_json
from explainer.train.runs.locks import is_held, lock_on

MAX_WAITING = 20  # runs
_PATIENCE = 30.0  # seconds that a server waits for what another holds for milliseconds


@dataclass(frozen=True)
class Ticket:
    """A run that waits."""

    path: Path  # its name begins with the time at which the run was put there
    name: str
    device: str  # cpu or cuda
    server: str  # the name of the lock of the server that wants it


class Queue:
    """The waiting runs of a folder of runs; what all servers that use it share lies in `.engine` inside it."""

    def __init__(self, runs: Path) -> None:
        self.folder = runs / ".engine"
        for name in ("queue", "servers", "devices"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.lock = lock_on(self.folder / "queue.lock", _PATIENCE)  # whoever changes anything holds it

    def has_servers(self) -> bool:
        """Whether a server lives."""
        return any(map(is_held, (self.folder / "servers").iterdir()))

    def server_lock(self) -> FileLock:
        """A new lock, held, by which others see that this server lives; locks of dead ones are removed."""
        with self.lock:
            for path in (self.folder / "servers").iterdir():
                if not is_held(path):
                    path.unlink(missing_ok=True)
            mine = lock_on(self.folder / "servers" / f"{os.getpid()}-{time.time_ns()}.lock")
            mine.acquire()
            return mine

    def device_lock(self, device: str, slots: int) -> FileLock | None:
        """The right to compute on a device, of which there are `slots`; None if all are in use."""
        for slot in range(slots):
            lock = lock_on(self.folder / "devices" / f"{device}-{slot}.lock")
            with contextlib.suppress(Timeout):
                lock.acquire()
                return lock
        return None

    def add(self, name: str, device: str, server: FileLock) -> None:
        """Put a run at the end."""
        path = self.folder / "queue" / f"{time.time_ns():020d}.json"
        write_json(path, {"name": name, "device": device, "server": Path(server.lock_file).name})

    def has_tickets(self) -> bool:
        """Whether anything may wait; cheaper than `tickets`."""
        return next((self.folder / "queue").glob("[0-9]*.json"), None) is not None

    def tickets(self) -> list[Ticket]:
        """Those who wait, first come first; tickets of servers that ended are thrown away."""
        found = [self._read(path) for path in sorted((self.folder / "queue").glob("[0-9]*.json"))]
        return [ticket for ticket in found if ticket is not None]

    def _read(self, path: Path) -> Ticket | None:
        try:
            fields = read_json(path)
            ticket = Ticket(path, str(fields["name"]), str(fields["device"]), Path(fields["server"]).name)
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError):  # damaged
            ticket = None
        if ticket is not None and is_held(self.folder / "servers" / ticket.server):
            return ticket
        path.unlink(missing_ok=True)
        return None
