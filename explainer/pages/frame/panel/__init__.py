"""The Plotly panel: draws a figure in place, and tells the page which part was clicked or chosen by keyboard."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from streamlit.components import v2

from explainer.language import _

_HERE = Path(__file__).parent
_PLOTLY = "/vendor/plotly.min.js"  # a route of explainer/server/app.py, under any base path

_PANEL = v2.component(
    "plotly_panel",
    html='<div class="panel"><div class="scroll"><div class="plot" tabindex="0"></div></div></div>',
    css=(_HERE / "panel.css").read_text(encoding="utf-8"),
    js=(_HERE / "panel.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def plotly_url() -> str:
    """Where the browser gets plotly.js: under `server.baseUrlPath`, if the app has one."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{_PLOTLY}" if base else _PLOTLY


class Drawn(dict[str, Any]):
    """A figure whose arrays are packed already."""


def panel(
    figure: dict[str, Any],
    *,
    key: str,
    alt: str,
    name: str,
    on_pick: Callable[[], None] | None = None,
    jump: str | None = None,
) -> dict[str, Any] | None:
    """Draw the Plotly `figure`; return what was picked in this run: `{"x", "y", "customdata"}`, or None.

    The same `key` is drawn in place; `name` is for downloads. `on_pick` is called before the rerun; `jump` is the CSS
    selector of what is scrolled into view when a module of the model is picked.
    """
    src = plotly_url()
    data = {
        "figure": drawn(figure),
        "src": src,
        "alt": alt,
        "name": name,
        "jump": jump,
        "download": _("Download this figure as {format}"),
        "broken": _("cannot load {address}: please reload the page.").format(address=src),
    }
    result = _PANEL(key=key, data=data, height="content", on_pick_change=on_pick or _nothing)
    return result.pick


def drawn(figure: dict[str, Any]) -> Drawn:
    """The figure, ready to be sent."""
    return figure if isinstance(figure, Drawn) else Drawn(encoded(figure))


def encoded(value: Any) -> Any:
    """Arrays as Plotly's base64 typed arrays (float32 where they are floats), containers copied."""
    if isinstance(value, dict):
        return {key: encoded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(part) for part in value]
    if isinstance(value, np.ndarray):
        kind = np.float32 if value.dtype.kind == "f" else np.int32
        array = np.ascontiguousarray(value, dtype=kind)
        packed: dict[str, Any] = {"dtype": "f4" if kind is np.float32 else "i4"}
        packed["bdata"] = base64.b64encode(array.tobytes()).decode()
        if array.ndim > 1:
            packed["shape"] = ", ".join(map(str, array.shape))
        return packed
    if isinstance(value, np.generic):
        return value.item()
    return value


def _nothing() -> None:
    """A trigger value is only delivered to a component that has a callback."""
