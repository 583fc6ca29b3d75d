"""The folder of what is shipped; and files of which a reader never sees half: temporary file, fsync, rename."""

import json
import os
from pathlib import Path
from typing import Any

PRETRAINED = Path(__file__).parent.parent / "pretrained"  # a folder for each model, and `classroom`


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
