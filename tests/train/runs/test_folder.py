"""Run folders: requests, what a killed process leaves behind, and limits; what is left can go on and be averaged."""

import dataclasses
import itertools
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.train.learning.request import TrainRequest
from explainer.train.runs import folder as runs
from explainer.train.runs.folder import RunFolder, make_room, superfluous
from explainer.train.runs.names import RunError
from tests.train.conftest import Save
from tests.train.small import REQUEST


def test_a_request_survives_the_file(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    request = dataclasses.replace(REQUEST, dropout=0.25, tie_embeddings=False, norm="pre")
    folder.create(request)
    assert folder.request() == request
    with pytest.raises(FileExistsError, match="already holds a run"):
        folder.create(REQUEST)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "missing; is .* a run folder"),
        ("no json", "request.json: "),
        ("[]", "request.json: "),
        ('{"corpus": "a", "colour": 1}', "field = 'colour'"),
        ('{"corpus": "a", "steps": 0}', "steps = 0: must be at least 1"),
        ("{}", "corpus"),
        (f'{{"corpus": "{"a" * 2**16}"}}', "more than 65,536 bytes"),
        ("[" * 60_000, "nested too deep"),
    ],
)
def test_a_wrong_request_file_is_named(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "request.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        RunFolder(tmp_path).request()


WRONG = {
    0: "steps warmup save_every max_tokens vocab_size peak",
    -0.1: "mix_share concatenated weight_decay decay dropout",
    1.5: "smoothing decay dropout",
    "odd": "schedule precision norm positions",
    10**400: "steps warmup save_every max_tokens seed d_model peak",
    math.nan: "peak mix_share smoothing dropout weight_decay",
    True: "steps seed n_heads",
    10**9: "steps",
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: str(wrong)[:40])
def test_an_impossible_request_is_refused(wrong: object) -> None:
    refused = (ValueError, TypeError)  # the shape checker may be first
    for name in WRONG[wrong].split():
        with pytest.raises(refused, match=name):
            TrainRequest.from_json({"corpus": "a", name: wrong})
    with pytest.raises(refused, match="d_model"):
        TrainRequest(corpus="a", d_model=10, n_heads=3)


def test_metrics_of_steps_that_were_not_saved_are_dropped(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.forget_after(3)  # there is nothing yet
    for step in range(1, 6):
        folder.append({"step": step, "loss": 1.0})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 6, "lo')  # killed while it wrote
    folder.forget_after(3)
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [1, 2, 3]


def test_saved_steps_are_ordered_and_half_saved_ones_are_not_seen(tmp_path: Path) -> None:
    for name in ("000500", "001000", ".001500", "notes", "1000000"):
        (tmp_path / "steps" / name).mkdir(parents=True)
    assert RunFolder(tmp_path).saved_steps() == [500, 1000, 1000000]
    assert RunFolder(tmp_path / "nothing").saved_steps() == []


def test_saving_a_step_again_replaces_it(save: Save) -> None:
    folder = save()
    (folder.path / "steps" / ".70").mkdir(parents=True)
    (folder.path / "steps" / ".70" / "rest of a killed process").touch()
    save(70, 70)
    names = sorted(path.name for path in folder.step_folder(70).iterdir())
    assert names == ["config.json", "model.safetensors", "tokenizer.json"]


@given(st.sets(st.integers(0, 10**6), max_size=60), st.integers(1, 40), st.integers(1, 20))
def test_the_first_and_the_last_saves_stay(found: set[int], most: int, recent: int) -> None:
    steps = sorted(found)
    gone = superfluous(steps, most, recent)
    left = [step for step in steps if step not in gone]
    assert len(set(gone)) == len(gone)
    assert len(left) == min(len(steps), max(most, recent + 1))
    assert left[:1] == steps[:1]
    assert left[-recent:] == steps[-recent:]


def test_early_steps_stay_closer_together() -> None:
    """Saves of every 10th step, thinned as they come: the gaps that are left grow, as square roots ask for."""
    left: list[int] = []
    for step in range(0, 5000, 10):
        left.append(step)
        for one in superfluous(left, 20, 5):
            left.remove(one)
    roots = [math.sqrt(step) for step in left[:15]]
    gaps = [after - before for before, after in itertools.pairwise(roots)]
    assert left[0] == 0
    assert max(gaps) < 4 * min(gaps)


def test_a_run_keeps_so_many_saves(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MAX_SAVES", 6)
    monkeypatch.setattr(runs, "RECENT", 3)
    folder = save(*range(0, 120, 10))
    steps = folder.saved_steps()
    assert len(steps) == 6
    assert steps[0] == 0
    assert steps[-3:] == [90, 100, 110]
    names = sorted(path.name for path in (folder.path / "steps").iterdir())
    assert names == [f"{step:06d}" for step in steps]


def test_a_full_folder_of_runs_loses_the_old_saves_of_the_oldest_run_first_or_refuses(
    save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [save(*range(0, 200, 10), name=name) for name in ("old", "new")]
    held = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    for limit, left in ((2 * held, [20, 20]), (held * 0.9, [12, 20])):
        monkeypatch.setattr(runs, "MAX_BYTES", limit)
        make_room(tmp_path / "runs")
        assert [len(folder.saved_steps()) for folder in folders] == left
    assert folders[0].saved_steps()[-6:] == [140, 150, 160, 170, 180, 190]
    assert folders[0].saved_steps()[0] == 0
    monkeypatch.setattr(runs, "MAX_BYTES", 1000)
    refused = r"the folder of runs holds .* GB, the limit is 0 GB: delete runs first"
    with pytest.raises(RunError, match=refused):
        make_room(tmp_path / "runs")
    assert [len(folder.saved_steps()) for folder in folders] == [12, 12]  # no further
