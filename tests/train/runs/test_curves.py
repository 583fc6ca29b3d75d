"""Curves: nothing is lost that fits, the mean is kept of what does not, and a look costs what is new."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.train.runs.curves import CurveReader, Series


def report(step: int, **values: float) -> dict[str, Any]:
    return {
        "step": step, "epoch": 0, "loss": 5.0 / step, "nll": 4.0 / step, "learning_rate": 1e-3, "gradient_norm": 1.0,
        "n_tokens": 200, "seconds": 0.5, **values,
    }  # fmt: skip


def write(path: Path, reports: list[dict[str, Any]], mode: str = "w") -> None:
    with path.open(mode) as file:
        file.writelines(json.dumps(found) + "\n" for found in reports)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metrics.jsonl"


def watched(reader: CurveReader, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines that the reader parses from now on."""
    taken: list[bytes] = []
    take = reader._take
    monkeypatch.setattr(reader, "_take", lambda line: (taken.append(line), take(line)))
    return taken


@given(st.lists(st.floats(-1e6, 1e6), max_size=400), st.integers(2, 60))
def test_points_are_means_of_neighbours(values: list[float], limit: int) -> None:
    series = Series(limit)
    for step, value in enumerate(values):
        series.add(step, value)
    curve = series.curve()
    assert len(curve.steps) <= limit
    assert len(curve.steps) > limit // 2 or curve.stride == 1
    for drawn, each in ((curve.values, values), (curve.steps, range(len(values)))):
        groups = [each[i : i + curve.stride] for i in range(0, len(values), curve.stride)]
        np.testing.assert_allclose(drawn, [np.mean(group) for group in groups], atol=1e-6)


def test_what_a_run_reported(path: Path) -> None:
    reader = CurveReader(path)  # there is nothing yet
    assert (reader.read().by_name, reader.read().last, reader.read().seconds_per_step) == ({}, {}, 0.0)
    write(path, [report(1), report(2), {"step": 2, "valid_nll": 3.5, "valid_exact": 0.25}, report(3)])
    curves = reader.read()
    assert curves.by_name["loss"].steps.tolist() == [1, 2, 3]
    assert curves.by_name["loss"].values.tolist() == [5.0, 2.5, 5.0 / 3]
    assert curves.by_name["tokens_per_second"].values.tolist() == [400.0] * 3
    assert (curves.by_name["valid_nll"].steps, curves.by_name["valid_nll"].values) == ([2], [3.5])
    assert curves.by_name["valid_exact"].values == [0.25]
    assert curves.last == report(3)
    assert curves.seconds_per_step == pytest.approx(0.5)


def test_a_look_reads_only_what_is_new(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, [report(step) for step in range(1, 2001)])
    reader = CurveReader(path)
    assert len(reader.read().by_name["loss"].steps) <= 500
    taken = watched(reader, monkeypatch)
    reader.read()
    assert taken == []
    write(path, [report(2001), report(2002)], mode="a")
    assert reader.read().last["step"] == 2002
    assert len(taken) == 2


def test_a_long_run_is_looked_at_here_and_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that opens a run of 60 000 steps parses a part of the lines, but every validation."""
    for last in range(3000, 60_001, 3000):
        write(path, [report(step) for step in range(last - 2999, last + 1)], mode="a")
        write(path, [{"step": last, "valid_nll": 1.0, "valid_exact": 0.5}], mode="a")
    reader = CurveReader(path)
    taken = watched(reader, monkeypatch)
    curves = reader.read()
    assert len(taken) < 10_000
    assert curves.by_name["valid_nll"].steps.tolist() == list(range(3000, 60_001, 3000))
    loss = curves.by_name["loss"]
    assert 250 <= len(loss.steps) <= 500
    assert loss.steps[0] < 300
    assert loss.steps[-1] > 59_700


def test_torn_and_damaged_lines(path: Path) -> None:
    write(path, [report(1)])
    reader = CurveReader(path)
    with path.open("ab") as file:
        file.write(b'{"step": 2, "lo')
    assert reader.read().by_name["loss"].steps.tolist() == [1]
    rest = json.dumps(report(2))[len('{"step": 2, "lo') :]
    junk = b'\n\xff\x00\n[1]\nnull\n{"loss": 3}\n{"step": "x", "loss": 1}\n{"step": 4, "loss": "y"}\n'
    with path.open("ab") as file:
        file.write(rest.encode() + junk + b'{"step": 5, "loss": NaN}\n')
    write(path, [report(3)], mode="a")
    curves = reader.read()
    assert curves.by_name["loss"].steps.tolist() == [1, 2, 3]
    assert all(math.isfinite(value) for curve in curves.by_name.values() for value in curve.values)


def test_a_file_that_was_written_anew_is_read_again(path: Path) -> None:
    """After an interruption a run drops the reports of steps that were not saved."""
    write(path, [report(step) for step in range(1, 11)])
    reader = CurveReader(path)
    reader.read()
    write(path.with_name("new"), [report(step) for step in range(1, 6)])
    path.with_name("new").replace(path)
    write(path, [report(6, loss=9.0)], mode="a")
    curves = reader.read()
    assert curves.by_name["loss"].steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert curves.by_name["loss"].values[-1] == 9.0
    path.unlink()
    assert reader.read().by_name == {}


def test_damaged_lines_are_counted_and_the_first_is_told(path: Path) -> None:
    write(path, [report(1), report(2, nll=10**400), report(3, loss=float("nan")), report(4)])
    damaged = '{"step": -3}\n{"step": NaN}\n{"step": 1, "nll": [1]}\n{"step": 1, "seconds": "1e400"}\n'
    with path.open("a") as file:
        file.write(damaged + f'{{"step": {"9" * 5000}}}\n')
    curves = CurveReader(path).read()
    assert curves.by_name["nll"].steps.tolist() == [1, 4]
    assert curves.damaged == 7
    assert curves.fault.startswith("'nll' = 1000")
    assert len(curves.fault) < 200


def test_a_line_without_end_and_names_without_end_take_no_memory(path: Path) -> None:
    with path.open("w") as file:
        file.write(json.dumps(report(1)) + "\n" + '{"x' + "y" * 3 * 2**20)
    reader = CurveReader(path)
    reader.read()
    assert len(reader._rest) < 2**20
    with path.open("a") as file:
        file.write('": 1}\n')
    write(path, [report(step, **{f"name {step}": 1.0}) for step in range(2, 50)], mode="a")
    curves = reader.read()
    assert curves.damaged == 1
    assert curves.last["step"] == 49
    assert len(curves.by_name) == 5
