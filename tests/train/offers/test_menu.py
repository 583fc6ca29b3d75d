"""What the Train page offers, runs that go on from a checkpoint, and that the small tasks are learnt.

One task is trained in every run of the tests; GLASSBOX_ALL_TASKS=1 trains all four (a minute of a core each).
"""

import dataclasses
import os
from pathlib import Path

import pytest
import torch

from explainer.checkpoints import CheckpointError, load_checkpoint
from explainer.files import PRETRAINED
from explainer.text.tasks import TASKS
from explainer.train.learning.data import TrainingData
from explainer.train.offers.menu import OFFERS, OWN, SIZES, TASK_REQUEST, continued, sized, task_files
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.status import look
from explainer.train.runs.worker import trainer_of
from explainer.translator.translator import Translator
from tests.train.small import REQUEST, made, metrics, run

TRANSLATOR = PRETRAINED / "translator"


@pytest.mark.parametrize("name", OFFERS)
def test_the_probe_sentence_and_the_validation_pairs_are_never_learnt(name: str) -> None:
    """The page says that the probe was not given to the model."""
    files = OFFERS[name].files(1)
    learnt, measured = (
        [line.split("\t") for line in files[file].decode().splitlines()]
        for file in ("corpus.tsv", "valid.tsv")
    )
    sources = {source for source, _ in learnt}
    assert OFFERS[name].probe not in sources
    assert not sources & {source for source, _ in measured}
    assert len(learnt) >= 20_000
    assert OFFERS[name].request.corpus in files
    assert OFFERS[name].request.valid in files
    assert OFFERS[name].files(1) == files
    if name in TASKS:  # the classroom sentences are the same for every seed
        assert OFFERS[name].files(2) != files
    else:
        assert f"{len(learnt):,} pairs" in OFFERS[name].about


@pytest.mark.parametrize("size", SIZES)
def test_a_size_changes_nothing_but_the_size(size: str) -> None:
    before, after = (dataclasses.asdict(request) for request in (TASK_REQUEST, sized(TASK_REQUEST, size)))
    changed = {name for name, value in after.items() if value != before[name]}
    assert changed <= {"d_model", "n_heads", "d_ff", "n_encoder_layers", "n_decoder_layers"}
    assert bool(changed) == (size != "medium")


def test_continuing_from_the_translator_begins_with_exactly_its_weights(tmp_path: Path) -> None:
    corpus = str(made(tmp_path / "run").path / "corpus.tsv")
    request = dataclasses.replace(continued(sized(OWN, "small"), TRANSLATOR), corpus=corpus, seed=7)
    translator = load_checkpoint(TRANSLATOR)
    data = TrainingData(request, translator.tokenizer)
    trainer = trainer_of(request, data, torch.device("cpu"), "float32")
    weights = dict(translator.model.named_parameters())
    assert weights.keys() == dict(trainer.model.named_parameters()).keys()
    for name, value in trainer.model.named_parameters():
        assert torch.equal(value, weights[name]), name
    assert request.peak < OWN.peak


def test_a_run_that_continues_saves_the_weights_and_the_vocabulary_it_began_with(tmp_path: Path) -> None:
    first = made(tmp_path / "first", dataclasses.replace(REQUEST, steps=6, save_every=6))
    run(first)
    begun = first.step_folder(6)
    request = dataclasses.replace(continued(REQUEST, begun), steps=3, save_every=3, seed=5)
    second = made(tmp_path / "second", request)
    (second.path / "corpus.tsv").write_text("Quite another thing.\tEtwas ganz anderes.\nX.\tY.\n")
    run(second)
    for name, after_3 in (("model.safetensors", False), ("tokenizer.json", True)):
        expected = (begun / name).read_bytes()
        assert (second.step_folder(0) / name).read_bytes() == expected
        assert ((second.step_folder(3) / name).read_bytes() == expected) == after_3


def test_a_model_of_another_size_cannot_be_continued(tmp_path: Path) -> None:
    request = dataclasses.replace(REQUEST, start=str(TRANSLATOR))
    folder = made(tmp_path / "run", request)
    with pytest.raises(CheckpointError, match=r"tensor .* has shape"):
        run(folder)
    found = look(folder.path, [])
    assert found.status == "failed"
    assert "has shape (256,), expected (8,)" in found.reason
    assert found.advice == "Put that right in a new run."


ALL = pytest.mark.skipif("GLASSBOX_ALL_TASKS" not in os.environ, reason="GLASSBOX_ALL_TASKS trains all tasks")


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", ["reverse", *(pytest.param(task, marks=ALL) for task in ("copy", "sort", "dates"))]
)
def test_a_task_is_learnt(task: str, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / task)
    folder.create(dataclasses.replace(TASK_REQUEST, save_every=TASK_REQUEST.steps))
    files = task_files(task)
    for name, content in files.items():
        (folder.path / name).write_bytes(content)
    run(folder)
    assert metrics(folder)[-1]["valid_exact"] >= 0.95

    translator = Translator.load(folder.step_folder(TASK_REQUEST.steps))
    pairs = [line.split("\t") for line in files["test.tsv"].decode().splitlines()[:40]]
    right = sum(translator.translate(source).text == target for source, target in pairs)
    assert right >= 38  # written by the model itself, and compared as text
    learnt = files["corpus.tsv"].decode().splitlines()
    assert not {f"{source}\t{target}" for source, target in pairs} & set(learnt)


def test_there_is_no_other_task() -> None:
    with pytest.raises(ValueError, match="task = 'double': must be one of copy, reverse, sort, dates"):
        task_files("double")
