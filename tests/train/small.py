"""A run that is over in seconds, how to make it, and how to watch it."""

import dataclasses
import io
import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from explainer.checkpoints import load_checkpoint
from explainer.train.learning.request import TrainRequest
from explainer.train.runs import worker
from explainer.train.runs.faults import NotFiniteError
from explainer.train.runs.folder import RunFolder

PAIRS = (
    b"The street is wide.\tDie Stra\xc3\x9fe ist breit.\nThe animal is tired.\tDas Tier ist m\xc3\xbcde.\n"
    b"She is tired.\tSie ist m\xc3\xbcde.\nHow are you?\tWie geht es dir?\nGo.\tGeh.\nThank you.\tDanke.\n"
)
FILES = {"corpus.tsv": PAIRS, "valid.tsv": PAIRS}
REQUEST = TrainRequest(
    corpus="corpus.tsv", valid="valid.tsv", vocab_size=300, concatenated=0.4, d_model=8, n_heads=2, d_ff=16,
    n_encoder_layers=1, n_decoder_layers=1, steps=400, warmup=10, max_tokens=30, precision="float32", save_every=25,
)  # fmt: skip
LONG = dataclasses.replace(REQUEST, steps=1_000_000, save_every=1000)  # it ends when it is told to
REPOSITORY = Path(__file__).parents[2]


def zipped(files: dict[str, Any]) -> bytes:
    """These files as a .zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def made(path: Path, request: TrainRequest = REQUEST) -> RunFolder:
    """The folder of a run that nobody has begun."""
    folder = RunFolder(path)
    folder.create(request)
    for name, content in FILES.items():
        (path / name).write_bytes(content)
    return folder


def run(folder: RunFolder, say: Callable[[str], None] = lambda line: None) -> RunFolder:
    """Train in this process."""
    worker.run(folder, device="cpu", say=say)
    return folder


def run_wild(folder: RunFolder, start: int, rate: float) -> str:
    """Train with the learning rate `rate` from the step `start` on, until the error that comes of it: what it says."""
    asked = worker.learning_rate_of(folder.request())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            worker, "learning_rate_of", lambda _: lambda step: asked(step) if step < start else rate
        )
        with pytest.raises(NotFiniteError) as raised:
            run(folder)
    return str(raised.value)


def metrics(folder: RunFolder) -> list[dict[str, Any]]:
    """The reports so far, as far as they are complete."""
    path = folder.path / "metrics.jsonl"
    reports = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            reports.append(json.loads(line))
        except ValueError:
            break  # is being written
    return reports


def last_step(folder: RunFolder) -> int:
    """The step of the last report; 0 if there is none."""
    return max((report["step"] for report in metrics(folder)), default=0)


def wait_until(true: Callable[[], bool], seconds: float = 400.0) -> None:
    """Look every few milliseconds; a failure if it takes too long."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def resumed(folder: RunFolder) -> dict[str, Tensor]:
    """What the run would go on from."""
    found = folder.load_resume()
    assert found is not None
    return found


def assert_same(one: RunFolder, other: RunFolder) -> None:
    """Two runs have the same results, bit for bit: weights, optimiser, random numbers, and all that they reported."""
    expected, found = resumed(one), resumed(other)
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        assert torch.equal(found[name], value), name
    reports = [[{**report, "seconds": 0.0} for report in metrics(folder)] for folder in (one, other)]
    assert reports[0] == reports[1]
    last = one.last_saved_step()
    mine, theirs = (load_checkpoint(folder.step_folder(last)) for folder in (one, other))
    for name, value in mine.model.named_parameters():
        assert torch.equal(theirs.model.get_parameter(name), value), name
