"""Which model the pages open: the shipped translator, or a run that the link names."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import cachetools
import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.files import PRETRAINED, RUNS
from explainer.language import _
from explainer.pages.frame.caches import kept, store
from explainer.pages.frame.link import fell_back, set_link

if TYPE_CHECKING:
    from explainer.train.runs.record import TrainingRecord
    from explainer.translator.translator import Translator

PAPER_SMOOTHING = 0.1  # Vaswani et al. 2017, §5.4
_IMPORTING = threading.Lock()
_MODEL = "model"  # its name in the link, and among what a visitor keeps from page to page


def import_models() -> None:
    """Import torch and what computes with it, in one thread while the others wait.

    Two threads that begin with different modules of these packages would wait for each other, and one would be told of
    a deadlock: the first visitor of a server that has just been started.
    """
    with _IMPORTING:
        import explainer.decode
        import explainer.translator
        import explainer.whatif.changes  # noqa: F401


def translator(name: str = "translator") -> "Translator":
    """A model of the folder `pretrained`, loaded once for all visitors; for "translator", the run that the link names.

    If the run's weights cannot be used, the visitor is told so and sees the shipped translator.

    Raises:
        CheckpointError: a shipped folder cannot be used.
    """
    own = chosen_checkpoint() if name == "translator" else None
    if own is not None:
        from explainer.checkpoints import CheckpointError

        try:
            return loaded(own)
        except CheckpointError as error:
            expected = _("a run that can be read ({error})").format(error=for_markdown(str(error)))
            _gone(own.parents[1].name, expected)
    return loaded(PRETRAINED / name)


def loaded(folder: Path) -> "Translator":
    """The model in a checkpoint folder as it is now; as many are kept as fit into memory set aside for them.

    Raises:
        CheckpointError: the folder cannot be used.
    """
    return _loaded(folder, saved_at(folder))


@cachetools.cached(store(mebibytes=2048), condition=threading.Condition())
def _loaded(folder: Path, saved: int) -> "Translator":
    import torch

    from explainer.translator import Translator

    torch.set_num_threads(1)  # two threads on a busy machine are many times slower than one
    return Translator.load(folder)


def saved_at(folder: Path) -> int:
    """When its weights were written, in nanoseconds, or 0: a new run may get the name of a deleted one."""
    try:
        return (folder / "model.safetensors").stat().st_mtime_ns
    except OSError:
        return 0


def runs_folder() -> Path:
    """Where the run folders of this server lie."""
    return RUNS


def choose_model() -> None:
    """Open the run that the link names, on all pages from now on; it stays in the link."""
    asked = st.query_params.get(_MODEL, st.session_state.get(_MODEL))
    if asked is not None:
        st.session_state[_MODEL] = asked
        set_link(**{_MODEL: asked})


def _close_model() -> None:
    """Go back to the shipped translator; what belonged to the other model leaves the link."""
    st.session_state.pop(_MODEL, None)
    set_link(**dict.fromkeys((_MODEL, "layer", "head", "cell", "row", "what")))


def _gone(name: str, expected: str) -> None:
    st.session_state.pop(_MODEL, None)
    fell_back(_MODEL, name, expected)


def chosen_checkpoint() -> Path | None:
    """The checkpoint of the run that the link names, as saved last; None for the shipped translator."""
    name = st.query_params.get(_MODEL)
    if name is None:
        return None
    from explainer.train.runs.folder import RunFolder
    from explainer.train.runs.names import RunError, run_folder

    try:
        folder = RunFolder(run_folder(runs_folder(), name))
    except RunError:
        _gone(name, _("the name of a run of this server"))
        return None
    saved = folder.saved_steps()
    if not saved:
        _gone(name, _("a run that has saved its weights"))
        return None
    return folder.step_folder(saved[-1])


def show_chosen() -> None:
    """Say which model is open, if it is not the shipped one; a click goes back to that."""
    path = chosen_checkpoint()
    if path is not None:
        name = for_markdown(path.parents[1].name)
        st.button(
            _("Model: **{name}**, step {step} ✕").format(name=name, step=f"{int(path.name):,}"),
            key="own-model",
            on_click=_close_model,
            help=_("All pages open this run. Click to go back to the shipped translator."),
        )


@kept(mebibytes=16)
def training_record(model: "Translator") -> "TrainingRecord | str":
    """The request and the learning rates that made the weights of `model`, or why they are not known."""
    from explainer.train.runs.record import FILE, load_record, record_of

    is_shipped = model.folder.parent == PRETRAINED
    try:
        found = load_record(model.folder) if is_shipped else record_of(model.folder.parents[1])
    except ValueError as error:
        return str(error)
    return found or _("`{path}` is absent").format(path=f"pretrained/{model.folder.name}/{FILE}")


def trained_smoothing(model: "Translator") -> float | None:
    """The ε that the model was trained with; None if no record tells."""
    record = training_record(model)
    return None if isinstance(record, str) else record.request.smoothing
