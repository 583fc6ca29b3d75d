"""How a run is, found out by looking: what state.json says is checked against locks, processes and the clock."""

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from explainer.language import _, ngettext
from explainer.model.config import MAX_STEP, whole
from explainer.train.runs.folder import LOCK, RunFolder
from explainer.train.runs.locks import is_alive, is_held
from explainer.train.runs.orders import Wish, read_wish
from explainer.train.runs.queue import Ticket

Status = Literal["queued", "starting", "running", "paused", "stopped", "finished", "failed", "interrupted"]
_LONGEST = 500  # characters of a reason or an advice
_LAST_TIME = 1e12  # seconds since 1970
_STARTING = 60.0  # seconds that a process may take to begin
ENDED: tuple[Status, ...] = ("paused", "stopped", "finished", "failed")


@dataclass(frozen=True, kw_only=True)
class RunStatus:
    """How a run is.

    Attributes:
        status: queued, starting, running, paused, stopped, finished, failed or interrupted (gone without a goodbye).
        steps: How many there shall be; 0 if the request cannot be read.
        saved: The last step whose weights were kept, from which it would go on.
        position: Place in the queue, 1 for the next one; 0 if it does not wait.
        device: cpu or cuda; "" if it never began.
        wish: "pause" or "stop" if a running run was told so and has not done it yet.
        reason: What happened, if it did not end by itself or by a wish; `advice` is what can be done.
        offered: Whether it ended against the will of whoever started it, so that going on should be offered.
    """

    name: str
    status: Status
    step: int = 0
    steps: int = 0
    saved: int = 0
    position: int = 0
    device: str = ""
    wish: Wish = ""
    reason: str = ""
    advice: str = ""
    offered: bool = False

    @property
    def is_active(self) -> bool:
        """Whether something is going on that a page should follow."""
        return self.status in ("queued", "starting", "running")

    @property
    def can_resume(self) -> bool:
        """Whether it can go on."""
        return self.status in ("paused", "stopped", "failed", "interrupted")


def look(path: Path, tickets: list[Ticket]) -> RunStatus:
    """How the run in the folder `path` is, given those who wait; a damaged folder is a run that failed."""
    try:
        return _look(path, tickets)
    except (ValueError, OSError) as error:
        advice = _("Delete the run, or put its folder right.")
        return RunStatus(name=path.name, status="failed", reason=_text(str(error)), advice=advice)


def _look(path: Path, tickets: list[Ticket]) -> RunStatus:
    folder = RunFolder(path)
    state, saved = folder.state(), folder.last_saved_step()
    step, device = _whole(state.get("step"), saved), _text(state.get("device"))[:20]
    found = RunStatus(name=path.name, status="interrupted", step=step, saved=saved, device=device)
    try:
        found = replace(found, steps=folder.request().steps)
    except (ValueError, OSError) as error:
        advice = _("The run cannot go on without this file.")
        return replace(found, status="failed", reason=_text(str(error)), advice=advice)
    waiting = next((ticket for ticket in tickets if ticket.name == path.name), None)
    if waiting is not None:
        same = [ticket.name for ticket in tickets if ticket.device == waiting.device]
        position = same.index(path.name) + 1
        return replace(found, status="queued", device=waiting.device, position=position)
    if _lives(folder, state):
        begun: Status = "running" if state.get("status") == "running" else "starting"
        return replace(found, status=begun, wish=read_wish(path))
    if state.get("status") in ENDED:
        return _ended(found, state)
    return replace(found, offered=True, **_what_happened(state, saved))


def _ended(found: RunStatus, state: dict[str, Any]) -> RunStatus:
    """A run that said goodbye."""
    found = replace(
        found,
        status=state["status"],
        reason=_reason(state),
        advice=_(_text(state.get("advice"))).replace("{saved}", str(found.saved or 0)),
        offered=state["status"] == "paused" and state.get("cause") in ("server", "signal"),
    )
    if not found.offered:
        return found
    return replace(found, reason=_("The app was closed while it ran."), advice=_go_on(found.saved))


def _lives(folder: RunFolder, state: dict[str, Any]) -> bool:
    """Whether a process trains the run, or is about to."""
    is_new = state.get("status") == "starting" and _silent(state) < _STARTING
    return is_held(folder.path / LOCK) or (is_new and is_alive(_whole(state.get("pid"), 0)))


def _silent(state: dict[str, Any]) -> float:
    """Seconds since the last heartbeat; infinite if there was none."""
    beat = state.get("heartbeat")
    if isinstance(beat, int | float) and 0 <= beat <= _LAST_TIME:
        return max(0.0, time.time() - beat)
    return math.inf


def _what_happened(state: dict[str, Any], saved: int) -> dict[str, Any]:
    go_on = _go_on(saved)
    if state.get("status") == "queued":
        return {"reason": _("The app was closed while the run was waiting."), "advice": go_on}
    if not state:
        return {"reason": _("The run's process ended, and state.json cannot be read."), "advice": go_on}
    reason = _reason(state) or _("The run's process ended without saying why.")
    lost = max(0, _whole(state.get("step"), saved) - saved)
    if lost:
        again = ngettext("The step after it is done again.", "The {n} steps after it are done again.", lost)
        go_on = f"{go_on} {again.format(n=lost)}"
    return {"reason": reason, "advice": go_on}


def _go_on(saved: int) -> str:
    goes_on = _("Resume: it goes on from step {saved}.").format(saved=saved)
    return goes_on if saved else _("Resume: it begins again.")


def _reason(state: dict[str, Any]) -> str:
    return _(_text(state.get("reason"))).replace("{detail}", _text(state.get("detail")))


def _whole(value: object, otherwise: int) -> int:
    try:
        return whole("", value, 0, MAX_STEP)
    except ValueError:
        return otherwise


def _text(value: object) -> str:
    """What a file says, cut to a few lines and without what is no text, such as half a surrogate pair."""
    return value[:_LONGEST].encode(errors="replace").decode() if isinstance(value, str) else ""
