"""The process that trains one run: started apart from the server, and buried when it has ended."""

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from explainer.language import mark
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.status import ENDED

NICENESS = 10  # the app answers first
_TAIL = 4096  # bytes of out.log in which the last line is looked for


@dataclass
class Worker:
    """A process that trains a run."""

    folder: RunFolder
    process: "subprocess.Popen[bytes]"
    slot: FileLock  # the right to use the device, held until the process has ended

    def bury(self) -> None:
        """Free the device; if the process could not say how it ended, say it in its place."""
        try:
            state = self.folder.state()
            if self.folder.path.is_dir() and self._was_last_to_speak(state):
                status, reason, detail = self._cause_of_death()
                told = ("step", "steps", "device", "precision")
                self.folder.write_state(status, keep=told, reason=reason, detail=detail)
        finally:
            self.slot.release()

    def let_go(self, seconds: float) -> None:
        """The server ends: the process notices by itself, saves and pauses. Wait for it for so long, then go."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        self.slot.release()

    def _was_last_to_speak(self, state: dict[str, Any]) -> bool:
        """Whether the run stands where this process left it, without a word of how it ended.

        If it was resumed meanwhile, it waits again or belongs to another process.
        """
        ours = (self.process.pid, os.getpid())  # the server speaks for it until it begins
        return state.get("status") not in (*ENDED, "queued") and state.get("pid", ours[0]) in ours

    def _cause_of_death(self) -> tuple[str, str, str]:
        """Status, reason and detail, as `explain` tells them."""
        code = self.process.returncode
        if code < 0:
            name = signal.Signals(-code).name
            if -code == signal.SIGKILL:
                told = mark("The run's process was killed ({detail}). Perhaps there was too little memory.")
                return "interrupted", told, name
            return "interrupted", mark("The run's process was killed ({detail})."), name
        lines = []
        with contextlib.suppress(OSError):
            log = (self.folder.path / "out.log").read_bytes()[-_TAIL:]
            lines = log.decode("utf-8", "replace").strip().splitlines()
        if lines and (said := lines[-1].removeprefix("error: ")):
            return "failed", said, ""
        return "failed", mark("The run's process ended with status {detail}."), str(code)


def launch(folder: RunFolder, device: str, server: Path, slot: FileLock) -> Worker:
    """Start the process that trains the run in `folder` on a device, cpu or cuda, which `slot` is the right to use.

    `server` is the lock of the server that wants it: when nobody holds it any more, the process saves and pauses.

    Raises:
        OSError: there is no process to be had, or no room for its log.
    """
    command = [sys.executable, "-m", "explainer", "work", str(folder.path)]
    command += ["--device", device, "--server", str(server)]
    environment = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "PYTHONUNBUFFERED": "1"}
    with (folder.path / "out.log").open("ab") as log:
        folder.write_state("starting", keep=("step", "steps", "precision"), device=device)
        process = subprocess.Popen(
            command,
            cwd=Path(__file__).parents[3],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Worker(folder, process, slot)
