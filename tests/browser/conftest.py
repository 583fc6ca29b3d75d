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
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    ViewportSize,
    sync_playwright,
)

ROOT = Path(__file__).parents[2]
POLLING = 100  # milliseconds
SIZE: ViewportSize = {"width": 1280, "height": 720}
CALM = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  const calm = app && app.dataset.testScriptState === 'notRunning' && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-testid=stSkeleton], [data-stale=true], [data-testid=stSpinner]')
    && [...document.querySelectorAll('.panel .plot')].every((plot) => Number(plot.dataset.drawn) === plot.__call);
  window.calm = calm ? (window.calm ?? 0) + 1 : 0;
  return window.calm > 1;
}"""  # script, panels and what they were sent last: at two looks, because an answer comes in several messages
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
    place = {
        "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
        "STREAMLIT_SERVER_PORT": str(port),
        "STREAMLIT_SERVER_HEADLESS": "true",
        "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",  # nobody edits what is tested
    }
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=cwd, env={**environment, **place}, stdout=quiet, stderr=quiet
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


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Page:
    """The one tab of all tests: what it has fetched it keeps, and opens a page in half the time of a new one."""
    return browser.new_page(viewport=SIZE, reduced_motion="reduce")


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """A visitor who has just come, at 1280 × 720; nothing is raised, asked of others, or against the policy."""
    wrong: list[str] = []

    def note_error(error: Error) -> None:
        wrong.append(str(error))

    def note_request(sent: Request) -> None:
        if not sent.url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "about:")):
            wrong.append(sent.url)

    def note_policy(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            wrong.append(message.text)

    listeners: dict[Any, Any] = {"pageerror": note_error, "request": note_request, "console": note_policy}
    for event, listener in listeners.items():
        tab.on(event, listener)
    yield tab
    tab.goto("about:blank")
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    tab.set_viewport_size(SIZE)
    tab.emulate_media(color_scheme="null", reduced_motion="reduce")
    assert wrong == []


def visit(page: Page, url: str) -> None:
    """Open `url` and wait until everything is drawn."""
    page.goto(url, wait_until="commit")
    settle(page)


def settle(page: Page) -> None:
    """Wait until the script has run and every panel is drawn; call it where a change has reached the page."""
    page.evaluate("() => { window.calm = 0; }")
    wait_until(page, CALM)


def wait_until(page: Page, test: str, arg: Any = None) -> None:
    """Wait until JavaScript says yes."""
    page.wait_for_function(test, arg=arg, polling=POLLING, timeout=60_000)


def query_is(page: Page, name: str, value: str | None) -> None:
    """Wait until the link says so, or does not name it, and everything is drawn."""
    found = "([name, value]) => new URL(location.href).searchParams.get(name) === value"
    wait_until(page, found, [name, value])
    settle(page)


def query_has(page: Page, name: str, pattern: str = ".+") -> str:
    """Wait until the link says something like this, and everything is drawn; what it says then."""
    found = "([name, like]) => new RegExp(`^(?:${like})$`).test(new URL(location.href).searchParams.get(name) ?? '')"
    wait_until(page, found, [name, pattern])
    settle(page)
    return linked(page)[name]


def linked(page: Page) -> dict[str, str]:
    """What the link says."""
    return dict(parse_qsl(urlsplit(page.url).query))


def typed(page: Page, sentence: str) -> None:
    """Another sentence; the app follows the typing. The page notes for the copied link what it was drawn with."""
    page.get_by_role("textbox", name="English").fill(sentence)
    noted = """sentence => [...document.querySelectorAll(".noted")].some(
      (one) => new URLSearchParams(one.dataset.values).get("sentence") === sentence)"""
    wait_until(page, noted, sentence)
    settle(page)


def plot(page: Page, key: str) -> Locator:
    """The figure of a panel."""
    return page.locator(f".st-key-{key} .plot")


def click(page: Page, key: str, place: str) -> None:
    """Click a place of a figure: JavaScript for [x, y] in the units of its `xaxis` and `yaxis`, from its `plot`."""
    x, y = plot(page, key).evaluate(
        f"""plot => {{
          const at = () => {{
            const box = plot.getBoundingClientRect(), {{xaxis, yaxis}} = plot._fullLayout, [x, y] = {place};
            return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)];
          }};
          const top = at()[1] - innerHeight / 2;  // what stays in sight above must not cover it
          document.querySelector("[data-testid=stMain]").scrollBy({{top, behavior: "instant"}});
          return at();
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
