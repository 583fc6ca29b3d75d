"""Names of runs: a name is the name of a folder, typed by anybody who can open the page."""

import os
import unicodedata
from pathlib import Path

MAX_LENGTH = 40  # characters
_MAX_BYTES = 120
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


class RunError(ValueError):
    """Something that cannot be done with a run; the message says why, for the visitor who wanted it."""


def check_name(name: str) -> str:
    """The name as a folder may have it on every system.

    Raises:
        RunError: it is empty, too long, or holds anything but letters, digits, "-" and "_".
    """
    name = unicodedata.normalize("NFC", name.strip())
    if not name:
        raise RunError("the run needs a name")
    if len(name) > MAX_LENGTH or len(name.encode()) > _MAX_BYTES:
        raise RunError(f"the name has {len(name)} characters, the limit is {MAX_LENGTH}")
    wrong = next((char for char in name if not (char.isalnum() or char in "-_")), None)
    if wrong is not None:
        raise RunError(f"the name holds {wrong!r}: letters, digits, “-” and “_” can be used")
    if not name[0].isalnum():
        raise RunError(f"the name begins with {name[0]!r}: begin with a letter or a digit")
    if name.lower() in _RESERVED:
        raise RunError(f"{name} is a name that Windows keeps for itself")
    return name


def free_name(runs: Path, wanted: str) -> str:
    """The name `wanted`; if there is such a run already, the first free one of `wanted-2`, `wanted-3` and so on."""
    wanted = check_name(wanted)
    taken = {path.name.casefold() for path in runs.iterdir()} if runs.is_dir() else set()
    if wanted.casefold() not in taken:
        return wanted
    count = 2
    while (name := f"{wanted[: MAX_LENGTH - len(str(count)) - 1]}-{count}").casefold() in taken:
        count += 1
    return name


def new_folder(runs: Path, name: str) -> Path:
    """The folder that a new run of this name gets; RunError if the name cannot be used or is taken."""
    path = runs / check_name(name)
    if path.exists():
        raise RunError(f"there is already a run called {path.name}: choose another name")
    return path


def run_folder(runs: Path, name: str) -> Path:
    """The folder of a run that exists.

    Raises:
        RunError: there is none of this name right inside `runs`; a link to elsewhere is none.
    """
    path = runs / name
    plain = name not in ("", ".", "..") and not name.startswith(".") and not set("/\\\0") & set(name)
    if not plain or not _is_text(name) or not _is_run(path):
        raise RunError(f"there is no run called {name[:60]!r}")
    return path


def _is_run(path: Path) -> bool:
    try:
        return not path.is_symlink() and (path / "request.json").is_file()
    except OSError:  # the name is too long for a folder, or the folder is closed to us
        return False


def _is_text(name: str) -> bool:
    """Whether a folder's name is UTF-8: if not, Python makes half surrogate pairs of it, which no page can show."""
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def run_names(runs: Path) -> list[str]:
    """The names of all runs, those begun last first; a folder whose name is no UTF-8 is none."""
    paths = runs.iterdir() if runs.is_dir() else ()
    found = [path for path in paths if path.name[0] != "." and _is_text(path.name) and _is_run(path)]
    begun = {path.name: (path / "request.json").stat().st_mtime for path in found}
    return sorted(begun, key=lambda name: (-begun[name], name))


def odd_names(runs: Path) -> list[str]:
    """The names of folders that are no UTF-8, with a sign for what cannot be shown."""
    paths = runs.iterdir() if runs.is_dir() else ()
    found = sorted(os.fsencode(path.name) for path in paths if not _is_text(path.name))
    return [name.decode(errors="replace") for name in found]
