"""Curves of a run, read as they grow: a look costs what was written since the last one, however long the run is."""

import math
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from jaxtyping import Float

from explainer.train.runs.reports import LONGEST, read_report

POINTS = 500  # of a curve, at most
_BLOCK = 2**20  # bytes read at a time; of a longer piece only some lines are looked at
_RECENT = 0.95  # how much of the mean time of a step comes from the steps before


@dataclass(frozen=True)
class Curve:
    """A measured value over the steps; each point is the mean of `stride` neighbouring reports."""

    steps: Float[np.ndarray, " point"]
    values: Float[np.ndarray, " point"]
    stride: int


@dataclass(frozen=True)
class Curves:
    """What a run has reported.

    `by_name` has those that there are of loss, nll, learning_rate, gradient_norm, tokens_per_second, valid_nll and
    valid_exact. Losses are in nats per target token.
    """

    by_name: dict[str, Curve]
    last: dict[str, Any]  # the last report of a step; empty if there is none
    seconds_per_step: float  # mean over the last steps; 0 if there is none
    damaged: int = 0  # how many of the lines that were looked at could not be used
    fault: str = ""  # what is wrong with the first of them


@dataclass
class Series:
    """Points that come one by one, of which at most `limit` are kept: when there are more, neighbours are joined."""

    limit: int = POINTS
    stride: int = 1
    sums: list[list[float]] = field(default_factory=list)  # step, value, count

    def add(self, step: float, value: float) -> None:
        """Count a report; one that is no number is left out."""
        if not math.isfinite(value):
            return
        if self.sums and self.sums[-1][2] < self.stride:
            last = self.sums[-1]
            self.sums[-1] = [last[0] + step, last[1] + value, last[2] + 1]
            return
        self.sums.append([step, value, 1])
        if len(self.sums) > self.limit:
            pairs = [self.sums[i : i + 2] for i in range(0, len(self.sums), 2)]
            self.sums = [[sum(part) for part in zip(*pair, strict=True)] for pair in pairs]
            self.stride *= 2

    def curve(self) -> Curve:
        """The points so far."""
        sums = np.array(self.sums, dtype=np.float64).reshape(-1, 3)
        return Curve(sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2], self.stride)


class CurveReader:
    """Reads metrics.jsonl from where it stopped the time before; of use from several threads.

    Damaged lines are counted and left out; a last line that is still being written is left out too. When a run goes on
    after an interruption its file is written anew: then it is read from the beginning.
    """

    def __init__(self, path: Path, limit: int = POINTS) -> None:
        self.path, self.limit = path, limit
        self._guard = threading.Lock()
        self._forget()

    def read(self) -> Curves:
        """All curves as they are now."""
        with self._guard:
            try:
                with self.path.open("rb") as file:
                    self._catch_up(file)
            except FileNotFoundError:
                self._forget()
            curves = {name: series.curve() for name, series in self._series.items()}
            return Curves(curves, dict(self._last), self._seconds, self._damaged, self._fault)

    def _forget(self) -> None:
        self._inode, self._offset, self._rest = 0, 0, b""
        self._series: dict[str, Series] = {}
        self._last: dict[str, Any] = {}
        self._seconds, self._damaged, self._fault = 0.0, 0, ""

    def _catch_up(self, file: BinaryIO) -> None:
        about = os.fstat(file.fileno())
        if about.st_ino != self._inode or about.st_size < self._offset:
            self._forget()
            self._inode = about.st_ino
        file.seek(self._offset)
        skip = max(1, (about.st_size - self._offset) // _BLOCK)
        while block := file.read(_BLOCK):
            self._offset += len(block)
            *lines, self._rest = (self._rest + block).split(b"\n")
            self._rest = self._rest[: LONGEST + 1]  # of a line without end no more than shows that it is none
            for number, line in enumerate(lines):
                if number % skip == 0 or b'"valid' in line:
                    self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            report = read_report(line)
        except ValueError as error:
            self._damaged, self._fault = self._damaged + 1, self._fault or str(error)
            return
        values = {name: report[name] for name in _DRAWN if name in report}
        seconds, tokens = report.get("seconds", 0.0), report.get("n_tokens")
        if seconds > 0 and tokens is not None:
            values["tokens_per_second"] = tokens / seconds
            self._seconds = _RECENT * (self._seconds or seconds) + (1 - _RECENT) * seconds
        if "loss" in values:
            self._last = report
        for name, value in values.items():
            self._series.setdefault(name, Series(self.limit)).add(report["step"], value)


_DRAWN = ("loss", "nll", "learning_rate", "gradient_norm", "valid_nll", "valid_exact")
