"""Which model the pages open: the shipped translator, or a run that the link names."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.files import PRETRAINED, RUNS
from explainer.language import _
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import fell_back, set_link

if TYPE_CHECKING:
    from explainer.train.runs.record import TrainingRecord
    from explainer.translator.translator import Translator

PAPER_SMOOTHING = 0.1  # Vaswani et al. 2017, §5.4
_LOADING = threading.Lock()
_LOCKS: dict[Path, threading.Lock] = {}  # one for each model
_SHARED: "dict[tuple[Path, int], Translator]" = {}
_RUNS_AT_MOST = 6  # models of runs that are kept beside the shipped ones


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
            fell_back("model", own.parents[1].name, expected)
    return loaded(PRETRAINED / name)


def loaded(folder: Path) -> "Translator":
    """The model in a checkpoint folder as it is now; a few are kept.

    Raises:
        CheckpointError: the folder cannot be used.
    """
    key = (folder, written(folder))
    if (known := _SHARED.get(key)) is not None:
        return known
    with _LOADING:
        lock = _LOCKS.setdefault(folder, threading.Lock())
    with lock:  # whoever needs another model does not wait for this one
        if (known := _SHARED.get(key)) is not None:
            return known
        import torch

        from explainer.translator import Translator

        torch.set_num_threads(1)  # two threads on a busy machine are many times slower than one
        model = Translator.load(folder)
        with _LOADING:
            runs = [one for one in _SHARED if one[0].parent != PRETRAINED]
            if len(runs) >= _RUNS_AT_MOST:
                del _SHARED[runs[0]]
            _SHARED[key] = model
        return model


def written(folder: Path) -> int:
    """When its weights were written, in nanoseconds, or 0: a new run may get the name of a deleted one."""
    try:
        return (folder / "model.safetensors").stat().st_mtime_ns
    except OSError:
        return 0


def runs_folder() -> Path:
    """Where the run folders of this server lie."""
    return RUNS


def chosen_checkpoint() -> Path | None:
    """The checkpoint of the run that the link names, as saved last; None for the shipped translator."""
    name = st.query_params.get("model")
    if name is None:
        return None
    from explainer.train.runs.folder import RunFolder
    from explainer.train.runs.names import RunError, run_folder

    try:
        folder = RunFolder(run_folder(runs_folder(), name))
    except RunError:
        fell_back("model", name, _("the name of a run of this server"))
        return None
    saved = folder.saved_steps()
    if not saved:
        fell_back("model", name, _("a run that has saved its weights"))
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
            on_click=set_link,
            kwargs={"model": None, "layer": None, "head": None, "cell": None, "row": None, "what": None},
            help=_("All pages open this run. Click to go back to the shipped translator."),
        )


def training_record(model: "Translator") -> "TrainingRecord | str":
    """The request and the learning rates that made the weights of `model`, or why they are not known."""
    chosen = chosen_checkpoint()
    return _record(model, "" if chosen is None else str(chosen.parents[1]))


@kept(mebibytes=16)
def _record(model: "Translator", run: str) -> "TrainingRecord | str":
    from explainer.train.runs.record import FILE, load_record, record_of

    try:
        found = record_of(Path(run)) if run else load_record(PRETRAINED / "translator")
    except ValueError as error:
        return str(error)
    return found or _("`{path}` is absent").format(path=f"pretrained/translator/{FILE}")


def trained_smoothing(model: "Translator") -> float | None:
    """The ε that the model was trained with; None if no record tells."""
    record = training_record(model)
    return None if isinstance(record, str) else record.request.smoothing
