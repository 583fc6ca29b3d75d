"""The wheel: built without a network, installed without the checkout, and opened by its command."""

import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, serving, visit

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment `venv` that has the wheel, and the dependencies of the one that runs the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    python = folder / "venv" / "bin" / "python"
    offline = ["--quiet", "--no-deps", "--no-index"]
    wheel = [*PIP, "wheel", *offline, "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(wheel, check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    (built,) = folder.glob("*.whl")
    subprocess.run([*PIP, "--python", str(python), "install", *offline, str(built)], check=True)
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "dependencies.pth").write_text(
        "\n".join(paths)
    )  # whose own .pth files are not read: no checkout
    return folder


@pytest.fixture
def environment(installed: Path) -> dict[str, str]:
    """That of somebody who never saw the checkout."""
    ours = ("PYTHONPATH", "GLASSBOX_RUNS")
    return {**{name: value for name, value in os.environ.items() if name not in ours}, "HOME": str(installed)}


def test_the_command_opens_the_app(installed: Path, environment: dict[str, str], page: Page) -> None:
    with serving([str(installed / "venv/bin/glassbox")], environment, installed) as url:
        visit(page, f"{url}/self-attention")
        expect(page.locator(".stepper button").first).to_be_visible()
        assert page.locator(".panel .plot").count() > 0  # and all of them are drawn
        config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
        colour = "node => getComputedStyle(node).getPropertyValue('--st-primary-color')"
        assert page.locator(".panel").first.evaluate(colour) == config["theme"]["light"]["primaryColor"]
        visit(page, f"{url}/train")
        page.get_by_text("a run from a file", exact=True).click()
        expect(page.get_by_test_id("stFileUploaderDropzone")).to_be_visible()
    assert (installed / ".glassbox/runs").is_dir()


def test_the_command_line_finds_the_translator(installed: Path, environment: dict[str, str]) -> None:
    command = [str(installed / "venv/bin/glassbox"), "translate", "I have some money."]
    done = subprocess.run(command, cwd=installed, env=environment, capture_output=True, text=True, check=True)
    assert "Geld" in done.stdout


def test_the_wheel_carries_every_file_of_the_checkout(installed: Path) -> None:
    (package,) = (installed / "venv").glob("lib/python*/site-packages/explainer")
    named = ["git", "ls-files", "explainer", "pretrained", ".streamlit", "app.py"]
    tracked = subprocess.run(named, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert tracked
    for name in tracked:
        path = Path(name)
        copy = (
            package / path.relative_to("explainer")
            if path.parts[0] == "explainer"
            else package / "beside" / path
        )
        assert copy.read_bytes() == (ROOT / path).read_bytes(), name
