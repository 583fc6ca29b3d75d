"""The server's share of a change on each page, in a real browser, beside an empty rerun on the same machine.

    python tests/benchmarks/bench_pages.py

writes tests/benchmarks/results/pages.json. A change is another cell, row or step by keyboard, and a new sentence; time
is CPU time of the server process from one settled picture to the next; bytes are those of its WebSocket messages.
"""

import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, WebSocket, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tests.browser.conftest import QUIET, READY  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "pages.json"
SHORT = "The old {} sleeps in the garden because it is tired."  # 12 tokens with the full stop
LONG = " ".join(
    ["The old {} sleeps in the garden because it is tired, and the"] + ["small cat looks at the bird"] * 4
)
NOUNS = ("cat", "dog", "man", "bird", "horse", "woman", "boy", "girl")
PANELS = {  # the panel on which a cell is chosen with the arrow keys
    "translate": "attention",
    "cross-attention": "matrix",
    "masks": "masked",
    "self-attention": None,
    "multi-head": None,
    "tokens": None,
    "positions": None,
    "blocks": None,
    "output-head": None,
}
EMPTY = """
import streamlit as st
st.text_input("English", key="sentence", live=True)
st.write("nothing")
"""


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
        """Milliseconds of user and system time so far."""
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
    page.wait_for_timeout(500)
    page.wait_for_function(READY, timeout=60_000)


@contextmanager
def served(script: str) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A Streamlit server that runs `script`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        script,
        "--server.headless",
        "true",
        "--server.port",
        str(port),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(12)
        try:
            yield process, f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def measure(page: Page, meter: Meter, panel: str | None) -> dict[str, float]:
    """One page: cells or steps, then sentences."""
    box = page.get_by_role("textbox", name="English")
    found: dict[str, float] = {}
    plot = page.locator(f".st-key-{panel} .plot" if panel else ".plot >> nth=1")

    def another_cell(i: int) -> None:
        plot.focus()
        page.keyboard.press("ArrowRight" if i % 2 == 0 else "ArrowLeft")

    if plot.evaluate("plot => Boolean(plot._fullLayout?.meta?.grid)"):
        another_cell(0)
        settle(page)
        found["another cell, ms"], found["another cell, bytes"] = meter.of(another_cell, 8)
    box.fill(SHORT.format("house"))
    settle(page)
    found["new sentence, ms"], found["new sentence, bytes"] = meter.of(
        lambda i: box.fill(SHORT.format(NOUNS[i])), 6
    )
    return found


def main() -> None:
    """Measure and write."""
    found: dict[str, object] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    }
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=QUIET)
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY)
        with served(str(script)) as (process, url):
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            meter = Meter(process, page)
            page.goto(url)
            settle(page)
            empty, _ = meter.of(lambda i: page.get_by_role("textbox").fill(f"text {i}"), 20)
            page.close()
        found |= {"empty rerun, ms": empty, "target for a change, ms": 3 * empty + 30}
        with served("app.py") as (process, url):
            for name, panel in PANELS.items():
                page = browser.new_page(viewport={"width": 1280, "height": 720})
                meter = Meter(process, page)
                page.goto(
                    f"{url}/{name if name != 'translate' else ''}?sentence={SHORT.format('house').replace(' ', '+')}"
                )
                settle(page)
                found[name] = measure(page, meter, panel)
                page.close()
        browser.close()
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))  # noqa: T201


if __name__ == "__main__":
    main()
