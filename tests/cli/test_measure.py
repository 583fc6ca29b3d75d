"""`python -m explainer measure …`: small sizes; the same input gives the same file, and pages can read it."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from explainer.checkpoints import load_checkpoint
from explainer.train.learning.batches import Example
from explainer.train.learning.forcing import teacher_forced_nll
from explainer.train.offers.warmup import Recipe, load_experiment, warmup_run
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.record import load_record, record_of
from explainer.translator import Translator
from explainer.translator.moments import KeptMoments, keep
from tests.cli.conftest import TINY, Run, refused, written
from tests.conftest import SENTENCES

PAIRS = list(zip(SENTENCES[0::2], SENTENCES[1::2], strict=False))


LINES = [f"{source}\t{target}" for source, target in PAIRS]


def test_warmup(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "runs.json"
    assert run("measure", "warmup", "--out", out, "--seed", 5, "--steps", 2)[0] == 0
    found, recipe = load_experiment(out), Recipe(steps=2)
    assert (found.recipe, found.seeds) == (recipe, [5])
    again = warmup_run(recipe, "pre", 1, 5)
    kept = found.run("pre", warm=False, seed=5)
    assert kept.nll == pytest.approx(again.nll, rel=1e-3)  # four digits are kept
    assert kept.steps == again.steps


def test_widths(run: Run, tmp_path: Path) -> None:
    command = ["measure", "widths", "--corpus", written(tmp_path / "pairs.tsv", *LINES), "--budget", 300]
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        assert run(*command, "--sentences", 1, "--out", file)[0] == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    found, translator = json.loads(files[0].read_text()), Translator.load()
    assert (found["model"], found["sentences"], found["of"]) == (translator.digest, 1, 2)
    said = found["gnmt"]["4"]["log_prob"]
    best = [translator.translate(source).best.log_prob for source, _ in PAIRS]
    assert min(abs(said - one) for one in best) < 1e-3  # one of the two sentences, searched as the app does
    result = run(*command, "--sentences", 3, "--out", tmp_path / "no.json")
    refused(result, "2 sentences of 8 to 60 tokens, asked for 3")
    assert not (tmp_path / "no.json").exists()


@pytest.fixture
def trained(run: Run, tmp_path: Path) -> RunFolder:
    """A run of four steps, whose files lie in a folder of somebody."""
    (tmp_path / "somebody").mkdir()
    where = ["--corpus", written(tmp_path / "somebody" / "corpus.tsv", *LINES), "--runs-dir", tmp_path]
    assert run("train", *where, *TINY, "--max-tokens=80", "--steps", 4, "--save-every", 2)[0] == 0
    return RunFolder(tmp_path / "run")


def test_moments(run: Run, tmp_path: Path, trained: RunFolder) -> None:
    folders = [trained.step_folder(step) for step in (2, 4)]
    options = ["--sentence", SENTENCES[0], "--sentence", SENTENCES[2], "--out", tmp_path / "moments"]
    valid = written(tmp_path / "pairs.tsv", *LINES)
    assert run("measure", "moments", *folders, *options, "--valid", valid)[0] == 0
    found = KeptMoments.load(tmp_path / "moments")
    expected = keep(tmp_path / "same", folders, [SENTENCES[0], SENTENCES[2]], valid_nll={})
    assert (found.steps, found.pairs) == (expected.steps, expected.pairs)
    for pair in found.pairs:
        np.testing.assert_array_equal(found.at(2, pair).nats, expected.at(2, pair).nats)
    checkpoint = load_checkpoint(folders[0])
    examples = [Example(*map(checkpoint.tokenizer.encode, pair)) for pair in PAIRS]
    assert found.valid_nll[2] == pytest.approx(teacher_forced_nll(checkpoint.model, examples), abs=1e-4)
    refused(run("measure", "moments", tmp_path / "nowhere", *options), "nowhere: no such folder")


def test_training(run: Run, tmp_path: Path, trained: RunFolder) -> None:
    """The record names no folder of whoever trained."""
    assert run("measure", "training", trained.path, "--out", tmp_path / "model")[0] == 0
    found, kept = load_record(tmp_path / "model"), record_of(trained.path)
    assert found is not None
    np.testing.assert_allclose(found.rates, kept.rates, rtol=1e-8)
    assert found.request == dataclasses.replace(kept.request, corpus="corpus.tsv")
    refused(run("measure", "training", tmp_path, "--out", tmp_path / "model"), "not a run folder")
