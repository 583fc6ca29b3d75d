"""Which model the pages open: the shipped translator, or a run that the link names."""

from pathlib import Path

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.files import RUNS
from explainer.pages.link import fell_back, set_link


def runs_folder() -> Path:
    """Where the run folders of this server lie."""
    return RUNS


def chosen_checkpoint() -> Path | None:
    """The checkpoint of the run that the link names, as saved last; None for the shipped translator."""
    name = st.query_params.get("model")
    if name is None:
        return None
    from explainer.train.names import RunError, run_folder
    from explainer.train.runs import RunFolder

    try:
        folder = RunFolder(run_folder(runs_folder(), name))
    except RunError:
        fell_back("model", name, "the name of a run of this server")
        return None
    saved = folder.saved_steps()
    if not saved:
        fell_back("model", name, "a run that has saved its weights")
        return None
    return folder.step_folder(saved[-1])


def show_chosen() -> None:
    """Say which model is open, if it is not the shipped one; a click goes back to that."""
    path = chosen_checkpoint()
    if path is not None:
        name = for_markdown(path.parents[1].name)
        st.button(
            f"Model: **{name}**, step {int(path.name):,} ✕",
            key="own-model",
            on_click=set_link,
            kwargs={"model": None, "layer": None, "head": None, "cell": None, "row": None, "what": None},
            help="All pages open this run. Click to go back to the shipped translator.",
        )
