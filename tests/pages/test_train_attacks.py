"""What somebody put into the folder of runs must not take the page Train from everybody."""

import dataclasses
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.names import run_names
from tests.conftest import randomized
from tests.pages.app import array, figure, opened_on
from tests.pages.test_train_faults import texts
from tests.train.small import REQUEST

GOOD = {"step": 1, "epoch": 0, "loss": 5.5, "nll": 4.5, "learning_rate": 1e-3, "gradient_norm": 2.0,
        "n_tokens": 200, "seconds": 0.5}  # fmt: skip
HUGE = 10**400


@pytest.fixture
def make(runs: Path, tokenizer: Tokenizer) -> Any:
    """Lay a finished run into the folder of runs, as if somebody had uploaded it, with these lines of metrics."""

    def new(name: str, *lines: object, steps: tuple[int, ...] = (0, 5)) -> RunFolder:
        folder = RunFolder(runs / name)
        folder.create(dataclasses.replace(REQUEST, steps=5))
        config = TransformerConfig(
            vocab_size=len(tokenizer), d_model=8, n_heads=2, d_ff=16, n_encoder_layers=1, n_decoder_layers=1
        )
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


def test_links_to_what_is_not_there_or_too_long(runs: Path) -> None:
    app = opened_on("train")
    for name in ("../pretrained", "x" * 256, "x" * 100_000, "\ufffd\ufffe", "a\0b", "a\nb", "ü" * 200):
        assert "expected the name of a run of this server" in shown(app, "translate", model=name)
        assert shown(app, "train", run=name)
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
