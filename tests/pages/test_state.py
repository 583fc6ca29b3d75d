"""What is kept for all visitors, and what the link says when it says nothing useful."""

import shutil
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.capture.trace import Trace
from explainer.decode.search.rules import BeamRules
from explainer.equations.output import LOG_PROB
from explainer.figures.escape import for_markdown
from explainer.figures.style import theme_named
from explainer.files import PRETRAINED
from explainer.pages.beam_search.searched import model_ground
from explainer.pages.frame import models
from explainer.pages.frame.caches import bytes_of, kept, kept_with_it, store
from explainer.pages.frame.session import translation_of
from explainer.pages.frame.view import Translated
from explainer.train.runs import worker
from explainer.translator.translator import Translator
from tests.train.small import REQUEST, made


def test_what_is_kept_fits_into_its_bytes_and_what_was_used_longest_ago_goes_first() -> None:
    made: list[int] = []

    @kept(mebibytes=1)
    def array(number: int) -> np.ndarray:
        made.append(number)
        return np.zeros(260_000, dtype=np.uint8)

    for number in (1, 2, 3, 1, 4, 1):  # four of them fit
        assert array(number) is array(number)
    assert made == [1, 2, 3, 4]
    array(5)
    array(1)
    assert made == [1, 2, 3, 4, 5], "2 was used longest ago"
    array(2)
    assert made == [1, 2, 3, 4, 5, 2]

    @kept(mebibytes=0.001)
    def large(name: str) -> list[str]:
        return [name * 9_000]

    assert large("a") == ["a" * 9_000]
    assert large("a") is not large("a"), "given, and not kept"


def test_visitors_who_ask_for_the_same_at_once_wait_for_one_result() -> None:
    calls: list[int] = []

    @kept(mebibytes=1)
    def slow(number: int) -> list[int]:
        calls.append(number)
        time.sleep(0.05)
        return [number]

    with ThreadPoolExecutor(16) as visitors:
        found = list(visitors.map(slow, [1] * 16))
    assert calls == [1]
    assert all(one is found[0] for one in found)


def test_bytes_are_those_of_arrays_and_texts_wherever_they_are_held() -> None:
    array = np.zeros((10, 100))
    assert bytes_of(array) == 8_000
    assert 16_000 < bytes_of({"a": array, "b": [array]}) < 17_000
    assert bytes_of(Trace({"hook": array})) > 8_000
    assert bytes_of("x" * 5_000) > 5_000


class Shelf:
    """Makes arrays, and counts how many."""

    def __init__(self) -> None:
        self._kept, self._changing, self.made = store(mebibytes=1), threading.Condition(), 0

    @kept_with_it
    def array(self, number: int) -> np.ndarray:
        self.made += 1
        return np.full(2**18, number, dtype=np.uint8)

    @kept_with_it
    def other(self, number: int) -> int:
        return -number


def test_an_object_keeps_its_own_results_in_its_own_bytes() -> None:
    one, two = Shelf(), Shelf()
    for number in (1, 2, 3, 4, 5, 5):  # four fit
        assert one.array(number)[0] == number
    assert (one.other(5), one.array(5)[0]) == (-5, 5)
    assert (one.made, one._kept.currsize <= 2**20) == (5, True)
    assert two.array(1)[0] == 1
    assert two.made == 1
    one.array(1)
    assert one.made == 6


def test_a_recorded_search_tells_about_how_many_bytes_it_takes() -> None:
    ground = model_ground("translator", models.translator(), "The dog sleeps in the garden.", (), 6)
    rules = BeamRules(beam_size=6, max_new_tokens=30)
    ground.told(replace(rules, early_stopping=True))  # what is read belongs to the source
    tracemalloc.start()
    told = ground.told(rules)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken / 3 < bytes_of(told) < 3 * taken
    assert ground.told(rules) is told


def test_two_models_of_one_sentence_are_two_results_and_two_views() -> None:
    """A run may be saved while a page is drawn: what one model says must never be filed under another."""
    text = "I have some money."
    german, hindi = models.loaded(PRETRAINED / "translator"), models.loaded(PRETRAINED / "hindi")
    views = [
        Translated(model, theme_named("light"), sentence=text, translation=translation_of(model, text))
        for model in (german, hindi, german)
    ]
    assert len({view.translation.text for view in views}) == 2
    for view in views:
        assert view.translation.text == view.model.translate(text).text
        assert view.trace.info.checkpoint == view.model.checkpoint.sha256
        assert view.values(LOG_PROB).shape[1] == len(view.tokenizer)
    assert views[0].model.code == "translator = Translator.load()"
    assert "pretrained/hindi" in views[1].model.code


def test_what_the_link_says_is_shown_literally() -> None:
    def app() -> None:
        from explainer.pages.frame.link import link_number, say_what_fell_back

        link_number("row", 1, 1, 9)
        say_what_fell_back()

    raw = "**[loud](http://example.org)** $x$"
    tested = AppTest.from_function(app)
    tested.query_params["row"] = raw
    (toast,) = tested.run().toast
    assert f"row = {for_markdown(repr(raw))};" in toast.value
    assert raw not in toast.value


def test_a_cell_and_a_number_of_the_link_are_within_their_bounds() -> None:
    def app() -> None:
        import streamlit as st

        from explainer.pages.frame.link import link_cell, link_number

        st.session_state["read"] = read = {}
        for raw in (
            "1.1",
            "2.4",
            "0.1",
            "1.0",
            "3.1",
            "2.5",
            "-1.1",
            "1.1.1",
            "1",
            "9",
            "0",
            "10",
            "-1",
            "1.5",
            "²",
        ):
            st.query_params["cell"] = st.query_params["row"] = raw
            cell, row = link_cell("cell", (7, 7), (2, 4)), link_number("row", 77, 1, 9)
            assert ("cell" in st.query_params, "row" in st.query_params) == (cell != (7, 7), row != 77)
            read[raw] = cell, row

    tested = AppTest.from_function(app).run()
    assert not tested.exception
    known = {"1.1": ((0, 0), 77), "2.4": ((1, 3), 77), "1": ((7, 7), 1), "9": ((7, 7), 9)}
    for raw, found in tested.session_state["read"].items():
        assert found == known.get(raw, ((7, 7), 77)), raw


def test_loading_one_model_keeps_nobody_from_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started, go_on = threading.Event(), threading.Event()
    loads: list[Path] = []

    def load(folder: Path) -> Path:
        loads.append(folder)
        if folder.name == "slow":
            started.set()
            assert go_on.wait(30)
        return folder

    monkeypatch.setattr(Translator, "load", load)
    slow, quick = tmp_path / "slow", tmp_path / "quick"
    with ThreadPoolExecutor(3) as visitors:
        waiting = [visitors.submit(models.loaded, slow) for _ in "ab"]
        assert started.wait(30)
        assert visitors.submit(models.loaded, quick).result(timeout=30) == quick
        assert not any(one.done() for one in waiting)
        go_on.set()
        assert [one.result(timeout=30) for one in waiting] == [slow, slow]
    assert sorted(loads) == sorted([slow, quick])


def test_a_run_that_takes_the_name_of_a_deleted_one_is_another_model(tmp_path: Path) -> None:
    request = replace(REQUEST, steps=3)
    digests = []
    for seed in (1, 2):
        folder = made(tmp_path / "reverse", replace(request, seed=seed))
        worker.run(folder, device="cpu", say=lambda line: None)
        first = models.loaded(folder.step_folder(3))
        assert models.loaded(folder.step_folder(3)) is first, "kept"
        digests.append(first.checkpoint.digest)
        shutil.rmtree(folder.path)
    assert digests[0] != digests[1]
