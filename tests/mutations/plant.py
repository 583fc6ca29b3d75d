"""Planted bugs: does the suite notice each of them?

    python tests/mutations/plant.py [--only NAME] [--jobs N] [--list]

`bugs.toml` lists them: a piece of the package's text that occurs once, what stands there instead, and tests of which
one must fail then. Files and tests are found by searching, so the list outlives a move. All happens in a copy of the
tree: first the named tests must pass as it is, then each bug is planted alone.
"""

import argparse
import ast
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

ROOT = Path(__file__).parents[2]
SECONDS = 300  # for the tests of one bug: what takes longer counts as not caught


@dataclass(frozen=True)
class Bug:
    """A bug of the list: the right and the wrong text, the file that holds it, and its tests as pytest names them."""

    name: str
    old: str
    new: str
    path: Path
    tests: tuple[str, ...]


def found_bugs(listed: list[dict[str, Any]]) -> list[Bug]:
    """File and tests of each bug; SystemExit tells all that is not found, or not in one place only."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "explainer").rglob("*.py"))}
    known: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            inside, among = (node.body, f"::{node.name}") if isinstance(node, ast.ClassDef) else ([node], "")
            for test in (one for one in inside if isinstance(one, ast.FunctionDef)):
                where = f"{path.relative_to(ROOT).as_posix()}{among}::{test.name}"
                known.setdefault(test.name, []).append(where)
    found, problems = [], []
    for bug in listed:
        places = [path for path, text in texts.items() for _ in range(text.count(bug["old"]))]
        if len(places) != 1:
            problems.append(f"{bug['name']}: its text is found {len(places)} times {list(map(str, places))}")
        problems += [f"{bug['name']}: no test is called {name}" for name in bug["tests"] if name not in known]
        tests = tuple(test for name in bug["tests"] for test in known.get(name, ()))
        for path in places:  # what is no Python would be noticed by anything
            compile(texts[path].replace(bug["old"], bug["new"]), bug["name"], "exec")
        found += [Bug(**bug | {"path": path.relative_to(ROOT), "tests": tests}) for path in places]
    if problems:
        raise SystemExit("\n".join(problems))
    return found


def copied(folder: Path) -> Path:
    """A copy of what git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def ran(tree: Path, *arguments: str, seconds: float | None = None) -> tuple[int, str]:
    """Pytest's exit status in a copy and what it printed; −1 after so many seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"PYTHONPATH": str(tree), "CI": "1"}  # CI: hypothesis tries the same each time
    printed, error = tree / "printed.txt", subprocess.STDOUT
    with printed.open("w") as file, contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(command, cwd=tree, env=environment, stdout=file, stderr=error, timeout=seconds)
        return done.returncode, printed.read_text(encoding="utf-8")
    return -1, ""


def tried(bug: Bug, trees: SimpleQueue[Path]) -> tuple[bool, str]:
    """Plant a bug in a free copy and run its tests: whether it was caught, and the line of the table."""
    tree = trees.get()
    started, right = time.perf_counter(), (tree / bug.path).read_text(encoding="utf-8")
    _write(tree / bug.path, right.replace(bug.old, bug.new))
    status, printed = ran(tree, "-x", *bug.tests, seconds=SECONDS)
    _write(tree / bug.path, right)
    trees.put(tree)
    failed = re.search(r"^(?:FAILED|ERROR) \S+::(test_\w+)", printed, re.MULTILINE) if status == 1 else None
    what = failed[1] if failed else {0: "", -1: "too slow"}.get(status, "the tests do not even begin")
    cells = bug.name, bug.path, len(bug.tests), "yes" if failed else "**NO**"
    return failed is not None, " | ".join(map(str, (*cells, round(time.perf_counter() - started), what)))


def _write(path: Path, text: str) -> None:
    """Python knows its compiled file by size and second alone, so that must go."""
    path.write_text(text, encoding="utf-8")
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def main() -> int:
    """Print the table; 1 if a bug was not caught."""
    parser = argparse.ArgumentParser(description="Plant bugs in a copy of the tree and see which tests fail.")
    parser.add_argument("--only", metavar="NAME", default="", help="the bugs whose names hold this text")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="bugs tried at the same time")
    parser.add_argument("--list", action="store_true", help="only look whether files and tests are found")
    options = parser.parse_args()
    listed = tomllib.loads(Path(__file__).with_name("bugs.toml").read_text(encoding="utf-8"))["bug"]
    bugs = found_bugs([bug for bug in listed if options.only in bug["name"]])
    if options.list:
        _say(*(f"{bug.name} | {bug.path} | {' '.join(bug.tests)}" for bug in bugs))
        return 0
    started, caught = time.perf_counter(), 0
    trees: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="planted-") as folder, ThreadPoolExecutor(options.jobs) as pool:
        copies = [copied(Path(folder) / str(job) / "tree") for job in range(options.jobs)]
        tests = dict.fromkeys(test for bug in bugs for test in bug.tests)
        status, printed = ran(copies[0], *tests)
        if status:
            raise SystemExit(printed)
        for tree in copies:
            trees.put(tree)
        _say(f"nothing planted, {len(tests)} tests: {printed.splitlines()[-1]}", "")
        _say("planted | file | tests | caught | seconds | first to fail", "---|---|---:|---|---:|---")
        for is_caught, line in pool.map(lambda bug: tried(bug, trees), bugs):
            caught += is_caught
            _say(line)
    _say("", f"{caught} of {len(bugs)} caught, {time.perf_counter() - started:.0f} s")
    return int(caught < len(bugs))


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
