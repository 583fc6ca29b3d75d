"""Runs as .zip files: packed for download, and unpacked from an upload that nobody needs to trust.

Only JSON and safetensors are let in. An upload is checked from its table of contents before a byte is unpacked, is
unpacked with the sizes counted, lies in a folder of its own until every file in it was read and found good, and only
then becomes a run.
"""

import dataclasses
import io
import json
import re
import stat
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from explainer.checkpoints import LIMITS, SIZE_LIMIT, load_checkpoint
from explainer.files import UPLOAD_LIMIT_MB
from explainer.train.learning.request import PATHS, TrainRequest
from explainer.train.runs.folder import RunFolder, hidden_run, make_room
from explainer.train.runs.names import RunError, new_folder, run_folder
from explainer.train.runs.queue import Queue
from explainer.train.runs.reports import read_report

MAX_UPLOAD = UPLOAD_LIMIT_MB * 2**20  # bytes of a file that a visitor uploads, pairs or run
MAX_UNPACKED = 600 * 2**20  # bytes of all files in it
MAX_RATIO = 50  # unpacked to packed size of a file; weights hardly shrink, and metrics about fivefold
MAX_FILES = 400
_LIMITS = {**LIMITS, "request.json": 2**16, "metrics.jsonl": 128 * 2**20}  # bytes of a file, by its name
_RATIO_FREE = 2**20  # bytes that a file may unpack to, whatever the ratio
_CHECKPOINT = r"(config\.json|tokenizer\.json|model\.safetensors)"
_ALLOWED = re.compile(rf"(request\.json|metrics\.jsonl|(steps/[0-9]{{1,9}}/)?{_CHECKPOINT})")
_PICKLES = (".pkl", ".pickle", ".pt", ".pth", ".bin", ".ckpt", ".joblib", ".npy", ".npz")


def pack_run(runs: Path, name: str, steps: list[int] | None = None) -> bytes:
    """A .zip of a run: its request, its metrics and the weights of some steps, of the last one if none are named.

    Raises:
        RunError: there is no such run or step.
    """
    folder = RunFolder(run_folder(runs, name))
    saved = folder.saved_steps()
    wanted = saved[-1:] if steps is None else steps
    if not wanted or not set(wanted) <= set(saved):
        raise RunError(f"{name} has saved the steps {saved}, not {wanted}")
    paths = [folder.path / "metrics.jsonl"]
    for step in wanted:
        paths += sorted(folder.step_folder(step).iterdir())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("request.json", json.dumps(dataclasses.asdict(without_paths(folder.request()))))
        for path in paths:
            inside = path.relative_to(folder.path).as_posix()
            if path.is_file() and _ALLOWED.fullmatch(inside):
                archive.write(path, inside)
    return packed.getvalue()


def unpack_run(runs: Path, content: bytes, name: str) -> RunFolder:
    """Make a run of an uploaded .zip: one that `pack_run` made, or a checkpoint folder (three files).

    The run counts as finished: it can be looked at, selected and averaged, but not resumed.

    Raises:
        RunError: the file is not such a .zip, too large, or may do harm; the message says what is wrong with it.
    """
    path = new_folder(runs, name)
    if len(content) > MAX_UPLOAD:
        raise RunError(f"the file has {len(content) / 2**20:.0f} MB, the limit is {MAX_UPLOAD // 2**20} MB")
    runs.mkdir(parents=True, exist_ok=True)
    make_room(runs)
    with hidden_run(runs) as hidden:
        try:
            with open_zip(content) as archive:
                for member in checked_members(archive):
                    lone = re.fullmatch(_CHECKPOINT, member.filename)  # becomes the only step of a run
                    target = hidden.path / ("steps/checkpoint" if lone else "") / member.filename
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(read_member(archive, member, MAX_UNPACKED))
            _complete(hidden)
        except ValueError as error:
            raise RunError(str(error).replace(f"{hidden.path}/", "")) from error
        with Queue(runs).lock:
            return RunFolder(hidden.path.rename(new_folder(runs, path.name)))


def open_zip(content: bytes) -> zipfile.ZipFile:
    """The archive; RunError if it is none."""
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error) as error:
        raise RunError(f"this is not a .zip file that can be read ({error})") from error


def checked_members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of an archive, if its table of contents holds nothing but what a run is made of; RunError if not."""
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() or member.file_size or _escapes(member.filename)
    ]
    if not members:
        raise RunError("the .zip is empty")
    if len(archive.infolist()) > MAX_FILES:
        raise RunError(f"the .zip holds {len(archive.infolist()):,} files, the limit is {MAX_FILES}")
    total = sum(member.file_size for member in members)
    if total > MAX_UNPACKED:
        raise RunError(
            f"unpacked, the files would have {total / 2**20:,.0f} MB, the limit is {MAX_UNPACKED // 2**20} MB"
        )
    for member in members:
        _check_member(member)
    names = [member.filename for member in members]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RunError(f"{twice!r} is in the .zip twice")
    return members


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    """The content of a file in an archive; RunError if it is damaged or larger than it says, or than `limit`."""
    if member.file_size > limit:
        raise RunError(
            f"{member.filename!r} would have {member.file_size / 2**20:,.0f} MB, the limit is {limit // 2**20} MB"
        )
    try:
        with archive.open(member) as file:
            content = file.read(member.file_size + 1)
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, NotImplementedError) as error:
        raise RunError(f"{member.filename!r} is damaged or encrypted ({error})") from error
    except Exception as error:  # zlib.error, lzma.LZMAError: each packing has its own
        raise RunError(f"{member.filename!r} is damaged ({error})") from error
    if len(content) != member.file_size:
        raise RunError(f"{member.filename!r} is not as large as the .zip says")
    return content


def _escapes(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\0" in name


def _check_member(member: zipfile.ZipInfo) -> None:
    name, mode = member.filename, member.external_attr >> 16
    if _escapes(name):
        raise RunError(f"{name!r} leads out of the folder of the run")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise RunError(f"{name!r} is a link or a device, not a file")
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RunError(f"{name!r} is encrypted or packed in an unusual way")
    if name.lower().endswith(_PICKLES):
        raise RunError(
            f"{name!r} may hold a Python pickle, which can execute code: only safetensors and JSON"
        )
    if not _ALLOWED.fullmatch(name):
        raise RunError(f"{name!r} is not a part of a run or of a checkpoint")
    limit = _LIMITS.get(PurePosixPath(name).name, SIZE_LIMIT)
    if member.file_size > limit:
        raise RunError(f"{name!r} would have {member.file_size:,} bytes, the limit is {limit:,}")
    if member.file_size > max(_RATIO_FREE, MAX_RATIO * member.compress_size):
        times = member.file_size / max(1, member.compress_size)
        raise RunError(
            f"{name!r} would unpack to {times:,.0f} times its size, the limit is {MAX_RATIO} times"
        )


def _complete(folder: RunFolder) -> None:
    """Check all files, and add what a run needs besides."""
    lone = folder.path / "steps" / "checkpoint"
    if lone.is_dir():
        if folder.saved_steps():
            raise RunError("the .zip holds both a lone checkpoint and the steps of a run")
        step = load_checkpoint(lone).step
        lone.rename(folder.step_folder(step))
    steps = folder.saved_steps()
    if not steps:
        raise RunError("the .zip holds no weights (model.safetensors)")
    for found in (folder.path / "steps").iterdir():
        checkpoint = load_checkpoint(found)
        if found != folder.step_folder(checkpoint.step):
            raise RunError(f"steps/{found.name} holds the weights of step {checkpoint.step}")
    if not (folder.path / "request.json").exists():
        config = load_checkpoint(folder.step_folder(steps[-1])).model.config.to_json()
        known = {key: value for key, value in config.items() if key != "max_positions"}
        folder.write_request(TrainRequest(corpus="", steps=max(1, steps[-1]), **known))
    folder.write_request(without_paths(folder.request()))
    metrics = folder.path / "metrics.jsonl"
    if metrics.exists():
        with metrics.open("rb") as lines:
            _check_metrics(lines)
    folder.write_state("finished", step=steps[-1], device="", origin="upload")


def without_paths(request: TrainRequest) -> TrainRequest:
    """The request without the paths in it: they say nothing on another computer, and are nobody's business there."""
    return dataclasses.replace(request, **dict.fromkeys(PATHS, ""))


def _check_metrics(lines: Iterable[bytes]) -> None:
    for number, line in enumerate(lines, start=1):
        try:
            read_report(line)
        except ValueError as error:
            raise RunError(f"metrics.jsonl, line {number}: {error}") from error
