"""The one run engine of this server, and what the pages keep of runs."""

import threading
from typing import TYPE_CHECKING

from explainer.pages.frame.caches import kept
from explainer.pages.frame.models import runs_folder

if TYPE_CHECKING:
    from pathlib import Path

    from explainer.train.runs.curves import CurveReader
    from explainer.train.runs.engine import Engine

_MAKING = threading.Lock()
_ENGINES: list["Engine"] = []


def engine() -> "Engine":
    """The engine, started when it is first asked for."""
    with _MAKING:
        if not _ENGINES:
            from explainer.train.runs.engine import Engine

            _ENGINES.append(Engine(runs_folder()))
        return _ENGINES[0]


def close_engine() -> None:
    """The server ends: running runs save and pause."""
    with _MAKING:
        while _ENGINES:
            _ENGINES.pop().close()


def curves_of(name: str) -> "CurveReader":
    """The reader of a run's metrics: all visitors share what it has read."""
    return _reader_of(engine().folder(name).path / "metrics.jsonl")


@kept(mebibytes=64, most=64)
def _reader_of(metrics: "Path") -> "CurveReader":
    from explainer.train.runs.curves import CurveReader

    return CurveReader(metrics)
