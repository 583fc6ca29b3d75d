"""The pages open what an earlier version wrote: links, and the runs of tests/old (see README.md there)."""

import json
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tests.pages.app import array, figure, opened_on

TESTS = Path(__file__).parents[1]
LINKS = {one["name"]: one for one in tomllib.loads((TESTS / "links/links.toml").read_text())["link"]}
OPENED = (  # a dozen, of all chapters
    "translate, a long sentence, the difference that two changes make", "tokens, German", "positions, taken away",
    "self-attention, decoder, a score set by hand", "masks, a painted cell and no look-ahead",
    "blocks of a pre-norm run", "output head", "greedy, fed again, a head off", "beam search, forced",
    "beam search in a table of one's own", "the loss under a change", "the schedule", "time machine of a run",
)  # fmt: skip


@pytest.fixture
def old_runs(runs: Path) -> Path:
    """The old folder of runs, as the one that the pages look at."""
    shutil.unpack_archive(TESTS / "old/runs.tar.gz", runs.parent, filter="data")
    return runs


def test_the_page_train_lists_all_old_runs_and_draws_their_curves(old_runs: Path) -> None:
    app = opened_on("train", "a b c")
    names = {path.parent.name for path in old_runs.glob("*/request.json")}
    assert len(names) == 16
    for name in ("copy", "exploded", "killed", "reverse", "reverse-mean2", "waiting", "with-grammar"):
        app.query_params["run"] = name
        app.run()
        assert not app.exception, name
        assert app.selectbox(key="run-choice").value == name
        assert set(app.selectbox(key="run-choice").options) == names
        metrics = old_runs / name / "metrics.jsonl"
        if metrics.exists():
            reports = [json.loads(line) for line in metrics.read_text().splitlines()]
            reported = [[one[what] for one in reports if what in one] for what in ("nll", "valid_nll")]
            drawn = [array(line["y"]) for line in figure(app, "run-loss")["data"]]
            for values, expected in zip(drawn, filter(None, reported), strict=True):
                np.testing.assert_allclose(values, expected, rtol=1e-5)


@pytest.mark.parametrize("name", OPENED)
def test_an_old_link_is_understood(old_runs: Path, name: str) -> None:
    link = LINKS[name]
    page, query = link["page"].replace("-", "_") or "translate", link["query"]
    app = opened_on(page, link["sentence"], **query)
    assert [toast.value for toast in app.toast] == []
    kept = {part: app.query_params.get(part) for part in query}
    assert {part: one[0] if isinstance(one, list) else one for part, one in kept.items()} == query
