"""The copied link: it names the value of everything that is shown, defaults too, so that it shows the same later."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec
from urllib.parse import urlencode

import streamlit as st
from streamlit.components import v2

from explainer.language import _

P = ParamSpec("P")
ALWAYS = ("sentence", "model", "what", "show", "language")  # what every page may say in its link
# what is shown, as the link would name it
_NOTED: ContextVar[dict[str, str] | None] = ContextVar("noted", default=None)

_SHARE = v2.component(
    "share_link",
    html='<button class="share" type="button"></button>',
    css="""
    .share { font: 400 0.875rem var(--st-font); color: var(--st-text-color); background: transparent;
             border: 1px solid var(--st-border-color); border-radius: 8px; padding: 0.32rem 0.75rem; cursor: pointer; }
    .share:hover, .share:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
    """,
    js="""
    function full() {
      const url = new URL(location.href), said = url.searchParams;
      for (const shown of document.querySelectorAll(".noted")) {
        const names = shown.dataset.names?.split(" ") ?? [...said.keys()];
        for (const name of [...said.keys()]) if (!names.includes(name)) said.delete(name);
        for (const [name, value] of new URLSearchParams(shown.dataset.values)) {
          if (!said.has(name)) said.set(name, value);
        }
      }
      return url.href;
    }
    export default function ({ parentElement, data, setTriggerValue }) {
      const app = document.querySelector("[data-testid=stApp]"), drawnOn = getComputedStyle(app).backgroundColor;
      const watcher = new MutationObserver(() => requestAnimationFrame(() => {
        if (getComputedStyle(app).backgroundColor !== drawnOn) setTriggerValue("theme", true);
      }));  // the visitor chose light or dark: figures are drawn anew
      watcher.observe(app, { attributes: true });
      const button = parentElement.querySelector(".share");
      button.title = data.title;
      button.textContent = data.copy;
      button.onclick = async () => {
        const field = Object.assign(document.createElement("textarea"), { value: full() });
        try {
          await navigator.clipboard.writeText(field.value);
        } catch {  // a page served without https may not use the clipboard; the old way works everywhere
          document.body.appendChild(field);
          field.select();
          document.execCommand("copy");
          field.remove();
        }
        button.textContent = data.copied;
        setTimeout(() => (button.textContent = data.copy), 1500);
      };
      return () => watcher.disconnect();
    }
    """,
)


def share_button() -> None:
    """Whoever opens the copied link sees the same sentence, layer, head and cell; and a change of theme is noticed."""
    words = {
        "title": _("The link reproduces the sentence and everything chosen on this page"),
        "copy": _("Copy link"),
        "copied": _("Copied ✓"),
    }
    _SHARE(key="share", data=words, height="content", width="content", on_theme_change=lambda: None)


def note(name: str, value: object) -> None:
    """What is shown of a part of the link, chosen or not."""
    if (noted := _NOTED.get()) is not None:
        noted[name] = str(value)


@contextmanager
def noting(names: Sequence[str] = ()) -> Iterator[None]:
    """Hand what is noted within to the button's script, in the page; the copied link leaves out all but `names`."""
    before = _NOTED.set(noted := {})
    try:
        yield
    finally:
        _NOTED.reset(before)
    said = f' data-names="{" ".join((*names, *ALWAYS))}"' if names else ""
    st.html(f'<span class="noted"{said} data-values="{urlencode(noted).replace("&", "&amp;")}"></span>')


def fragment(function: Callable[P, None], *, run_every: float | None = None) -> Callable[P, None]:
    """`st.fragment` for what chooses by the link: what it notes is known anew each time that it is drawn alone."""

    @functools.wraps(function)
    def noted(*args: P.args, **kwargs: P.kwargs) -> None:
        with noting():
            function(*args, **kwargs)

    return st.fragment(noted, run_every=run_every)
