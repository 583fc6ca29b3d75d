"""What every answer carries: the browser runs our scripts only, and tells nobody where it was."""

import base64
import hashlib
import re
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INDEX = Path(streamlit.__file__).parent / "static" / "index.html"


def inline_hashes(html: str) -> list[str]:
    """The CSP sources `'sha256-…'` of the scripts that are written into `html`."""
    found = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digests = (hashlib.sha256(script.encode()).digest() for script in found)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def content_security_policy(index: Path = _INDEX) -> str:
    """The Content-Security-Policy of the app; `index` is the page in which Streamlit starts.

    Streamlit loads the JavaScript of our components from blobs, counts 64-bit numbers in WebAssembly, and has a font
    of KaTeX inside its style sheet; Plotly turns a figure into a PNG over a blob.
    """
    scripts = ["'self'", "blob:", "'wasm-unsafe-eval'", *inline_hashes(index.read_text(encoding="utf-8"))]
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src {' '.join(scripts)}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self' ws: wss:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        )
    )


HEADERS = {
    "Content-Security-Policy": content_security_policy(),
    "Referrer-Policy": "same-origin",  # a link of ours holds the visitor's sentence
    "X-Content-Type-Options": "nosniff",
}


class SecurityHeaders:
    """Middleware: `HEADERS` on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and the answer back with the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, with_headers)


async def crashed(request: Request, error: Exception) -> PlainTextResponse:
    """The answer when a route raised: that is sent past all middleware."""
    return PlainTextResponse("Internal Server Error", status_code=500, headers=HEADERS)
