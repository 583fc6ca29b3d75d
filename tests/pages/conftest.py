"""A folder of runs for the tests of pages that train or look at runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from explainer.pages.frame import engine as train_engine
from explainer.pages.frame import models as model


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of runs; what trains there at the end of a test is waited for."""
    folder = tmp_path / "runs"
    monkeypatch.setattr(model, "RUNS", folder)
    train_engine.close_engine()
    yield folder
    for engine in train_engine._ENGINES:
        engine.close(seconds=60)
    train_engine.close_engine()
