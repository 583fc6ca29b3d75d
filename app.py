"""Glassbox: `streamlit run app.py`."""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # before torch is imported: its threads must not spin
os.environ.setdefault("GOMP_SPINCOUNT", "0")

import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

PLOTLY_PATHS = ("/vendor/plotly.min.js", "/{base:path}/vendor/plotly.min.js")  # the second: under a base path
PLOTLY_JS = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def warm_up() -> None:
    """Import torch and load the translator while the first page is already being shown."""
    from explainer.pages.frame.models import PRETRAINED, loaded

    loaded(PRETRAINED / "translator")
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Warm up in the background; at the end let runs save and pause."""
    threading.Thread(target=warm_up, daemon=True).start()
    yield {}
    from explainer.pages.frame.engine import close_engine

    close_engine()


async def plotly_js(request: Request) -> FileResponse:
    """The plotly.js that the installed plotly package carries: nothing is fetched from elsewhere."""
    headers = {"Cache-Control": "public, max-age=86400"}
    return FileResponse(PLOTLY_JS, media_type="text/javascript", headers=headers)


app = st.App(
    "explainer/pages/main.py", lifespan=lifespan, routes=[Route(path, plotly_js) for path in PLOTLY_PATHS]
)
