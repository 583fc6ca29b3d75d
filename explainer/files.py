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
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
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
