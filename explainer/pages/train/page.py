"""Page: can I train one now? Start a run, watch it, pause it, look into it."""

import contextlib
import re
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.style import number
from explainer.language import _, ngettext
from explainer.pages.frame.engine import engine
from explainer.pages.frame.link import read_link, set_link
from explainer.pages.frame.models import runs_folder
from explainer.pages.frame.page import NOTHING, Words, page
from explainer.pages.frame.share import note
from explainer.pages.kit.run import MOST, show_curves, show_probe, show_state, what_happened
from explainer.pages.train.start import show_start

if TYPE_CHECKING:
    from explainer.train.runs.status import RunStatus

LINKS = ("run",)
_EVERY = 1.0  # seconds between two looks at a run that goes on
_MARKS = {
    "queued": ":material/hourglass_empty:", "starting": ":material/hourglass_top:",
    "running": ":material/play_circle:", "paused": ":material/pause_circle:",
    "stopped": ":material/stop_circle:", "finished": ":material/check_circle:", "failed": ":material/error:",
    "interrupted": ":material/error:",
}  # fmt: skip
_DONE = {"pause": ("paused",), "stop": ("stopped",), "resume": ("queued", "starting", "running")}


def show(__: None, words: Words) -> None:
    """Offers to resume, the form, the runs, the chosen one."""
    from explainer.train.runs.names import odd_names

    if said := st.session_state.pop("train-said", None):
        st.toast(for_markdown(said), icon=":material/error:")
    if not _may_write():
        return
    for status in engine().offered():
        _offer(status)
    show_start(words)
    for name in odd_names(engine().runs):
        told = _("The folder {name} in {runs} has a name that is no UTF-8. It is left out; rename it there.")
        folder = for_markdown(str(engine().runs))
        st.warning(told.format(name=for_markdown(name), runs=folder), icon=":material/info:")
    runs = engine().all()
    names = [status.name for status in runs]
    expected = _("the name of a run of this server")
    chosen = read_link("run", next(iter(names), ""), lambda raw: raw if raw in names else None, expected)
    if not runs:
        return
    note("run", chosen)
    st.subheader(_("Runs"), anchor=False)
    st.session_state["run-choice"] = chosen
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.selectbox(_("Run"), names, key="run-choice", on_change=_chosen, width=320)
        others = [name for name in names if name != chosen]
        most = MOST - 1
        overlaid = st.multiselect(_("Compare with"), others, key="overlaid", max_selections=most, width=420)
        _show_edit(runs[names.index(chosen)])  # before anything of the run is read
    active = {status.name for status in runs if status.is_active} & {chosen, *overlaid}
    _follow(chosen, tuple(overlaid), active, words)


def _may_write() -> bool:
    """Whether the engine can work in the folder of runs; if not, say what is in its way."""
    try:
        engine()
    except OSError as error:
        told = _(
            "**Nothing can be trained here.** The folder of runs {folder} cannot be written ({error}). Let this "
            "program write there, or start the app with another folder in the environment variable {variable}."
        )
        st.error(
            told.format(
                folder=for_markdown(str(runs_folder())), error=for_markdown(error.strerror or str(error)),
                variable=for_markdown("GLASSBOX_RUNS"),
            )
        )  # fmt: skip
        return False
    return True


def _chosen() -> None:
    set_link(run=st.session_state["run-choice"])


def _follow(name: str, overlaid: tuple[str, ...], active: set[str], words: Words) -> None:
    """The chosen run, drawn anew every second while it goes on."""
    shown = (name, *overlaid)

    @st.fragment(run_every=_EVERY if active else None)
    def followed() -> None:
        statuses = _statuses(shown)
        status = statuses[name]
        if active != {one.name for one in statuses.values() if one.is_active}:
            st.rerun()  # begun or ended: the page asks every second only while something goes on
        show_state(status)
        _show_buttons(status)
        show_curves(shown)

    @st.fragment(run_every=3 * _EVERY if active else None)
    def below() -> None:
        status = _statuses(shown)[name]
        left, right = st.columns([3, 2], gap="large")
        with left:
            show_probe(status, _probe_of(name), words)
        with right:
            _show_care(status, words)

    followed()
    below()


def _statuses(shown: tuple[str, ...]) -> "dict[str, RunStatus]":
    """How the runs are; the page begins anew if somebody renamed or deleted one of them."""
    from explainer.train.runs.names import RunError

    try:
        return {name: engine().status(name) for name in shown}
    except RunError:
        st.rerun()


def _probe_of(name: str) -> str:
    """The first of the run's own validation sentences, or the probe of the task that the run is named after."""
    from explainer.train.offers.menu import OFFERS

    with (
        contextlib.suppress(OSError),
        (runs_folder() / name / "valid.tsv").open(encoding="utf-8", errors="replace") as file,
    ):
        if sentence := file.readline(1000).partition("\t")[0].strip():
            return sentence[:200]
    task = re.sub(r"(-mean\d+)?(-\d+)?$", "", name)  # as average_run and free_name write it
    return OFFERS[task].probe if task in OFFERS else "I have some money."


def _show_buttons(status: "RunStatus") -> None:
    with st.container(horizontal=True, gap="small"):
        if status.is_active:
            _button(_("Pause"), "pause", status, ":material/pause:")
        if status.can_resume:
            _button(_("Resume"), "resume", status, ":material/play_arrow:")
        if status.is_active or status.status in ("paused", "interrupted"):
            _button(_("Stop"), "stop", status, ":material/stop:")


def _button(label: str, act: str, status: "RunStatus", icon: str, key: str = "") -> None:
    st.button(label, key=f"{key or act}-{status.name}", icon=icon, on_click=_do, args=(act, status.name))


def _do(act: str, name: str) -> None:
    """Order it. Whoever orders what has just been done, by a second click or by somebody else, is not told off."""
    from explainer.train.runs.names import RunError

    try:
        getattr(engine(), act)(name)
    except (RunError, ValueError, OSError) as error:
        if not any(status.name == name and status.status in _DONE[act] for status in engine().all()):
            st.session_state["train-said"] = str(error)


def _offer(status: "RunStatus") -> None:
    """A run that did not end because somebody wanted it."""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"{_MARKS[status.status]} **{for_markdown(status.name)}** {what_happened(status)}")
        _button(_("Resume"), "resume", status, ":material/play_arrow:", key="go-on")
        key = f"leave-{status.name}"
        st.button(_("Not now"), key=key, on_click=_do, args=("stop", status.name), type="tertiary")


def _show_care(status: "RunStatus", words: Words) -> None:
    """Look inside, download, average."""
    st.markdown(words["care"])
    saved = engine().folder(status.name).saved_steps()
    if saved:
        if st.button(
            _("Use it on all pages"), key="use-run", icon=":material/visibility:",
            help=_("The other pages then open this model instead of the shipped translator."),
        ):  # fmt: skip
            set_link(model=status.name)
            st.rerun()  # the page's head names the model
        st.download_button(
            _("Download"), data=lambda: _packed(status.name), file_name=f"{status.name}.zip", mime="application/zip",
            icon=":material/download:", on_click="ignore", key="download-run",
        )  # fmt: skip
    n_learnt = sum(step > 0 for step in saved)
    if n_learnt > 1 and not status.is_active:
        _show_average(status.name, n_learnt, words)


def _show_edit(status: "RunStatus") -> None:
    """Rename and delete, which asks once."""
    from explainer.train.runs.names import RunError

    name = status.name
    with st.popover(_("Rename or delete"), icon=":material/edit:", disabled=status.is_active):
        new = st.text_input(_("New name"), name[:40], key=f"rename-{name}", max_chars=40)
        try:
            if st.button(_("Rename"), key=f"rename-it-{name}") and new != name:
                set_link(run=engine().rename(name, new).name)
                st.rerun()
            if st.button(_("Delete for good"), key=f"delete-{name}", icon=":material/delete:"):
                st.session_state["delete-asked"] = name
            if st.session_state.get("delete-asked") == name:
                _ask_to_delete(name)
        except (RunError, OSError) as error:
            st.error(for_markdown(str(error)))


def _ask_to_delete(name: str) -> None:
    n_saved = len(engine().folder(name).saved_steps())
    told = ngettext(
        "**{name}**, its curves and its {n} saved step will be gone. Delete it?",
        "**{name}**, its curves and its {n} saved steps will be gone. Delete it?",
        n_saved,
    )
    st.markdown(told.format(name=for_markdown(name), n=n_saved))
    with st.container(horizontal=True, gap="small"):
        if st.button(_("Yes, delete it"), key=f"delete-it-{name}", icon=":material/delete_forever:"):
            engine().delete(name)
            set_link(run=None)
            st.rerun()
        keep = partial(st.session_state.pop, "delete-asked", None)
        st.button(_("Keep it"), key=f"keep-{name}", on_click=keep)


def _show_average(name: str, n_saved: int, words: Words) -> None:
    """The mean of the last saved weights, as a run of its own, and what it changes."""
    from explainer.train.learning.averaging import average_run
    from explainer.train.runs.names import RunError

    with st.popover(_("Average the last saves"), icon=":material/functions:"):
        st.markdown(words["average"])
        last = st.number_input(_("How many"), 2, n_saved, min(5, n_saved), key=f"average-{name}")
        if st.button(_("Average"), key="average"):
            try:
                st.session_state[f"averaged-{name}"] = average_run(engine().runs, name, int(last))
            except (RunError, ValueError, OSError) as error:
                st.error(for_markdown(str(error)))
        if made := st.session_state.get(f"averaged-{name}"):
            told = _(
                "**{name}**: steps {steps}. Validation −log p per token: {before} with the last weights, {after} with "
                "the mean."
            )
            steps = ", ".join(f"{step:,}" for step in made.steps)
            before, after = (
                _("not measured") if loss is None else number(loss, 4) for loss in (made.before, made.after)
            )
            st.markdown(told.format(name=for_markdown(made.name), steps=steps, before=before, after=after))


def _packed(name: str) -> bytes:
    from explainer.train.runs.archive import pack_run

    return pack_run(engine().runs, name)


page("train", show, needs=NOTHING, links=LINKS)
