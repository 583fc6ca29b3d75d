"""What the tests of pages share: installed components are looked for once, and a folder of runs."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from explainer.pages.frame import engine as train_engine
from explainer.pages.frame import models as model


@pytest.fixture(autouse=True, scope="session")
def _scanned_once() -> Iterator[None]:
    """Each new AppTest reads the metadata of all installed packages: half of the time of a test of a page."""
    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


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
