"""The stepper: play, step, back, reset, by button or by key, for whatever has steps."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.components import v2

from explainer.language import _
from explainer.pages.frame.link import link_choice, set_link

_HERE = Path(__file__).parent
_STEPPER = v2.component(
    "stepper",
    html='<div class="stepper" role="group"></div>',
    css=(_HERE / "stepper.css").read_text(encoding="utf-8"),
    js=(_HERE / "stepper.js").read_text(encoding="utf-8"),
)


def stepper(name: str, titles: Sequence[str], *, default: int = 0, milliseconds: int = 1800) -> int:
    """Buttons to walk through steps; ← → Home End work too while nothing else has the focus. Returns the step, from 0.

    In the link, as `name`, steps count from 1. While it plays, each stays on the screen for so many `milliseconds`.
    """
    step = link_choice(name, range(1, len(titles) + 1), default + 1) - 1
    place = _("{step} of {steps}: {title}").format(step=step + 1, steps=len(titles), title=titles[step])
    data = {
        "step": step,
        "titles": list(titles),
        "milliseconds": milliseconds,
        "buttons": {
            "reset": ("|◀", _("First step (Home)")),
            "back": ("◀", _("Back (←)")),
            "play": (_("▶ Play"), _("Play or pause")),
            "next": (_("Step ▶"), _("Next step (→)")),
        },
        "pause": _("Pause"),
        "place": place,
        "dot": _("Step {step}: {title}"),
    }
    _STEPPER(
        key=f"stepper-{name}", data=data, height="content", on_step_change=lambda: _stepped(name, len(titles))
    )
    return step


def _stepped(name: str, n_steps: int) -> None:
    step = st.session_state[f"stepper-{name}"].step
    if isinstance(step, int) and 0 <= step < n_steps:
        set_link(**{name: str(step + 1)})
