"""The queue and the names, with processes that only sleep in the place of training."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from filelock import FileLock

from explainer.train.runs import engine as engine_module
from explainer.train.runs.engine import Engine
from explainer.train.runs.folder import LOCK, RunFolder
from explainer.train.runs.launch import Worker
from explainer.train.runs.locks import lock_on
from explainer.train.runs.names import RunError, check_name, free_name, run_folder, run_names
from tests.train.small import FILES, REPOSITORY, REQUEST, made, wait_until


def sleeping(folder: RunFolder, device: str, server: Path, slot: FileLock) -> Worker:
    """A worker that has the lock of the run and waits for a wish, without computing anything."""
    script = (
        "import sys, time; from pathlib import Path; from explainer.train.runs.locks import lock_on, is_held\n"
        "folder, server = map(Path, sys.argv[1:]); lock = lock_on(folder / 'run.lock', 9); lock.acquire()\n"
        "wish = lambda: (folder / 'control').read_text() if (folder / 'control').exists() else ''\n"
        "while not wish() and is_held(server): time.sleep(0.02)\n"
        'status = {"stop": "stopped"}.get(wish(), "paused")\n'
        """(folder / 'state.json').write_text('{"status": "%s", "step": 3}' % status)"""
    )
    command = [sys.executable, "-c", script, str(folder.path), str(server)]
    folder.write_state("starting", device=device)
    return Worker(folder, subprocess.Popen(command, cwd=REPOSITORY), slot)


Make = Callable[..., Engine]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Servers that share a folder of runs."""
    monkeypatch.setattr(engine_module, "launch", sleeping)
    made: list[Engine] = []

    def new(per_device: int = 1) -> Engine:
        made.append(Engine(tmp_path / "runs", per_device=per_device))
        return made[-1]

    yield new
    for engine in made:
        engine.close(seconds=30)


def begin(engine: Engine, *names: str) -> None:
    for name in names:
        engine.start(name, REQUEST, device="cpu", files=FILES)


def positions(engine: Engine) -> dict[str, tuple[str, int]]:
    return {status.name: (status.status, status.position) for status in engine.all()}


def test_one_run_at_a_time_in_the_order_of_asking_over_all_servers(make: Make) -> None:
    one, other = make(), make()
    begin(one, "a")
    begin(other, "b")
    begin(one, "c")
    expected = {"a": ("starting", 0), "b": ("queued", 1), "c": ("queued", 2)}
    assert positions(one) == positions(other) == expected
    one.stop("a")
    wait_until(lambda: positions(one) == {"a": ("stopped", 0), "b": ("starting", 0), "c": ("queued", 1)})
    other.pause("c")  # any server may do that
    assert positions(one)["c"] == ("paused", 0)
    assert not one.status("c").offered
    other.stop("b")
    wait_until(lambda: positions(other)["b"] == ("stopped", 0))
    other.resume("c")
    wait_until(lambda: positions(one)["c"] == ("starting", 0))


def test_the_queue_has_an_end(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "MAX_WAITING", 2)
    engine = make()
    begin(engine, "a", "b", "c")
    with pytest.raises(RunError, match="2 runs wait already, the limit is 2: stop one, or come back later"):
        begin(engine, "d")
    assert sorted(positions(engine)) == ["a", "b", "c"]
    engine.stop("b")
    begin(engine, "d")
    with pytest.raises(RunError, match="2 runs wait already"):
        engine.resume("b")
    assert positions(engine)["b"] == ("stopped", 0)


def test_runs_of_a_server_that_ended_make_room(make: Make) -> None:
    one, other = make(), make()
    begin(one, "a", "b")
    begin(other, "c")
    assert positions(other)["c"] == ("queued", 2)
    one.close(seconds=30)
    wait_until(lambda: positions(other)["c"][0] == "starting")
    assert positions(other)["b"] == ("interrupted", 0)
    assert {status.name for status in other.offered()} >= {"b"}


def test_more_than_one_at_a_time_if_so_wanted(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make(per_device=2)
    begin(engine, "a", "b", "c")
    assert [status for status, _ in positions(engine).values()].count("starting") == 2
    monkeypatch.setattr("torch.cuda.is_available", Mock(return_value=False))
    with pytest.raises(ValueError, match="device = 'cuda': this computer has no CUDA device"):
        engine.start("d", REQUEST, device="cuda", files=FILES)
    assert sorted(positions(engine)) == ["a", "b", "c"]


def test_what_a_run_that_is_active_refuses(make: Make) -> None:
    engine = make()
    begin(engine, "a", "b")
    for name, word in (("a", "starting|running"), ("b", "queued")):
        with pytest.raises(RunError, match=f"{name} is ({word}): stop it first"):
            engine.delete(name)
        with pytest.raises(RunError, match=f"{name} is ({word}): stop it first"):
            engine.rename(name, "z")
        with pytest.raises(RunError, match=f"{name} is ({word}): it cannot be resumed"):
            engine.resume(name)
    with pytest.raises(RunError, match="there is already a run called a"):
        begin(engine, "a")
    engine.stop("b")
    assert engine.rename("b", "z").name == "z"
    with pytest.raises(RunError, match="there is already a run called a"):
        engine.rename("z", "a")
    engine.delete("z")
    assert list(positions(engine)) == ["a"]
    with pytest.raises(RunError, match="there is no run called 'z'"):
        engine.delete("z")


REFUSED = (
    "",
    " ",
    "../x",
    "a/b",
    "a\\b",
    ".hidden",
    "-x",
    "a b",
    "x" * 41,
    "ü" * 41,
    "a\0b",
    "..",
    "con",
    "a:b",
    "😀",
)


def test_names_and_files_that_are_refused(make: Make, tmp_path: Path) -> None:
    engine = make()
    for name in REFUSED:
        with pytest.raises(RunError):
            check_name(name)
        with pytest.raises(RunError):
            begin(engine, name)
    for file in ("../x", "a/b", "/etc/x", ".x", "a\\b", ""):
        with pytest.raises(RunError, match="is not the name of a file"):
            engine.start("a", REQUEST, device="cpu", files={file: b"x"})
    assert engine.all() == []
    assert [path.name for path in engine.runs.iterdir()] == [".engine"]
    assert not (tmp_path / "x").exists()


def test_what_a_killed_server_left_goes_when_no_other_lives(make: Make) -> None:
    first = make()
    kept = [made(first.runs / name).path for name in (".engine/mine", ".mine", "run")]
    left = [made(first.runs / name).path for name in (".new-1", ".deleted-run", ".upload-2")]
    second = make()
    assert all(path.exists() for path in (*kept, *left))
    first.close()
    second.close()
    make()
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in left)


def test_names_that_can_be_had(tmp_path: Path) -> None:
    assert check_name("  Jörg-2_b ") == "Jörg-2_b"
    assert check_name("u\u0308bung") == "übung"
    assert free_name(tmp_path, "reverse") == "reverse"
    for name in ("Reverse", "reverse-2"):
        (tmp_path / name).mkdir()
    assert free_name(tmp_path, "reverse") == "reverse-3"
    (tmp_path / ("x" * 40)).mkdir()
    assert free_name(tmp_path, "x" * 40) == "x" * 38 + "-2"
    assert free_name(tmp_path / "none", "a") == "a"


def test_nothing_outside_the_folder_of_runs_is_touched(make: Make, tmp_path: Path) -> None:
    engine = make()
    outside = made(tmp_path / "outside").path
    (engine.runs / "link").symlink_to(outside)
    odd = ("x" * 256, "x" * 10**6, "\udcff", "\ud800", "a\0b", "ü" * 200)  # that no folder can be called
    for name in ("../outside", "link", str(outside), "..", ".", "", ".engine", "..\\outside", *odd):
        for act in (engine.delete, engine.stop, engine.resume, engine.status):
            with pytest.raises(RunError, match="there is no run called"):
                act(name)
        with pytest.raises(RunError):
            engine.rename(name, "mine")
    assert (outside / "request.json").exists()
    assert run_names(engine.runs) == []
    assert run_folder(tmp_path, "outside") == outside


def test_a_damaged_ticket_and_a_damaged_request_stop_nobody(make: Make) -> None:
    engine = make()
    (engine.runs / ".engine" / "queue" / "00.json").write_text("{")
    broken = made(engine.runs / "broken").path
    (broken / "request.json").write_text('{"corpus": ')
    begin(engine, "a")
    assert positions(engine) == {"a": ("starting", 0), "broken": ("failed", 0)}
    assert "request.json" in engine.status("broken").reason
    engine.delete("broken")


def test_a_number_that_was_given_to_another_process_fools_nobody(make: Make) -> None:
    """state.json says running, its process number is alive, but nobody has the lock."""
    engine = make()
    folder = made(engine.runs / "a")
    folder.write_state("running", step=7)
    assert folder.state()["pid"] == os.getpid()
    assert engine.status("a").status == "interrupted"
    with lock_on(folder.path / LOCK):
        assert engine.status("a").status == "running"
