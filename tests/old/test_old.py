"""Checkpoints, runs and downloads of an earlier version still work: see README.md in this folder."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from explainer.checkpoints import load_checkpoint
from explainer.equations.output import LOG_PROB
from explainer.text.tokenizer import END_ID, START_ID
from explainer.train.learning.averaging import average_run
from explainer.train.runs import worker
from explainer.train.runs.archive import pack_run, unpack_run
from explainer.train.runs.curves import CurveReader
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.names import run_names
from explainer.train.runs.status import look
from explainer.translator import Translator
from tests.peers import TorchPeer

HERE = Path(__file__).parent
SMALL = {
    "norm": "post",
    "positions": "sinusoidal",
    "tie_embeddings": True,
    "look_ahead_mask": True,
    "d_model": 8,
}
CHECKPOINTS: dict[str, dict[str, Any]] = {  # what differs from SMALL
    "post-tied": {},
    "post-untied": {"tie_embeddings": False},
    "pre-tied": {"norm": "pre"},
    "pre-untied": {"norm": "pre", "tie_embeddings": False},
    "learned-positions": {"positions": "learned"},
    "learned-pre-untied": {"positions": "learned", "norm": "pre", "tie_embeddings": False},
    "no-positions": {"positions": "none"},
    "no-look-ahead-mask": {"look_ahead_mask": False},
    "width-16": {"d_model": 16, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2},
    "one-head-odd-width": {"d_model": 5, "n_heads": 1, "positions": "none"},
    "deep-decoder": {"norm": "pre", "n_decoder_layers": 4},
    "deep-encoder": {"n_encoder_layers": 5, "dropout": 0.3},
    "short": {"d_model": 4, "max_positions": 16},
}
STATUS = {
    "continued": "finished", "copy": "paused", "dates-pre": "finished", "exploded": "failed",
    "failed-early": "failed", "killed": "interrupted", "learned-untied": "finished", "no-mask": "finished",
    "no-positions": "finished", "reverse": "finished", "reverse-mean2": "finished", "shifted": "finished",
    "sort": "stopped", "uploaded": "finished", "waiting": "interrupted", "with-grammar": "finished",
}  # fmt: skip
SAVED = {  # the steps that hold weights
    "continued": [0, 3], "copy": [0, 26], "dates-pre": [0, 6], "exploded": [0, 1], "failed-early": [],
    "killed": [0, 10, 20], "learned-untied": [0, 3], "no-mask": [0, 4], "no-positions": [0, 2, 4],
    "reverse": [0, 4, 8, 12], "reverse-mean2": [12], "shifted": [0, 2, 4], "sort": [0, 27], "uploaded": [0, 6],
    "waiting": [], "with-grammar": [0, 5, 9],
}  # fmt: skip


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The old checkpoint folders."""
    folder = tmp_path_factory.mktemp("old")
    shutil.unpack_archive(HERE / "checkpoints.tar.gz", folder, filter="data")
    return folder / "checkpoints"


@pytest.fixture
def old_runs(tmp_path: Path) -> Path:
    """The old folder of runs."""
    shutil.unpack_archive(HERE / "runs.tar.gz", tmp_path, filter="data")
    return tmp_path / "runs"


def test_nothing_was_lost(checkpoints: Path, old_runs: Path) -> None:
    assert {path.name for path in checkpoints.iterdir()} == set(CHECKPOINTS)
    assert set(run_names(old_runs)) == set(STATUS)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_an_old_checkpoint_is_the_model_that_was_saved(checkpoints: Path, name: str) -> None:
    found = load_checkpoint(checkpoints / name)
    config = found.model.config.to_json()
    expected = SMALL | CHECKPOINTS[name]
    assert {field: config[field] for field in expected} == expected
    saved = load_file(checkpoints / name / "model.safetensors")
    own = dict(found.model.named_parameters())
    assert own.keys() == saved.keys()
    for parameter, value in saved.items():
        assert torch.equal(own[parameter], value.float()), parameter


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_an_old_checkpoint_translates_and_is_traced(checkpoints: Path, name: str) -> None:
    translator = Translator.load(checkpoints / name)
    text = "t" if name == "short" else "The street is wide."
    best = translator.translate(text).best
    rows = translator.trace(text, best.tokens)[LOG_PROB]
    if name == "no-look-ahead-mask":  # a row would see what comes after it: a pass for each step
        passes = (translator.trace(text, best.tokens[: t + 1]) for t in range(len(best.tokens)))
        rows = np.stack([trace[LOG_PROB][-1] for trace in passes])
    said = np.take_along_axis(rows, np.array(best.tokens)[:, None], axis=1)
    assert said.sum() == pytest.approx(best.log_prob, abs=1e-4), "the search against one plain pass"
    if CHECKPOINTS[name].get("positions") == "none" or not CHECKPOINTS[name].get("look_ahead_mask", True):
        return  # PyTorch's Transformer is always masked here, and has positions
    source = torch.tensor([[*translator.source_ids(text), END_ID]])
    peer = TorchPeer(translator.checkpoint.model)(source, torch.tensor([[START_ID, *best.tokens[:-1]]]))
    np.testing.assert_allclose(rows, peer[0], atol=1e-5)


@pytest.mark.parametrize("name", STATUS)
def test_an_old_run_is_listed_opened_and_averaged(old_runs: Path, name: str) -> None:
    folder = RunFolder(old_runs / name)
    status = look(folder.path, [])
    assert status.status == STATUS[name]
    assert folder.saved_steps() == SAVED[name]
    assert status.saved == max(SAVED[name], default=0)
    assert status.steps == json.loads((folder.path / "request.json").read_text())["steps"]
    if not SAVED[name]:
        return
    for step in SAVED[name]:
        assert load_checkpoint(folder.step_folder(step)).step == step
    again = unpack_run(old_runs, pack_run(old_runs, name), "again")
    assert again.saved_steps() == SAVED[name][-1:]
    learnt = [step for step in SAVED[name] if step]
    if len(learnt) > 1:
        made = average_run(old_runs, name, len(learnt))
        mean = dict(
            load_checkpoint(old_runs / made.name / f"steps/{learnt[-1]:06d}").model.named_parameters()
        )
        parts = [load_file(folder.step_folder(step) / "model.safetensors") for step in learnt]
        for parameter, value in mean.items():
            expected = torch.stack([part[parameter].float() for part in parts]).mean(dim=0)
            torch.testing.assert_close(value, expected, rtol=1e-3, atol=1e-4)  # kept in float16


@pytest.mark.parametrize("name", [name for name in STATUS if name not in ("failed-early", "waiting")])
def test_the_curves_of_an_old_run_are_what_it_reported(old_runs: Path, name: str) -> None:
    metrics = old_runs / name / "metrics.jsonl"
    reports = [json.loads(line) for line in metrics.read_text().splitlines()]
    curves = CurveReader(metrics).read().by_name
    names = {what for one in reports for what in one} & {
        "loss",
        "nll",
        "learning_rate",
        "gradient_norm",
        "valid_nll",
    }
    assert names
    for what in names:
        reported = [(one["step"], one[what]) for one in reports if what in one]
        np.testing.assert_allclose(np.stack([curves[what].steps, curves[what].values], axis=1), reported)


def test_an_old_run_goes_on_to_its_end(old_runs: Path) -> None:
    folder = RunFolder(old_runs / "copy")
    worker.run(folder, device="cpu", say=lambda line: None)
    assert look(folder.path, []).status == "finished"
    steps = [one["step"] for one in map(json.loads, (folder.path / "metrics.jsonl").read_text().splitlines())]
    assert [step for step in dict.fromkeys(steps) if step] == list(range(1, 81))
    assert folder.last_saved_step() == 80


def test_an_old_download_is_taken_in(old_runs: Path) -> None:
    found = unpack_run(old_runs, (HERE / "download.zip").read_bytes(), "taken-in")
    assert found.saved_steps() == [0, 6]
    for step in found.saved_steps():
        for file in ("config.json", "model.safetensors", "tokenizer.json"):
            original = old_runs / "dates-pre" / f"steps/{step:06d}" / file
            assert (found.step_folder(step) / file).read_bytes() == original.read_bytes()
