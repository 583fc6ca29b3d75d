"""The heartbeat of a training process: state.json is written anew every second, whatever the process is doing."""

import contextlib
import os
import threading
import time
from typing import Any

from explainer.train.runs.folder import RunFolder
from explainer.train.runs.orders import Orders

BEAT = 1.0  # seconds from one heartbeat to the next
GRACE = 30.0  # seconds that a process may go on without its server before it ends at once
_RESERVE = 16 * 1024  # bytes that are given back on a full disk, so that the last words fit


class Pulse:
    """In a `with` block: tells how the run is, every second, from a thread.

    Nothing is lost if a heartbeat cannot be written: the disk may have room again for the next one. At every beat
    `orders` is asked whether the server is still there. A process that cannot save within GRACE seconds after its
    server's end is ended: no orphan goes on computing.
    """

    def __init__(self, folder: RunFolder, orders: Orders) -> None:
        self.folder, self.orders = folder, orders
        self._fields: dict[str, Any] = {"status": "starting", "step": folder.last_saved_step()}
        self._guard, self._writing = threading.Lock(), threading.Lock()  # the loop must not wait for the disk
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "Pulse":
        self.folder.reserve(_RESERVE)
        self._write()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def tell(self, **fields: Any) -> None:
        """What the next heartbeats say, besides what was told before; a new status is told at once."""
        with self._guard:
            self._fields = {**self._fields, **fields}
        if "status" in fields:
            self._write()

    def last_words(self, status: str, **fields: Any) -> None:
        """What state.json shall say from now on; on a full disk the reserve makes room for it."""
        self._end()
        self.tell(status=status, **fields)

    def _end(self) -> None:
        self._done.set()
        self._thread.join()
        self.folder.reserve(0)

    def _write(self) -> None:
        with self._writing, contextlib.suppress(OSError):
            with self._guard:
                fields = dict(self._fields)
            self.folder.write_state(**fields)

    def _beat(self) -> None:
        gone_since: float | None = None
        while not self._done.wait(BEAT):
            self._write()
            if self.orders.server_is_gone():
                gone_since = gone_since or time.monotonic()
                if time.monotonic() - gone_since > GRACE:
                    os._exit(1)
