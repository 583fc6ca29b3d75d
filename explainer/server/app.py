"""The App, built: warm-up, shutdown, routes and middleware; and `glassbox`, which opens it."""

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
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route
from streamlit.web import cli

import explainer.pages
from explainer.files import BESIDE, PRETRAINED
from explainer.server.headers import SecurityHeaders, crashed
from explainer.server.uploads import UploadGuard

PLOTLY_PATHS = ("/vendor/plotly.min.js", "/{base:path}/vendor/plotly.min.js")  # the second: under a base path
PLOTLY_JS = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def warm_up() -> None:
    """Import torch and load the translator while the first page is already being shown."""
    from explainer.pages.frame.models import import_models, loaded

    import_models()
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


def parts() -> dict[str, Any]:
    """The arguments of `st.App`; `app.py` makes that call itself, because Streamlit looks for it in the source."""
    return {
        "script_path": Path(explainer.pages.__path__[0]) / "main.py",
        "lifespan": lifespan,
        "routes": [Route(path, plotly_js) for path in PLOTLY_PATHS],
        "middleware": [Middleware(SecurityHeaders), Middleware(UploadGuard)],
        "exception_handlers": {Exception: crashed},
    }


def open_app() -> None:
    """`streamlit run app.py`: that of the checkout or of the wheel, with the settings that lie beside it."""
    cli.main(["run", str(BESIDE / "app.py")])
