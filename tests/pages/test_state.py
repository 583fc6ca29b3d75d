"""What is kept for all visitors, and what the link says when it says nothing useful."""

import dataclasses
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from explainer.equations.heads import HeadMeasures
from explainer.figures.escape import for_markdown
from explainer.pages import state
from explainer.pages.state import measures_kept
from explainer.train import worker
from explainer.translator import Translator
from tests.train.small import REQUEST, made


def test_measures_are_returned_even_if_other_visitors_drop_them_meanwhile() -> None:
    mine: list[HeadMeasures] = []

    def measure() -> list[HeadMeasures]:
        for other in range(2 * state._MEASURED_AT_MOST):
            measures_kept(("others", other), list)
        return mine

    assert measures_kept(("mine",), measure) is mine
    assert measures_kept(("mine",), list) is mine, "kept"
    for other in range(2 * state._MEASURED_AT_MOST):
        measures_kept(("later", other), list)
    assert len(state._MEASURED) == state._MEASURED_AT_MOST
    assert measures_kept(("mine",), list) is not mine, "the oldest go first"


def test_many_visitors_at_once_get_their_own_measures() -> None:
    mine: dict[int, list[HeadMeasures]] = {visitor: [] for visitor in range(300)}

    def asks(visitor: int) -> bool:
        return all(measures_kept(("at once", visitor), lambda: mine[visitor]) is mine[visitor] for _ in "ab")

    with ThreadPoolExecutor(16) as visitors:
        assert all(visitors.map(asks, mine))


def test_what_the_link_says_is_shown_literally() -> None:
    def app() -> None:
        from explainer.pages.link import link_number, say_what_fell_back

        link_number("row", 1, 1, 9)
        say_what_fell_back()

    raw = "**[loud](http://example.org)** $x$"
    tested = AppTest.from_function(app)
    tested.query_params["row"] = raw
    (toast,) = tested.run().toast
    assert f"row = {for_markdown(repr(raw))};" in toast.value
    assert raw not in toast.value


@pytest.mark.parametrize(
    ("raw", "cell"),
    [
        ("1.1", (0, 0)),
        ("2.4", (1, 3)),
        *((raw, None) for raw in ("0.1", "1.0", "3.1", "2.5", "1", "-1.1", "1.1.1")),
    ],
)
def test_a_cell_of_the_link_is_row_and_column_from_1(raw: str, cell: tuple[int, int] | None) -> None:
    def app() -> None:
        import streamlit as st

        from explainer.pages.link import link_cell, say_what_fell_back

        st.session_state["found"] = link_cell("cell", (1, 1), (2, 4))
        say_what_fell_back()

    tested = AppTest.from_function(app)
    tested.query_params["cell"] = raw
    tested.run()
    assert tested.session_state["found"] == (cell or (1, 1))
    assert bool(tested.toast) == (cell is None)


@pytest.mark.parametrize(
    ("raw", "number"), [("1", 1), ("9", 9), *((raw, None) for raw in ("0", "10", "-1", "1.5", "²"))]
)
def test_a_number_of_the_link_is_within_its_bounds(raw: str, number: int | None) -> None:
    def app() -> None:
        import streamlit as st

        from explainer.pages.link import link_number, say_what_fell_back

        st.session_state["found"] = link_number("row", 5, 1, 9)
        say_what_fell_back()

    tested = AppTest.from_function(app)
    tested.query_params["row"] = raw
    tested.run()
    assert tested.session_state["found"] == (number or 5)
    assert bool(tested.toast) == (number is None)


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
    monkeypatch.setattr(state, "_SHARED", {})
    slow, quick = tmp_path / "slow", tmp_path / "quick"
    with ThreadPoolExecutor(3) as visitors:
        waiting = [visitors.submit(state.loaded, slow) for _ in "ab"]
        assert started.wait(30)
        assert visitors.submit(state.loaded, quick).result(timeout=30) == quick
        assert not any(one.done() for one in waiting)
        go_on.set()
        assert [one.result(timeout=30) for one in waiting] == [slow, slow]
    assert sorted(loads) == sorted([slow, quick])


def test_a_run_that_takes_the_name_of_a_deleted_one_is_another_model(tmp_path: Path) -> None:
    request = dataclasses.replace(REQUEST, steps=3)
    digests = []
    for seed in (1, 2):
        folder = made(tmp_path / "reverse", dataclasses.replace(request, seed=seed))
        worker.run(folder, device="cpu", say=lambda line: None)
        first = state.loaded(folder.step_folder(3))
        assert state.loaded(folder.step_folder(3)) is first, "kept"
        digests.append(first.checkpoint.digest)
        shutil.rmtree(folder.path)
    assert digests[0] != digests[1]
