"""`python -m explainer measure …`: small sizes; the same input gives the same file, and pages can read it."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from explainer.checkpoints import load_checkpoint
from explainer.cli.commands import main
from explainer.train.learning.batches import Example
from explainer.train.learning.forcing import teacher_forced_nll
from explainer.train.offers.warmup import Recipe, load_experiment, warmup_run
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.record import load_record, record_of
from explainer.translator import Translator
from explainer.translator.moments import KeptMoments, keep
from tests.conftest import SENTENCES

PAIRS = list(zip(SENTENCES[0::2], SENTENCES[1::2], strict=False))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS), encoding="utf-8")
    return path


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["measure", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_warmup(tmp_path: Path) -> None:
    out = tmp_path / "runs.json"
    assert main(["measure", "warmup", "--out", str(out), "--seed", "5", "--steps", "2"]) == 0
    found, recipe = load_experiment(out), Recipe(steps=2)
    assert (found.recipe, found.seeds) == (recipe, [5])
    again = warmup_run(recipe, "pre", 1, 5)
    kept = found.run("pre", warm=False, seed=5)
    assert kept.nll == pytest.approx(again.nll, rel=1e-3)  # four digits are kept
    assert kept.steps == again.steps


def test_widths(tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["measure", "widths", "--corpus", str(corpus), "--sentences", "1", "--budget", "300"]
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        assert main([*command, "--out", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    found, translator = json.loads(files[0].read_text()), Translator.load()
    assert (found["model"], found["sentences"], found["of"]) == (translator.digest, 1, 2)
    said = found["gnmt"]["4"]["log_prob"]
    best = [translator.translate(source).best.log_prob for source, _ in PAIRS]
    assert min(abs(said - one) for one in best) < 1e-3  # one of the two sentences, searched as the app does
    capsys.readouterr()
    err = refused(capsys, *command[1:4], "--sentences", 3, "--out", tmp_path / "no.json")
    assert "2 sentences of 8 to 60 tokens, asked for 3" in err
    assert not (tmp_path / "no.json").exists()


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run of four steps, whose files lie in a folder of somebody."""
    (tmp_path / "somebody").mkdir()
    corpus = tmp_path / "somebody" / "corpus.tsv"
    corpus.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS), encoding="utf-8")
    options = "--vocab-size 290 --d-model 8 --n-heads 2 --d-ff 16 --n-encoder-layers 1 --n-decoder-layers 1"
    options += " --steps 4 --save-every 2 --max-tokens 80 --warmup 2 --precision float32 --device cpu"
    where = ["--corpus", str(corpus), "--runs-dir", str(tmp_path), "--name", "run"]
    assert main(["train", *where, *options.split()]) == 0
    return RunFolder(tmp_path / "run")


def test_moments(tmp_path: Path, run: RunFolder, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [run.step_folder(step) for step in (2, 4)]
    sentences = ["--sentence", SENTENCES[0], "--sentence", SENTENCES[2]]
    out = tmp_path / "moments"
    command = ["measure", "moments", *map(str, folders), *sentences, "--valid", str(corpus)]
    assert main([*command, "--out", str(out)]) == 0
    found, expected = (
        KeptMoments.load(out),
        keep(tmp_path / "same", folders, [SENTENCES[0], SENTENCES[2]], valid_nll={}),
    )
    assert (found.steps, found.pairs) == (expected.steps, expected.pairs)
    for pair in found.pairs:
        np.testing.assert_array_equal(found.at(2, pair).nats, expected.at(2, pair).nats)
    checkpoint = load_checkpoint(folders[0])
    examples = [Example(*map(checkpoint.tokenizer.encode, pair)) for pair in PAIRS]
    assert found.valid_nll[2] == pytest.approx(teacher_forced_nll(checkpoint.model, examples), abs=1e-4)
    capsys.readouterr()
    assert "nowhere: no such folder" in refused(
        capsys, *command[1:2], tmp_path / "nowhere", *command[4:6], "--out", out
    )


def test_training(tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    """The record names no folder of whoever trained."""
    assert main(["measure", "training", str(run.path), "--out", str(tmp_path / "model")]) == 0
    found, kept = load_record(tmp_path / "model"), record_of(run.path)
    assert found is not None
    np.testing.assert_allclose(found.rates, kept.rates, rtol=1e-8)
    assert found.request == dataclasses.replace(kept.request, corpus="corpus.tsv")
    capsys.readouterr()
    assert "not a run folder" in refused(capsys, "training", tmp_path / "model", "--out", tmp_path / "model")
