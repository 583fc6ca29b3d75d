"""Limits of a folder of runs: saves of a run, bytes of all runs; what is left can go on and be averaged."""

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from explainer.train.runs import folder as runs
from explainer.train.runs import room
from explainer.train.runs.folder import RunFolder, superfluous
from explainer.train.runs.names import RunError
from explainer.train.runs.room import make_room
from tests.train.small import REQUEST


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


@pytest.fixture
def model(tiny_config: TransformerConfig, tokenizer: Tokenizer) -> Transformer:
    return Transformer(TransformerConfig(vocab_size=len(tokenizer), d_model=8, n_heads=2, d_ff=4))


def saved(path: Path, model: Transformer, tokenizer: Tokenizer, n: int) -> RunFolder:
    folder = RunFolder(path)
    folder.create(REQUEST)
    for step in range(0, 10 * n, 10):
        folder.save_step(model, tokenizer, step)
    return folder


def test_a_run_keeps_so_many_saves(
    tmp_path: Path, model: Transformer, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MAX_SAVES", 6)
    monkeypatch.setattr(runs, "RECENT", 3)
    folder = saved(tmp_path / "a", model, tokenizer, 12)
    steps = folder.saved_steps()
    assert len(steps) == 6
    assert steps[0] == 0
    assert steps[-3:] == [90, 100, 110]
    assert sorted(path.name for path in (folder.path / "steps").iterdir()) == [
        f"{step:06d}" for step in steps
    ]


def test_a_full_folder_of_runs_loses_the_old_saves_of_the_oldest_run_first(
    tmp_path: Path, model: Transformer, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [saved(tmp_path / name, model, tokenizer, 20) for name in ("old", "new")]
    held = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    monkeypatch.setattr(room, "MAX_BYTES", 2 * held)
    make_room(tmp_path)
    assert [len(folder.saved_steps()) for folder in folders] == [20, 20]
    monkeypatch.setattr(room, "MAX_BYTES", held * 0.9)
    make_room(tmp_path)
    assert [len(folder.saved_steps()) for folder in folders] == [12, 20]
    assert folders[0].saved_steps()[-6:] == [140, 150, 160, 170, 180, 190]
    assert folders[0].saved_steps()[0] == 0


def test_a_folder_that_is_full_all_the_same_refuses(
    tmp_path: Path, model: Transformer, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = saved(tmp_path / "a", model, tokenizer, 3)
    monkeypatch.setattr(room, "MAX_BYTES", 1000)
    with pytest.raises(
        RunError, match=r"the folder of runs holds .* GB, the limit is 0 GB: delete runs first"
    ):
        make_room(tmp_path)
    assert folder.saved_steps() == [0, 10, 20]
