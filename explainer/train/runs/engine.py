"""The run engine: starts, queues, pauses and resumes training runs, each in a process of its own.

A page needs nothing but an `Engine`. All that it knows lies in the folder of runs, so that several servers can share
one, and a page that is opened again sees what it saw before.
"""

import contextlib
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path

from explainer.files import write_bytes
from explainer.train.learning.precision import choose_device
from explainer.train.learning.request import TrainRequest
from explainer.train.runs.faults import explain
from explainer.train.runs.folder import RunFolder, hidden_run, make_room, remove_hidden
from explainer.train.runs.launch import Worker, launch
from explainer.train.runs.names import RunError, new_folder, run_folder, run_names
from explainer.train.runs.orders import Wish, leave_wish
from explainer.train.runs.queue import MAX_WAITING, Queue
from explainer.train.runs.status import RunStatus, look

_TICK = 0.3  # seconds between two looks at workers and queue


class Engine:
    """The training runs of a folder, `per_device` of them at a time on one device; of use from any thread.

    As long as it lives, a thread starts the next waiting run when a device is free. When it is closed, or its process
    ends in whatever way, its workers save and pause.
    """

    def __init__(self, runs: Path, *, per_device: int = 1) -> None:
        self.runs, self.per_device = runs.resolve(), per_device
        self._queue = Queue(self.runs)
        with self._queue.lock:
            if not self._queue.has_servers():
                remove_hidden(self.runs)
            self._server = self._queue.server_lock()
        self._server_path = Path(self._server.lock_file)
        self._workers: dict[str, Worker] = {}
        self._guard = threading.RLock()
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True, name="run engine").start()

    def close(self, seconds: float = 0.0) -> None:
        """Let go: no waiting run starts, running ones save and pause by themselves; wait so many seconds for each."""
        self._closed.set()
        with self._guard:
            self._server.release()
            for worker in self._workers.values():
                worker.let_go(seconds)

    def start(
        self, name: str, request: TrainRequest, *, device: str = "auto", files: Mapping[str, bytes]
    ) -> RunStatus:
        """Make a run and put it in the queue; if the device is free it begins at once.

        For a `name` see `free_name`. The `files`, such as `corpus.tsv`, are laid into its folder; paths in the request
        may name them.

        Raises:
            RunError: the name cannot be used, there is such a run already, or there is no room for more.
            ValueError: the device is not there.
        """
        where = choose_device(device).type
        with self._guard, self._queue.lock, hidden_run(self.runs) as hidden:
            path = new_folder(self.runs, name)
            self._must_have_room()
            hidden.create(request)
            for file, content in files.items():
                write_bytes(hidden.path / check_file(file), content)
            hidden.path.rename(path)
            self._enqueue(RunFolder(path), where)
            self._advance()
            return self.status(path.name)

    def resume(self, name: str) -> RunStatus:
        """Put a run in the queue that was paused, stopped or interrupted or that failed: for the device it had.

        Raises:
            RunError: there is no such run, it cannot go on, or there is no room for more.
            ValueError: the device is not there.
        """
        with self._guard, self._queue.lock:
            status = self.status(name)
            if not status.can_resume:
                raise RunError(f"{name} is {status.status}: it cannot be resumed")
            self._must_have_room()
            self._enqueue(RunFolder(self.runs / name), choose_device(status.device or "auto").type)
            self._advance()
            return self.status(name)

    def pause(self, name: str) -> RunStatus:
        """Let a run save and give its device to the next one; a waiting one leaves the queue."""
        return self._end(name, "pause", ("queued", "starting", "running"))

    def stop(self, name: str) -> RunStatus:
        """Let a run save and end. It is kept, and could be resumed."""
        return self._end(name, "stop", ("queued", "starting", "running", "paused", "interrupted", "failed"))

    def rename(self, name: str, new: str) -> RunStatus:
        """Give a run another name; RunError if it is active or the name is taken."""
        with self._guard, self._queue.lock:
            self._must_rest(name)
            path = new_folder(self.runs, new)
            (self.runs / name).rename(path)
            return self.status(path.name)

    def delete(self, name: str) -> None:
        """Remove a run and all that it saved; RunError if it is active."""
        with self._guard, self._queue.lock:
            self._must_rest(name)
            trash = self.runs / f".deleted-{name}"
            shutil.rmtree(trash, ignore_errors=True)
            (self.runs / name).rename(trash)
        shutil.rmtree(trash, ignore_errors=True)

    def status(self, name: str) -> RunStatus:
        """How a run is; RunError if there is none."""
        return look(run_folder(self.runs, name), self._queue.tickets())

    def all(self) -> list[RunStatus]:
        """All runs, those begun last first."""
        tickets = self._queue.tickets()
        return [look(self.runs / name, tickets) for name in run_names(self.runs)]

    def offered(self) -> list[RunStatus]:
        """Runs that ended against the will of whoever started them: the page should offer to resume them."""
        return [status for status in self.all() if status.offered]

    def folder(self, name: str) -> RunFolder:
        """What a run has written; RunError if there is none."""
        return RunFolder(run_folder(self.runs, name))

    def _must_rest(self, name: str) -> None:
        status = self.status(name)
        if status.is_active:
            raise RunError(f"{name} is {status.status}: stop it first")

    def _must_have_room(self) -> None:
        waiting = len(self._queue.tickets())
        if waiting >= MAX_WAITING:
            raise RunError(
                f"{waiting} runs wait already, the limit is {MAX_WAITING}: stop one, or come back later"
            )
        make_room(self.runs)

    def _enqueue(self, folder: RunFolder, device: str) -> None:
        leave_wish(folder.path, "")
        folder.write_state("queued", keep=("step", "steps", "precision"), device=device)
        self._queue.add(folder.path.name, device, self._server)

    def _end(self, name: str, wish: Wish, allowed: tuple[str, ...]) -> RunStatus:
        with self._guard, self._queue.lock:
            status = self.status(name)
            folder = self.folder(name)
            if status.status not in allowed:
                raise RunError(f"{name} is {status.status}: there is nothing to {wish}")
            if status.status in ("starting", "running"):
                leave_wish(folder.path, wish)
            else:
                for ticket in self._queue.tickets():
                    if ticket.name == name:
                        ticket.path.unlink(missing_ok=True)
                state = {k: v for k, v in folder.state().items() if k not in ("status", "pid", "heartbeat")}
                state = {**state, "step": status.saved, "cause": "control"}
                folder.write_state("stopped" if wish == "stop" else "paused", **state)
            return self.status(name)

    def _advance(self) -> None:
        """Start runs as long as the next in the queue is ours and its device is free."""
        busy: set[str] = set()
        for ticket in self._queue.tickets():
            if ticket.device in busy:
                continue
            slot = None
            if ticket.server == self._server_path.name and ticket.name not in self._workers:
                slot = self._queue.device_lock(ticket.device, self.per_device)
            if slot is None:  # in use, by its own last process perhaps, or the turn of another server
                busy.add(ticket.device)
                continue
            folder = RunFolder(self.runs / ticket.name)
            try:
                run_folder(self.runs, ticket.name)
                self._workers[ticket.name] = launch(folder, ticket.device, self._server_path, slot)
            except RunError:  # it was removed
                slot.release()
            except OSError as error:  # there is no process to be had, or no disk
                slot.release()
                with contextlib.suppress(OSError):
                    folder.write_state("failed", **explain(error, folder.last_saved_step()))
            ticket.path.unlink(missing_ok=True)

    def _watch(self) -> None:
        while not self._closed.wait(_TICK):
            with contextlib.suppress(OSError), self._guard:  # a full disk must not end the thread
                for name in [
                    name for name, worker in self._workers.items() if worker.process.poll() is not None
                ]:
                    self._workers.pop(name).bury()
                if self._queue.has_tickets():
                    with self._queue.lock:
                        self._advance()


def check_file(name: str) -> str:
    """A file name that stays in the folder of the run; RunError if it does not."""
    if not name or Path(name).name != name or name.startswith(".") or "\\" in name:
        raise RunError(f"{name!r} is not the name of a file in the folder of the run")
    return name
