"""Where the files lie, and writing one so that a reader never sees half of it: temporary file, fsync, rename."""

import json
import os
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent
_WHEEL = (
    _PACKAGE / "beside"
).is_dir()  # what lies beside the package in a checkout lies inside it in a wheel
BESIDE = _PACKAGE / "beside" if _WHEEL else _PACKAGE.parent
PRETRAINED = BESIDE / "pretrained"
RUNS = Path(
    os.environ.get("GLASSBOX_RUNS") or (Path.home() / ".glassbox" if _WHEEL else BESIDE) / "runs"
).absolute()  # the processes that train have another working directory
UPLOAD_LIMIT_MB = 64  # `server.maxUploadSize` in .streamlit/config.toml is the same


def write_bytes(path: Path, content: bytes) -> None:
    """Put `content` at `path`; whoever reads it sees the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """`write_bytes` of indented JSON."""
    write_bytes(path, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def read_json(path: Path, limit: int = 2**16) -> Any:
    """The value in a JSON file of at most `limit` bytes.

    Raises:
        ValueError: it is larger, or no JSON.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"more than {limit:,} bytes")
    try:
        return json.loads(content.decode())
    except RecursionError as error:
        raise ValueError("nested too deep") from error
