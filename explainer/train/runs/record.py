"""How shipped weights were trained: `training.json` beside them, the request and the learning rates that were used."""

import contextlib
import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from explainer.files import read_json, write_bytes
from explainer.model.config import MAX_STEP, whole
from explainer.train.learning.request import TrainRequest
from explainer.train.runs.reports import read_report

FILE = "training.json"
POINTS = 200  # learning rates that are kept at most


@dataclass(frozen=True)
class TrainingRecord:
    """What a training run was asked, and the learning rates that it reported."""

    request: TrainRequest
    rates: tuple[tuple[int, float], ...]  # step (from 1) and the learning rate of that step, ascending


def load_record(folder: Path) -> TrainingRecord | None:
    """The record beside the weights in `folder`; None if they came without one.

    Raises:
        ValueError: the file is damaged; says where and what was expected.
    """
    path = folder / FILE
    if not path.exists():
        return None
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        told = fields["learning_rates"]
        rates = tuple((whole("learning_rates: step", step, 1, MAX_STEP), float(rate)) for step, rate in told)
        if list(rates) != sorted(set(rates)):
            raise ValueError("learning_rates: the steps must ascend")
        return TrainingRecord(TrainRequest.from_json(fields["request"]), rates)
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise ValueError(
            f"{path}: {error!s}; expected {{'request': fields of a TrainRequest, 'learning_rates': [[step, rate], …]}}"
        ) from error


def save_record(folder: Path, record: TrainingRecord) -> None:
    """Write the record beside the weights in `folder`."""
    request = json.dumps(dataclasses.asdict(record.request), indent=2, ensure_ascii=False)
    rates = json.dumps([[step, float(f"{rate:.9g}")] for step, rate in record.rates])
    text = f'{{"request": {request},\n"learning_rates": {rates}}}\n'  # the rates on one line
    write_bytes(folder / FILE, text.encode())


def record_of(run: Path, *, points: int = POINTS) -> TrainingRecord:
    """The record of a run folder: its request, and at most `points` of the learning rates in its metrics.

    Raises:
        ValueError: the folder holds no run that has made a step.
    """
    try:
        request = TrainRequest.from_json(read_json(run / "request.json"))
        lines = (run / "metrics.jsonl").read_bytes().splitlines()
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(f"{run}: not a run folder ({error})") from error
    rates = {}
    for line in lines:
        with contextlib.suppress(ValueError, KeyError):  # damaged, or without a learning rate
            report = read_report(line)
            rates[report["step"]] = float(report["learning_rate"])
    if not rates:
        raise ValueError(f"{run}: the run has made no step")
    steps = sorted(rates)
    kept = {steps[round(i * (len(steps) - 1) / max(1, points - 1))] for i in range(points)}
    return TrainingRecord(request, tuple((step, rates[step]) for step in sorted(kept)))
