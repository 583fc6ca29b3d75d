"""The training record beside shipped weights: written, read back, absent, damaged, made of a run."""

import dataclasses
import json
from pathlib import Path

import pytest

from explainer.train.learning.request import TrainRequest
from explainer.train.runs.record import FILE, TrainingRecord, load_record, record_of, save_record

REQUEST = TrainRequest.from_json({"corpus": "pairs.tsv", "steps": 900, "peak": 2e-3, "schedule": "cosine"})
RECORD = TrainingRecord(REQUEST, ((1, 1e-6), (450, 2e-3), (900, 0.0)))


def test_a_record_survives_the_file(tmp_path: Path) -> None:
    assert load_record(tmp_path) is None  # weights without a record are no error
    save_record(tmp_path, RECORD)
    assert load_record(tmp_path) == RECORD
    fields = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    assert fields["request"] == dataclasses.asdict(REQUEST)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"request": {"corpus": "x"}}',
        '{"request": {"corpus": "x", "colour": 3}, "learning_rates": []}',
        '{"request": {"corpus": "x", "schedule": "stairs"}, "learning_rates": []}',
        '{"request": {"corpus": "x"}, "learning_rates": [[2, 0.1], [1, 0.1]]}',
        '{"request": {"corpus": "x"}, "learning_rates": [[0, 0.1]]}',
        '{"request": {"corpus": "x"}, "learning_rates": [[1, "fast"]]}',
        '{"request": {"corpus": "x"}, "learning_rates": [[1]]}',
    ],
)
def test_a_damaged_record_is_refused_with_its_path(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"(?s)training\.json: .*expected"):
        load_record(tmp_path)


def test_the_record_of_a_run_keeps_its_ends(tmp_path: Path) -> None:
    (tmp_path / "request.json").write_text(json.dumps(dataclasses.asdict(REQUEST)), encoding="utf-8")
    reports = [{"step": step, "learning_rate": step * 1e-6, "nll": 3.0} for step in range(1, 901)]
    lines = [json.dumps(report) for report in [*reports, {"step": 900, "valid_nll": 2.0}]]
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines), encoding="utf-8")
    record = record_of(tmp_path, points=50)
    steps = [step for step, _ in record.rates]
    assert record.request == REQUEST
    assert (steps[0], steps[-1]) == (1, 900)
    assert 40 <= len(steps) <= 50
    assert all(rate == pytest.approx(step * 1e-6) for step, rate in record.rates)


def test_what_is_no_run_has_no_record(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a run folder"):
        record_of(tmp_path)
    (tmp_path / "request.json").write_text(json.dumps(dataclasses.asdict(REQUEST)), encoding="utf-8")
    (tmp_path / "metrics.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="no step"):
        record_of(tmp_path)
