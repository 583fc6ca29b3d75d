"""The small tasks are learnt: a model begins with random weights and ends with exact answers to new questions.

One task is trained in every run of the tests; GLASSBOX_ALL_TASKS=1 trains all four (a minute of a core each).
"""

import dataclasses
import os
from pathlib import Path

import pytest

from explainer.train.offers.menu import TASK_REQUEST, task_files
from explainer.train.runs.folder import RunFolder
from explainer.translator.translator import Translator
from tests.train.small import metrics, run

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
