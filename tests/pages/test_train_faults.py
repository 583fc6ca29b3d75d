"""What the page Train says of bad uploads and names, and of runs that something happened to.

What somebody put into the folder of runs must not take the page from everybody.
"""

import dataclasses
import json
import os
import pickle
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explainer.model.transformer import Transformer
from explainer.pages.frame import engine as train_engine
from explainer.pages.train import start
from explainer.text.tokenizer import Tokenizer
from explainer.train.runs import corpus_upload
from explainer.train.runs.archive import pack_run
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.names import run_names
from tests.conftest import randomized
from tests.pages.app import array, figure, has_button, link_of, opened_on, said
from tests.train.small import FILES, REQUEST, last_step, made, run, run_wild, wait_until, zipped

OWN, UPLOAD = "your own pairs", "a run from a file"
MANY = "".join(f"One {i}.\tEins {i}.\n" for i in range(30))
TSV, ZIP = "text/tab-separated-values", "application/zip"


GOOD = {"step": 1, "epoch": 0, "loss": 5.5, "nll": 4.5, "learning_rate": 1e-3, "gradient_norm": 2.0,
        "n_tokens": 200, "seconds": 0.5}  # fmt: skip
HUGE = 10**400


def texts(app: AppTest) -> str:
    assert not app.exception
    return said(app).replace("\\", "")


def train_page(task: str) -> AppTest:
    app = opened_on("train")
    return app.button_group(key="task").set_value(task).run()


def test_pairs_that_cannot_be_learnt_from_are_refused_with_the_reason(runs: Path) -> None:
    app = train_page(OWN)
    assert (
        app.file_uploader(key="own-pairs").proto.max_upload_size_mb == 64
    )  # as the server (see tests/train)
    for content, name, reason in (
        (b"", "x.tsv", "the file is empty"),
        (b"Go.\tGeh.\n", "x.tsv", "one sentence pair only"),
        (b"word " * 5000 + b"\tb\n" + MANY.encode(), "x.tsv", "line 1: a sentence of 5,000 words"),
        (pickle.dumps({"a": 1}), "x.tsv", "the file is no text"),
        (zipped({"a.txt": bytes(120 * 2**20)}), "x.zip", "would have 120 MB, the limit is 100 MB"),
    ):
        app.file_uploader(key="own-pairs").set_value((name, content, TSV)).run()
        assert re.search(f"This file cannot be learnt from:.*{reason}", texts(app)), name
        assert not has_button(app, "start")
    app.file_uploader(key="own-pairs").set_value(("mine.tsv", f"{MANY}no tab\n".encode(), TSV)).run()
    assert "30 sentence pairs were read." in texts(app)
    assert "1 line holds no pair: line 31" in texts(app)
    assert has_button(app, "start")  # the report comes before the training
    assert run_names(runs) == []


def test_runs_and_names_that_could_do_harm_are_refused_with_the_reason(runs: Path, tmp_path: Path) -> None:
    app = opened_on("train")
    app.text_input(key="name-reverse").set_value("../outside").run()
    app.button(key="start").click().run()
    assert re.search("The run was not started:.*the name holds", texts(app))
    app = train_page(UPLOAD)
    assert app.file_uploader(key="run-zip").proto.max_upload_size_mb == 64
    for content, reason in (
        (zipped({"../outside.json": b"{}"}), "leads out of the folder of the run"),
        (zipped({"model.pkl": pickle.dumps({"a": 1})}), "may hold a Python pickle"),
        (zipped({"model.safetensors": bytes(50 * 2**20)}), "times its size, the limit is 50 times"),
        (pickle.dumps({"a": 1}), "this is not a .zip file"),
    ):
        app.file_uploader(key="run-zip").set_value(("run.zip", content, ZIP)).run()
        app.button(key="take-in").click().run()
        assert re.search(f"This file was refused:.*{reason}", texts(app))
    assert run_names(runs) == []
    assert not list(tmp_path.glob("outside*"))


def test_a_damaged_shipped_translator_is_told(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "PRETRAINED", tmp_path)
    app = train_page("classroom")
    app.toggle(key="continue").set_value(True).run()
    assert re.search("The shipped translator cannot be used:.*config.json: missing", texts(app))
    assert not has_button(app, "start")
    app.toggle(key="continue").set_value(False).run()
    assert has_button(app, "start")


def test_more_pairs_can_be_mixed_in(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `train --mix FILE:SHARE`; what is held back to measure the loss is not learnt from the second file either."""
    begun: list[Any] = []
    read: list[str] = []
    monkeypatch.setattr(start, "begin", lambda *asked: begun.append(asked))
    check = corpus_upload.check_corpus
    monkeypatch.setattr(corpus_upload, "check_corpus", lambda *asked: read.append(asked[1]) or check(*asked))
    app = train_page(OWN)
    app.file_uploader(key="own-pairs").set_value(("own.tsv", MANY.encode(), TSV)).run()
    app.file_uploader(key="own-mix").set_value(("mix.tsv", b"no tab\n", TSV)).run()
    assert "This file cannot be learnt from:" in texts(app)
    assert not has_button(app, "start")
    app.file_uploader(key="own-mix").set_value(("mix.tsv", f"{MANY}Two.\tZwei.\n".encode(), TSV)).run()
    app.number_input(key="mix-share").set_value(0.5).run()
    app.button(key="start").click().run()
    assert not app.exception
    assert read == ["own.tsv", "mix.tsv", "mix.tsv"]  # each upload once, not at each click
    ((_, task, request, _, files),) = begun
    assert (task, request.mix, request.mix_share) == ("own", "mix.tsv", 0.5)
    held_back, mixed = (set(files[name].splitlines()) for name in ("valid.tsv", "mix.tsv"))
    assert mixed == {*MANY.encode().splitlines(), b"Two.\tZwei."} - held_back
    assert held_back


def test_a_downloaded_run_is_taken_in_again(runs: Path) -> None:
    run(made(runs / "mine", dataclasses.replace(REQUEST, steps=6, save_every=3)))
    app = train_page(UPLOAD)
    app.file_uploader(key="run-zip").set_value(("mine.zip", pack_run(runs, "mine"), ZIP)).run()
    app.text_input(key="upload-name").set_value("theirs ").run()
    app.button(key="take-in").click().run()
    assert not app.exception
    mine, theirs = (runs / name / "steps" / "000006" / "model.safetensors" for name in ("mine", "theirs"))
    assert mine.read_bytes() == theirs.read_bytes()
    assert link_of(app, "run") == "theirs"
    assert "**theirs** · step 6 of 6 · finished" in next(bar.proto.text for bar in app.get("progress"))


def test_a_loss_that_is_no_number_is_told_with_its_step(runs: Path) -> None:
    run_wild(made(runs / "wild", dataclasses.replace(REQUEST, steps=60, save_every=5)), start=13, rate=1e30)
    told = r"step 14: the \w+ is not a finite number \(\w+\)\. The weights of step 10 are kept and good\."
    assert re.search(told, texts(opened_on("train", run="wild")))


def test_a_killed_run_is_offered_again_and_a_damaged_curve_is_drawn(runs: Path) -> None:
    engine = train_engine.engine()
    request = dataclasses.replace(REQUEST, steps=1_000_000, save_every=10)
    engine.start("one", request, device="cpu", files=FILES)
    folder = engine.folder("one")
    wait_until(lambda: last_step(folder) >= 15)
    os.kill(folder.state()["pid"], signal.SIGKILL)
    wait_until(lambda: "SIGKILL" in engine.status("one").reason)
    path = folder.path / "metrics.jsonl"
    good = last_step(folder)
    path.write_bytes(path.read_bytes() + b'{"step": 3\n\xff\xfe\n[]\nnull\n')
    app = opened_on("train", run="one")
    found = texts(app)
    assert "process was killed (SIGKILL)" in found
    assert f"Resume: it goes on from step {folder.last_saved_step()}." in found
    assert max(array(figure(app, "run-loss")["data"][0]["x"])) >= good - 1
    app.button(key="resume-one").click().run()
    assert not app.exception
    wait_until(lambda: engine.status("one").step > good + 5)
    assert not engine.status("one").offered
    engine.stop("one")
    wait_until(lambda: engine.status("one").status == "stopped")


def test_two_visitors_order_the_same_and_none_is_told_off(runs: Path) -> None:
    engine = train_engine.engine()
    engine.start("one", dataclasses.replace(REQUEST, steps=1_000_000), device="cpu", files=FILES)
    wait_until(lambda: last_step(engine.folder("one")) >= 5)
    visitors = [opened_on("train", run="one"), opened_on("train", run="one")]
    wait_until(lambda: engine.status("one").status == "running")
    for order, status in (("pause", "paused"), ("resume", "running"), ("stop", "stopped")):
        for app in visitors:  # the second one's page still shows the button
            app.button(key=f"{order}-one").click().run()
            assert "nothing to" not in texts(app)
            assert "cannot be resumed" not in texts(app)
            if app is visitors[0]:
                wait_until(lambda status=status: engine.status("one").status == status)
        visitors = [app.run() for app in visitors]


def test_a_run_is_renamed_and_deleted_and_no_other(runs: Path) -> None:
    """Deleting asks once."""
    for name in ("one", "two"):
        run(made(runs / name, dataclasses.replace(REQUEST, steps=4)))
    app = opened_on("train", run="one")

    def rename(new: str) -> str:
        app.text_input(key="rename-one").set_value(new).run()
        return texts(app.button(key="rename-it-one").click().run())

    assert "there is already a run called two" in rename("two")
    assert "the name holds" in rename("../x")
    assert sorted(run_names(runs)) == ["one", "two"]
    rename("mine ")
    assert link_of(app, "run") == "mine"
    assert sorted(run_names(runs)) == ["mine", "two"]
    app.button(key="delete-mine").click().run()
    assert "**mine**, its curves and its 2 saved steps will be gone." in texts(app)
    app.button(key="keep-mine").click().run()
    assert not has_button(app, "delete-it-mine")
    assert sorted(run_names(runs)) == ["mine", "two"]
    app.button(key="delete-mine").click().run()
    app.button(key="delete-it-mine").click().run()
    assert not app.exception
    assert run_names(runs) == ["two"]
    assert app.selectbox(key="run-choice").value == "two"
    assert not list(runs.glob(".deleted*"))


def test_runs_are_drawn_over_each_other(runs: Path) -> None:
    for name, steps in (("short", 3), ("long", 6)):
        request = dataclasses.replace(REQUEST, steps=steps, save_every=3)
        run(made(runs / name, request))
    app = opened_on("train", run="long")
    app.multiselect(key="overlaid").set_value(["short"]).run()
    assert not app.exception
    curves = {one["name"]: one for one in figure(app, "run-loss")["data"]}
    assert list(curves) == ["long: train", "long: valid", "short: train", "short: valid"]
    assert "markers" in curves["short: valid"]["mode"]  # a line of one point would not be seen
    assert curves["short: train"]["mode"] == "lines"
    assert len({curve["line"]["color"] for curve in curves.values()}) == 2  # one a run
    long, short = (array(curves[f"{name}: train"]["y"]) for name in ("long", "short"))
    assert list(long[: len(short)]) == list(short)  # the same seed and data


@pytest.fixture
def make(runs: Path, tokenizer: Tokenizer) -> Any:
    """Lay a finished run into the folder of runs, as if somebody had uploaded it, with these lines of metrics."""

    def new(name: str, *lines: object, steps: tuple[int, ...] = (0, 5)) -> RunFolder:
        folder = RunFolder(runs / name)
        folder.create(dataclasses.replace(REQUEST, steps=5))
        config = REQUEST.model_config(len(tokenizer))
        for step in steps:
            folder.save_step(randomized(Transformer(config)), tokenizer, step)
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        (folder.path / "metrics.jsonl").write_text(text)
        folder.write_state("finished", step=5, origin="upload")
        return folder

    return new


def change(path: Path, **fields: object) -> None:
    """Other fields in a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def shown(app: AppTest, page: str = "train", **query: str) -> str:
    """What a page says when a link opens it."""
    app.switch_page(f"{page}/page.py")
    for name, value in query.items():
        app.query_params[name] = value
    return texts(app.run())


def rid_of(app: AppTest, runs: Path, name: str) -> None:
    """The run that is shown can be renamed and deleted."""
    assert app.button(key="start")
    app.text_input(key=f"rename-{name}").set_value("other").run()
    app.button(key=f"rename-it-{name}").click().run()
    assert not app.exception
    assert "other" in run_names(runs)
    app.button(key="delete-other").click().run()
    app.button(key="delete-it-other").click().run()
    assert not app.exception
    assert not {"other", name} & set(run_names(runs))


def test_numbers_that_are_none_or_too_large(runs: Path, make: Any) -> None:
    without = {name: value for name, value in GOOD.items() if name != "nll"}
    for i, line in enumerate(({"step": 1, "loss": 5.5}, without)):
        make(f"fine{i}", line, GOOD | {"step": 4}, line | {"step": 5})
    bad = (
        GOOD | {"nll": HUGE},
        GOOD | {"step": float("nan")},
        "[" * 100_000,
        GOOD | {"step": HUGE, "nll": [1]},
    )
    for i, line in enumerate(bad):
        make(f"bad{i}", line, GOOD | {"step": 4})
    app = opened_on("train")
    for name in run_names(runs):
        found = shown(app, run=name)
        assert max(array(figure(app, "run-loss")["data"][0]["x"])) == 4, name  # what is good is drawn
        told = "1 line of metrics.jsonl is damaged and left out: " in found
        assert told == name.startswith("bad"), name
        if name.startswith("fine"):
            assert "| −log p per token | – |" in found
    app.multiselect(key="overlaid").set_value(["fine0", "bad0"]).run()
    assert not app.exception
    rid_of(app, runs, str(app.selectbox(key="run-choice").value))


def test_a_request_or_a_state_that_is_none(runs: Path, make: Any) -> None:
    make("good", GOOD)
    for i, steps in enumerate((HUGE, "many")):
        change(make(f"request{i}", GOOD).path / "request.json", steps=steps)
    starting = {"status": "starting", "step": HUGE, "heartbeat": HUGE, "pid": HUGE}
    for i, fields in enumerate((starting, {"status": "failed", "reason": "\ud800" + "x" * 10_000})):
        change(make(f"state{i}", GOOD).path / "state.json", **fields)
    app = opened_on("train")
    for name in run_names(runs):
        found = shown(app, run=name)
        assert bool(re.search(r"request\.json: [^|]*steps", found)) == name.startswith("request"), name
        assert str(HUGE)[:100] not in found
        assert "x" * 1000 not in found
    shown(app, run="good")
    assert "**good** · step 5 of 5" in next(bar.proto.text for bar in app.get("progress"))
    shown(app, run="request0")
    rid_of(app, runs, "request0")


def test_damaged_weights_are_told_in_a_sentence(runs: Path, make: Any) -> None:
    for i, content in enumerate((b"", b"junk", b"\xff" * 100)):
        (make(f"bad{i}", GOOD).step_folder(5) / "model.safetensors").write_bytes(content)
    app = opened_on("train")
    for name in run_names(runs):
        assert "model.safetensors: not a complete safetensors file" in shown(app, run=name)
    shown(app, run="bad1")
    rid_of(app, runs, "bad1")
    found = shown(app, "time_machine", run="bad0")
    assert "There is nothing to look back at:" in found
    assert "model.safetensors: not a complete safetensors file" in found
    assert "not a complete safetensors file" in shown(app, "translate", model="bad0")
    assert "model" not in app.query_params


def test_folders_that_are_no_runs(runs: Path, make: Any) -> None:
    make("good", GOOD)
    strange = RunFolder(Path(os.fsdecode(os.fsencode(runs) + b"/b\xffd")))
    strange.create(REQUEST)
    for name in ("²", "9" * 200, "٣", "5"):  # digits of another kind, too many, too few
        (runs / "good" / "steps" / name).mkdir()
    app = opened_on("train")
    found = shown(app, run="good")
    assert "The folder b\ufffdd in " in found
    assert "has a name that is no UTF-8" in found
    assert app.selectbox(key="run-choice").options == ["good"]
    shown(app, "time_machine", run="good")
    rid_of(opened_on("train", run="good"), runs, "good")


def test_a_probe_and_a_mean_belong_to_their_run(runs: Path, make: Any) -> None:
    """A run is not of the task that its name happens to begin with, nor shows what another was asked."""
    tasks = {"sort-mean2-3": "g l a s s b o x", "dates": "Tuesday, 3 March 1998", "reverse": "Two."}
    probes = tasks | {"sorted-pairs": "I have some money."}
    for name in probes:
        make(name, GOOD, steps=(2, 5))
    (runs / "dates" / "valid.tsv").write_text("")
    (runs / "reverse" / "valid.tsv").write_text("Two.\tZwei.\n")
    app = opened_on("train", run="reverse")
    app.button(key="average").click().run()
    assert "**reverse-mean2**: steps 2, 5." in texts(app)
    for name, probe in probes.items():
        assert ("steps 2, 5." in shown(app, run=name)) == (name == "reverse")
        assert app.text_input(key=f"probe-sentence-{name}").value == probe


def test_links_to_what_is_not_there_or_too_long(runs: Path) -> None:
    app = opened_on("train")
    for name in ("../pretrained", "x" * 256, "x" * 100_000, "\ufffd\ufffe", "a\0b", "a\nb", "ü" * 200):
        assert "expected the name of a run of this server" in shown(app, "translate", model=name)
        assert "expected the name of a run of this server" in shown(app, "train", run=name)
    numbers = {"beam_search": "at", "greedy": "row", "schedule": "at", "time_machine": "moment"}
    for page, name in numbers.items():
        for digits in ("9" * 4301, "٣", "²", "1e400"):
            assert shown(app, page, **{name: digits}), (page, digits[:9])


@pytest.mark.parametrize("blocker", ["", ".engine"])
def test_a_folder_of_runs_that_cannot_be_written(runs: Path, make: Any, blocker: str) -> None:
    if blocker:
        make("good", GOOD)
    (runs / blocker).write_text("not a folder")
    app = opened_on("train")
    assert f"Nothing can be trained here.** The folder of runs {runs} cannot be written (" in texts(app)
    assert "GLASSBOX_RUNS" in texts(app)
    shown(app, "time_machine")
