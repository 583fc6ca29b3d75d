"""A running app and a real Chromium for the tests of this folder."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
READY = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app && app.dataset.testScriptState === 'notRunning' && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-testid=stSkeleton], [data-stale=true], [data-testid=stSpinner]')
    && [...document.querySelectorAll('.panel .plot')].every((plot) => plot.dataset.drawn);
}"""
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app, started as the README says, with a folder of runs of its own; or GLASSBOX_URL."""
    if "GLASSBOX_URL" in os.environ:
        yield os.environ["GLASSBOX_URL"]
        return
    environment = {**os.environ, "GLASSBOX_RUNS": str(tmp_path_factory.mktemp("runs"))}
    with serving([sys.executable, "-m", "streamlit", "run", "app.py"], environment, ROOT) as url:
        yield url


@contextmanager
def serving(command: list[str], environment: Mapping[str, str], cwd: Path) -> Iterator[str]:
    """The address of the app that `command` starts, as long as it lasts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    place = {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "STREAMLIT_SERVER_PORT": str(port)}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command,
        cwd=cwd,
        env={**environment, **place, "STREAMLIT_SERVER_HEADLESS": "true"},
        stdout=quiet,
        stderr=quiet,
    ) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            _wait_for(f"{url}/_stcore/health", process)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of the system; the test is skipped where there is none, but never in CI."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None and "CI" not in os.environ:
        pytest.skip("no chromium on this computer")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh visitor at 1280 × 720 whose browser reaches nothing but the app."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    foreign: list[str] = []
    context.on(
        "request",
        lambda sent: foreign.append(sent.url) if "//127.0.0.1" not in sent.url and "//" in sent.url else None,
    )
    visitor = context.new_page()
    errors: list[str] = []
    visitor.on("pageerror", lambda error: errors.append(str(error)))
    yield visitor
    context.close()
    assert errors == []
    assert [url for url in foreign if not url.startswith(("data:", "blob:"))] == []


def visit(page: Page, url: str) -> None:
    """Open `url` and wait until everything is drawn."""
    page.goto(url)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the script has run and every panel is drawn."""
    page.wait_for_timeout(400)  # a change takes a moment to reach the server
    page.wait_for_function(READY, timeout=60_000)
    page.wait_for_timeout(100)


def query_is(page: Page, name: str, value: str | None) -> None:
    """Wait until the link says so, or does not name it, and everything is drawn."""
    found = "([name, value]) => new URL(location.href).searchParams.get(name) === value"
    page.wait_for_function(found, arg=[name, value])
    settle(page)


def query_has(page: Page, name: str, text: str = "") -> str:
    """Wait until what the link says begins so, and everything is drawn; what it says then."""
    found = "([name, text]) => new URL(location.href).searchParams.get(name)?.startsWith(text)"
    page.wait_for_function(found, arg=[name, text])
    settle(page)
    return parse_qs(urlsplit(page.url).query)[name][0]


def typed(page: Page, sentence: str) -> None:
    """Another sentence; the app follows the typing."""
    page.get_by_role("textbox", name="English").fill(sentence)
    query_is(page, "sentence", sentence)


def plot(page: Page, key: str) -> Locator:
    """The figure of a panel."""
    return page.locator(f".st-key-{key} .plot")


def click(page: Page, key: str, place: str) -> None:
    """Click a place of a figure: JavaScript for [x, y] in the units of its `xaxis` and `yaxis`, from its `plot`."""
    drawn = plot(page, key)
    drawn.scroll_into_view_if_needed()
    x, y = drawn.evaluate(
        f"""plot => {{
          const box = plot.getBoundingClientRect(), {{xaxis, yaxis}} = plot._fullLayout, [x, y] = {place};
          return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)];
        }}"""
    )
    page.mouse.move(x, y)
    page.mouse.click(x, y)


def click_part(page: Page, key: str, test: str) -> None:
    """Click the first mark of a figure whose `data` passes a test, such as `data[0] === "head"`."""
    click(
        page,
        key,
        f"""(() => {{
          for (const trace of plot._fullData) {{
            const i = Array.from(trace.customdata ?? []).findIndex(data => data && {test});
            if (i >= 0) return [trace.x[i], trace.y[i]];
          }}
        }})()""",
    )


def drawn_matrix(page: Page, key: str) -> list[list[float]]:
    """The numbers of a heat map."""
    return plot(page, key).evaluate("plot => plot._fullData[0].z.map(row => [...row])")


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(900):
        assert process.poll() is None, "the app stopped at once"
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the app did not start in 90 s")
