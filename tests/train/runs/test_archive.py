"""Downloads and uploads of runs: what was packed comes back, and nothing that could do harm gets in."""

import dataclasses
import io
import json
import pickle
import stat
import struct
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from explainer.checkpoints import load_checkpoint, save_checkpoint
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.request import TrainRequest
from explainer.train.runs import archive
from explainer.train.runs.archive import pack_run, unpack_run
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.names import RunError
from explainer.train.runs.status import look
from tests.train.conftest import Save
from tests.train.small import zipped

ZEROS = b"0" * 400
REQUEST = TrainRequest(
    corpus="/home/teacher/corpus.tsv", valid="valid.tsv", mix="teacher.tsv", mix_share=0.1, steps=30
)


@pytest.fixture
def runs(save: Save) -> Path:
    """A folder with one run, which has saved three steps."""
    folder = save(0, 20, 30, name="mine")
    folder.write_request(REQUEST)
    for step in (0, 20, 30):
        folder.append({"step": step, "loss": 1.5})
    folder.write_state("finished", step=30)
    return folder.path.parent


def checkpoint(runs: Path, step: int = 30) -> dict[str, bytes]:
    """The three files of a checkpoint."""
    return {path.name: path.read_bytes() for path in (runs / "mine" / "steps" / f"{step:06d}").iterdir()}


def refused(runs: Path, content: bytes | dict[str, Any], message: str) -> None:
    """The upload, or the .zip of these files, is refused, and leaves nothing behind."""
    content = zipped(content) if isinstance(content, dict) else content
    before = sorted(runs.rglob("*"))
    with pytest.raises(RunError, match=message) as caught:
        unpack_run(runs, content, "new")
    assert ".new-" not in str(caught.value)
    assert sorted(runs.rglob("*")) == before
    assert [path.name for path in runs.parent.iterdir()] == ["runs"]


@pytest.mark.parametrize(("steps", "expected"), [(None, [30]), ([0, 20, 30], [0, 20, 30])])
def test_what_was_packed_comes_back(runs: Path, steps: list[int] | None, expected: list[int]) -> None:
    packed = pack_run(runs, "mine", steps)
    assert b"teacher" not in packed  # paths of this computer stay here
    with zipfile.ZipFile(io.BytesIO(packed)) as made:
        names = ("config.json", "model.safetensors", "tokenizer.json")
        weights = [f"steps/{step:06d}/{name}" for step in expected for name in names]
        assert sorted(made.namelist()) == ["metrics.jsonl", "request.json", *weights]
        assert json.loads(made.read("request.json"))["steps"] == 30
    folder = unpack_run(runs, packed, "copy")
    assert folder.saved_steps() == expected
    for step in expected:
        one, other = (load_checkpoint(f.step_folder(step)) for f in (folder, RunFolder(runs / "mine")))
        assert one.sha256 == other.sha256
    assert (folder.path / "metrics.jsonl").read_bytes() == (runs / "mine" / "metrics.jsonl").read_bytes()
    assert folder.request() == dataclasses.replace(REQUEST, corpus="", valid="", mix="")
    status = look(folder.path, [])
    assert (status.status, status.step, status.can_resume, status.offered) == ("finished", 30, False, False)


def test_a_checkpoint_folder_becomes_a_run(runs: Path) -> None:
    folder = unpack_run(runs, zipped(checkpoint(runs)), "new")
    assert folder.saved_steps() == [30]
    assert folder.request().d_ff == load_checkpoint(folder.step_folder(30)).model.config.d_ff
    assert look(folder.path, []).status == "finished"


def test_what_is_not_there_cannot_be_packed(runs: Path) -> None:
    with pytest.raises(RunError, match="there is no run called 'yours'"):
        pack_run(runs, "yours")
    with pytest.raises(RunError, match=r"mine has saved the steps \[0, 20, 30\], not \[7\]"):
        pack_run(runs, "mine", [7])
    with pytest.raises(RunError, match="already a run called mine"):
        unpack_run(runs, pack_run(runs, "mine"), "mine")
    with pytest.raises(RunError, match="the name holds '/'"):
        unpack_run(runs, pack_run(runs, "mine"), "a/b")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../outside.json", "leads out of the folder"),
        ("steps/../../outside.json", "leads out of the folder"),
        ("/etc/outside.json", "leads out of the folder"),
        ("..\\outside.json", "leads out of the folder"),
        ("C:/outside.json", "leads out of the folder"),
        ("model.pkl", "may hold a Python pickle"),
        ("pytorch_model.bin", "may hold a Python pickle"),
        ("steps/000030/model.PT", "may hold a Python pickle"),
        ("run.py", "is not a part of a run"),
        ("state.json", "is not a part of a run"),
        ("resume.safetensors", "is not a part of a run"),
        ("steps/000030/deep/config.json", "is not a part of a run"),
        ("steps/x/config.json", "is not a part of a run"),
    ],
)
def test_names_that_are_refused(runs: Path, name: str, message: str) -> None:
    refused(runs, {**checkpoint(runs), name: b"{}"}, message)


def test_a_link_and_a_file_that_is_there_twice_are_refused(runs: Path) -> None:
    link = zipfile.ZipInfo("config.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    for files, name, message in (
        ({}, link, "is a link or a device"),
        (checkpoint(runs), "config.json", "'config.json' is in the .zip twice"),
    ):
        packed = io.BytesIO(zipped(files))
        with warnings.catch_warnings(), zipfile.ZipFile(packed, "a") as made:
            warnings.simplefilter("ignore")
            made.writestr(name, "/etc/passwd")
        refused(runs, packed.getvalue(), message)


def test_a_bomb_is_refused_before_it_is_unpacked(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(runs, {"model.safetensors": bytes(50 * 2**20)}, "would unpack to .* times its size")
    many = {f"steps/{i:06d}/config.json": b"{}" for i in range(500)}
    refused(runs, many, "holds 500 files, the limit is 400")
    for name, size in (("config.json", 2**16), ("request.json", 2**16), ("tokenizer.json", 2**25)):
        refused(runs, {name: bytes(size + 1)}, f"'{name}' would have {size + 1:,} bytes, the limit is")
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1000)
    refused(runs, checkpoint(runs), "unpacked, the files would have 0 MB")


def test_a_bomb_that_lies_about_its_size_is_refused(runs: Path) -> None:
    """The table of contents says ten bytes; the packed data hold a megabyte."""
    packed = bytearray(zipped({"config.json": b"0" * 2**20}))
    for mark, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = packed.index(mark) + offset
        assert struct.unpack_from("<I", packed, place) == (2**20,)
        struct.pack_into("<I", packed, place, 10)
    refused(runs, bytes(packed), "'config.json' is (damaged|not as large)")


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04", pickle.dumps({"a": 1}), b"PK\x05\x06" + bytes(18)]
)
def test_what_is_no_zip_is_refused(runs: Path, content: bytes) -> None:
    refused(runs, content, "not a .zip file|the .zip is empty")


def test_an_upload_of_200_megabytes_is_refused(runs: Path) -> None:
    refused(runs, bytes(200 * 2**20), "the file has 200 MB, the limit is 64 MB")


def test_a_pickle_by_another_name_is_refused(runs: Path) -> None:
    torch_file = io.BytesIO()
    torch.save({"weights": torch.zeros(3)}, torch_file)
    for content in (pickle.dumps({"a": 1}), torch_file.getvalue()):
        files = {**checkpoint(runs), "model.safetensors": content}
        refused(runs, files, "not a complete safetensors file")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.json", b"{", "config.json: not JSON"),
        ("config.json", b'{"model": "other"}', "config.json: model = 'other'"),
        ("tokenizer.json", b"{}", "tokenizer.json: not a tokenizer"),
        ("request.json", b'{"corpus": 3, "steps": "many"}', "request.json"),
        ("request.json", b"[" * 100_000, "request.json"),
        ("metrics.jsonl", b'{"step": 1}\n{"loss": 2}\n', "metrics.jsonl, line 2"),
        ("metrics.jsonl", b'{"step": 1, "loss": "<script>"}\n', "metrics.jsonl, line 1"),
        ("metrics.jsonl", b'{"step": NaN}\n', "metrics.jsonl, line 1: step = nan: must be a whole number"),
        (
            "metrics.jsonl",
            b'{"step": 1, "nll": NaN}\n',
            "metrics.jsonl, line 1: 'nll' = nan: must be at least",
        ),
        ("metrics.jsonl", b'{"step": 1, "nll": 1%s}' % ZEROS, r"'nll' = 10+… .*: must be at most 1e\+40"),
        ("metrics.jsonl", b'{"step": -1}\n', "step = -1: must be at least 0"),
        ("metrics.jsonl", b"[" * 2**14, "metrics.jsonl, line 1: not JSON"),
        ("metrics.jsonl", b" " * 2**15, "metrics.jsonl, line 1: a line of 32,768 bytes, the limit is 16,384"),
        ("request.json", b'{"corpus": "", "steps": 1%s}' % ZEROS, r"request.json: steps = 10+… .* at most"),
        ("request.json", b'{"corpus": "", "peak": NaN}', "request.json: peak = nan: must be at least 0"),
        (
            "config.json",
            b'{"model": "transformer", "vocab_size": 9, "step": 1%s}' % ZEROS[:30],
            "step = 10+: must",
        ),
        ("model.safetensors", None, "model.safetensors: missing"),
        ("steps/000020/config.json", b"{}", "both a lone checkpoint and the steps of a run"),
    ],
)
def test_files_that_are_not_what_they_say(runs: Path, name: str, content: bytes | None, message: str) -> None:
    files = {**checkpoint(runs), name: content}
    refused(runs, {name: content for name, content in files.items() if content is not None}, message)


def test_a_step_under_a_wrong_number_is_refused(runs: Path) -> None:
    files = {f"steps/000007/{name}": content for name, content in checkpoint(runs).items()}
    refused(runs, files, "steps/000007 holds the weights of step 30")


def test_weights_of_another_model_are_refused(runs: Path, tmp_path: Path, tokenizer: Tokenizer) -> None:
    other = TransformerConfig(vocab_size=len(tokenizer), d_model=8, n_heads=2, d_ff=4)
    save_checkpoint(tmp_path / "runs" / ".other", Transformer(other), tokenizer, step=30)
    weights = (tmp_path / "runs" / ".other" / "model.safetensors").read_bytes()
    files = {**checkpoint(runs), "model.safetensors": weights}
    refused(runs, files, "tensor .* has shape|is missing|not part")
