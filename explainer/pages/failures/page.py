"""Page: what breaks it? Runs with one thing wrong, a prediction first, the healthy run beside them."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.language import _
from explainer.pages.frame.engine import engine
from explainer.pages.frame.link import choose
from explainer.pages.frame.page import NOTHING, Words, page
from explainer.pages.kit.run import show_curves, show_probe, show_state

if TYPE_CHECKING:
    from explainer.train.learning.request import TrainRequest
    from explainer.train.offers.failures import Failure

LINKS = ("failure",)
HEALTHY, TASK, PROBE = "healthy", "reverse", "g l a s s b o x"


def show(__: None, words: Words) -> None:
    """Which failure, the question, the start, and both runs side by side."""
    from explainer.train.offers.failures import FAILURES

    if said := st.session_state.pop("break-said", None):
        st.toast(for_markdown(said), icon=":material/error:")
    titles = {name: failure.title for name, failure in FAILURES.items()}
    name = choose(
        "failure", _("What is broken"), tuple(titles), "mask", format_func=lambda one: _(titles[one])
    )
    failure = FAILURES[name]
    st.markdown(words[name])
    answer = st.radio(
        _("What will happen?"), range(len(failure.answers)), index=None, key=f"predict-{name}",
        format_func=lambda i: _(failure.answers[i]),
    )  # fmt: skip
    if answer is None:
        st.caption(words["first"])
        return
    _show_start(name, failure, words)
    _show_both(name, failure, words)


def _show_start(name: str, failure: "Failure", words: Words) -> None:
    known = {status.name for status in engine().all()}
    missing = [run for run in (HEALTHY, f"broken-{name}") if run not in known]
    if missing and st.button(
        _("Start both runs") if len(missing) > 1 else _("Start the run"), type="primary", key="break"
    ):
        _start(missing, failure)
        st.rerun()
    if missing:
        st.caption(words["runs"])


def _start(missing: list[str], failure: "Failure") -> None:
    from explainer.train.offers.failures import HEALTHY as REQUEST
    from explainer.train.offers.menu import OFFERS
    from explainer.train.runs.names import RunError

    files = OFFERS[TASK].files(REQUEST.seed)
    for run in missing:
        request: TrainRequest = REQUEST if run == HEALTHY else failure.change(REQUEST)
        try:
            engine().start(run, request, device="cpu", files=files)
        except (RunError, ValueError, OSError) as error:
            st.session_state["break-said"] = str(error)


def _show_both(name: str, failure: "Failure", words: Words) -> None:
    """The two runs as they go on, and what came of the prediction."""
    known = {status.name: status for status in engine().all()}
    broken = f"broken-{name}"
    runs = tuple(run for run in (broken, HEALTHY) if run in known)
    if broken not in runs:
        return
    active = any(known[run].is_active for run in runs)

    @st.fragment(run_every=1.0 if active else None)
    def followed() -> None:
        states = [engine().status(run) for run in runs]
        for status in states:
            show_state(status)
        show_curves(runs)
        if active and not any(status.is_active for status in states):
            st.rerun()

    followed()
    if known[broken].is_active:
        return
    right = st.session_state[f"predict-{name}"] == failure.right
    said = _("You said so.") if right else _("You expected something else.")
    comes_true = for_markdown(_(failure.answers[failure.right]))
    st.info(f"**{comes_true}** {said} {words[f'{name}, why']}", icon=":material/lightbulb:")
    left, right = st.columns(2, gap="large")
    for column, run in zip((left, right), runs, strict=False):
        with column:
            st.subheader(run, anchor=False)
            show_probe(known[run], PROBE, words, key=run)


page("failures", show, needs=NOTHING, links=LINKS)
