"""The server's share of a change on each page, in a real browser, beside an empty rerun on the same machine.

    python tests/benchmarks/bench_pages.py [PAGE …]

writes tests/benchmarks/results/pages.json (with page names only what was measured of those anew). A change is another
cell, row or step by keyboard; a What if? that was not asked before, and the same taken back; a new sentence. Time is
CPU time of the server process from one settled picture to the next; bytes are those of its WebSocket messages.
"""

import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_plus

from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tests.browser.conftest import CALM, QUIET  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "pages.json"
SHORT = "The old {} sleeps in the garden because it is tired."  # 12 tokens with the full stop
LONG = (
    "The old cat sleeps in the garden because it is tired, and the small cat looks at the bird while the small dog "
    "looks at the house and the tall man looks at the green car in the street."
)  # 41 tokens
NOUNS = ("cat", "dog", "man", "bird", "horse", "woman")
EMPTY = """
import streamlit as st
st.text_input("English", key="sentence", live=True)
st.write("nothing")
"""


@dataclass(frozen=True)
class Watched:
    """A page: the panel on which cells are chosen with the arrow keys, and the widget of one of its What ifs."""

    panel: str
    what_if: str


PAGES = {
    "translate": Watched("attention", "switch-off"),
    "tokens": Watched("rows", "if-swap"),
    "positions": Watched("sum", "if-source"),
    "self-attention": Watched("made", "if-uniform"),
    "multi-head": Watched("beside", "if-only"),
    "masks": Watched("masked", "if-ahead"),
    "blocks": Watched("matrix", "if-unnormed"),
    "cross-attention": Watched("matrix", "if-off"),
    "output-head": Watched("rows", "if-uniform"),
}


class Meter:
    """CPU time of a process and bytes of a page's WebSocket, between two looks."""

    def __init__(self, process: "subprocess.Popen[bytes]", page: Page) -> None:
        self.pid, self.page, self.received = process.pid, page, 0
        page.on("websocket", self._listen)

    def _listen(self, socket_: WebSocket) -> None:
        socket_.on("framereceived", lambda data: self._add(data))

    def _add(self, data: bytes | str) -> None:
        self.received += len(data)

    def cpu(self) -> float:
        """Milliseconds of user and system time so far, in hundredths of a second."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def of(self, act: Callable[[int], None], times: int) -> tuple[float, float]:
        """CPU milliseconds and bytes of one act, as the mean of several."""
        before, bytes_before = self.cpu(), self.received
        for i in range(times):
            act(i)
            settle(self.page)
        return (self.cpu() - before) / times, (self.received - bytes_before) / times


def settle(page: Page) -> None:
    """Until the script has run and everything is drawn."""
    page.wait_for_timeout(700)
    page.wait_for_function(CALM, polling=100, timeout=120_000)


@contextmanager
def served(script: str) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A Streamlit server that runs `script`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless", "true"]
    command += ["--server.port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        for _ in range(240):
            try:
                with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                    break
            except OSError:
                time.sleep(0.25)
        try:
            yield process, url
        finally:
            process.terminate()


def another_cell(page: Page, panel: str) -> Callable[[int], None]:
    """One step to the right on a panel, or back."""
    plot = page.locator(f".st-key-{panel} .plot").first

    def act(i: int) -> None:
        plot.focus()
        page.keyboard.press("ArrowRight" if i % 2 == 0 else "ArrowLeft")

    return act


def measure(page: Page, meter: Meter, watched: Watched) -> dict[str, float]:
    """A page with twelve tokens: cells or steps, a What if?, then sentences."""
    found: dict[str, float] = {}
    act = another_cell(page, watched.panel)
    meter.of(act, 2)
    found["another cell, ms"], found["another cell, bytes"] = meter.of(act, 8)
    switch = page.locator(f".st-key-{watched.what_if}").locator("label, button").first
    found["what if, ms"], found["what if, bytes"] = meter.of(lambda _: switch.click(), 1)
    back = page.locator(".st-key-chip-0 button").first
    found["taken back, ms"], found["taken back, bytes"] = meter.of(lambda _: back.click(), 1)
    box = page.get_by_role("textbox", name="English")
    box.fill(SHORT.format("house"))
    settle(page)
    found["new sentence, ms"], found["new sentence, bytes"] = meter.of(
        lambda i: box.fill(SHORT.format(NOUNS[i])), len(NOUNS)
    )
    return found


def measured(browser: Browser, process: "subprocess.Popen[bytes]", url: str, name: str) -> dict[str, float]:
    """One page, with the short sentence and with the long one."""
    watched, where = PAGES[name], f"{url}/{name if name != 'translate' else ''}?sentence="
    found: dict[str, float] = {}
    for sentence, is_long in ((SHORT.format("house"), False), (LONG, True)):
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        meter = Meter(process, page)
        page.goto(where + quote_plus(sentence))
        settle(page)
        settle(page)
        if is_long:
            found["40 tokens: another cell, ms"], found["40 tokens: another cell, bytes"] = meter.of(
                another_cell(page, watched.panel), 8
            )
        else:
            found["opened, bytes"] = meter.received
            found |= measure(page, meter, watched)
        page.close()
    found["40 tokens / 12 tokens"] = found["40 tokens: another cell, ms"] / found["another cell, ms"]
    return {what: round(value, 2 if "/" in what else 1) for what, value in found.items()}


def empty_rerun(browser: Browser) -> float:
    """CPU milliseconds of a rerun of a script with one input."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY)
        with served(str(script)) as (process, url):
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            meter = Meter(process, page)
            page.goto(url)
            settle(page)
            found, _ = meter.of(lambda i: page.get_by_role("textbox").fill(f"text {i}"), 20)
            page.close()
    return found


def main() -> None:
    """Measure and write."""
    names = sys.argv[1:] or list(PAGES)
    found = json.loads(RESULTS.read_text()) if sys.argv[1:] and RESULTS.exists() else {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=QUIET
        )
        empty = empty_rerun(browser)
        found |= {
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "load": os.getloadavg()[0],
            "empty rerun, ms": round(empty, 2),
            "target for a change, ms": round(3 * empty + 30, 1),
        }
        with served("app.py") as (process, url):
            for name in names:
                found[name] = measured(browser, process, url, name)
                print(name, json.dumps(found[name]), flush=True)  # noqa: T201
        browser.close()
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
