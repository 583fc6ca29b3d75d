"""The App: Streamlit finds it, every answer has the headers, uploads under way are counted, one limit holds."""

import asyncio
import tomllib
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from starlette.applications import Starlette
from starlette.types import Message, Receive, Scope, Send
from streamlit.web.server.app_discovery import discover_asgi_app

from explainer.files import BESIDE, UPLOAD_LIMIT_MB
from explainer.server import uploads
from explainer.server.app import parts
from explainer.server.headers import HEADERS, inline_hashes
from explainer.server.uploads import UploadGuard

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
PUT = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/mine/one", "headers": []}


async def nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def answer(app: Any, scope: Scope) -> Message:
    """The start of the answer; what the app raises after it is the server's to log."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    try:
        await app(scope, nothing, send)
    except ZeroDivisionError:
        assert sent, "it raised and answered nothing"
    return sent[0]


def waited(answering: Coroutine[Any, Any, T]) -> T:
    """What it comes to, in a thread: a browser that other tests drive has a loop of its own in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, answering).result()


def test_streamlit_finds_the_app_in_the_source() -> None:
    assert discover_asgi_app(ROOT / "app.py").import_string == "app:app"


def test_the_limit_of_uploads_is_told_once() -> None:
    settings = tomllib.loads((BESIDE / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["maxUploadSize"] == UPLOAD_LIMIT_MB


@pytest.mark.parametrize(("path", "status"), [("/vendor/plotly.min.js", 200), ("/no", 404), ("/crash/", 500)])
def test_every_answer_has_the_headers(path: str, status: int) -> None:
    async def crash(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError

    made = parts()
    app = Starlette(
        routes=made["routes"], middleware=made["middleware"], exception_handlers=made["exception_handlers"]
    )
    app.mount("/crash", crash)
    scope = {"type": "http", "method": "HEAD", "path": path, "headers": [], "query_string": b""}
    start = waited(answer(app, scope))
    assert start["status"] == status
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    assert {name.lower(): text for name, text in HEADERS.items()}.items() <= found.items()


def test_the_hash_of_an_inline_script_is_the_one_of_the_specification() -> None:
    """CSP Level 2, "Hash usage for <script> elements", has this script and its SHA-256."""
    html = "<script src='a.js'></script><script>alert('Hello, world.');</script>"
    assert inline_hashes(html) == ["'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"]


def test_two_files_of_a_session_are_under_way_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "open_uploaders", lambda session: {"widget": None})
    monkeypatch.setattr(uploads, "forget_unread", lambda *given, **named: None)

    async def statuses() -> tuple[list[int], list[int], dict[str, int]]:
        go_on = asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            await go_on.wait()
            await send({"type": "http.response.start", "status": 204, "headers": []})

        guard = UploadGuard(slow)
        tasks = [asyncio.create_task(answer(guard, PUT)) for _ in range(2)]
        await asyncio.sleep(0)
        other = {**PUT, "path": "/base/_stcore/upload_file/yours/one"}
        refused = (await answer(guard, PUT))["status"]
        tasks.append(asyncio.create_task(answer(guard, other)))
        await asyncio.sleep(0)
        go_on.set()
        accepted = [(await task)["status"] for task in tasks]
        again = (await answer(guard, PUT))["status"]
        return accepted, [refused, again], dict(guard.under_way)

    assert waited(statuses()) == ([204, 204, 204], [429, 204], {})
