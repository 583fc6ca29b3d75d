"""What a running training is told from outside: by a signal, by the file `control`, or by its server's end."""

import signal
from pathlib import Path
from types import FrameType
from typing import Literal

from explainer.files import write_bytes
from explainer.train.runs.locks import is_held

Wish = Literal["", "pause", "stop"]
Cause = Literal["", "control", "server", "signal"]
WISHES: tuple[Wish, ...] = ("pause", "stop")


def leave_wish(folder: Path, wish: Wish) -> None:
    """Tell the process that trains the run in `folder` to save and end; "" takes it back."""
    if wish:
        write_bytes(folder / "control", wish.encode())
    else:
        (folder / "control").unlink(missing_ok=True)


def read_wish(folder: Path) -> Wish:
    """What was left there, "" for nothing or for something unknown."""
    try:
        found = (folder / "control").read_bytes()
    except OSError:
        return ""
    for wish in WISHES:
        if found.strip() == wish.encode():
            return wish
    return ""


class Orders:
    """In a `with` block: SIGINT (Ctrl-C) and SIGTERM do nothing but set `wish`, what was asked last, to "pause".

    When nobody holds the lock `server` of the server that wants the run any more, it has to pause. The `cause` of a
    wish is "control" (the file in `folder`), "server" (its end) or "signal"; "" as long as nobody asked.
    """

    def __init__(self, folder: Path, server: Path | None = None) -> None:
        self.folder, self.server = folder, server
        self.wish: Wish = ""
        self.cause: Cause = ""

    def __enter__(self) -> "Orders":
        self.before = {number: signal.signal(number, self._set) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def asked(self) -> bool:
        """Whether to save and end; looks for the file, which is cheap enough to do after every step."""
        if not self.wish and (wish := read_wish(self.folder)):
            self.wish, self.cause = wish, "control"
        return bool(self.wish)

    def server_is_gone(self) -> bool:
        """Whether there was a server and is no more; if so, the run has to pause."""
        gone = self.server is not None and not is_held(self.server)
        if gone and not self.wish:
            self.wish, self.cause = "pause", "server"
        return gone

    def _set(self, number: int, frame: FrameType | None) -> None:
        if not self.wish:
            self.wish, self.cause = "pause", "signal"
