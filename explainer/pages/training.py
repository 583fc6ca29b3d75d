"""How the model that is open was trained, as far as the files beside it say."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.pages.model import chosen_checkpoint

if TYPE_CHECKING:
    from explainer.train.record import TrainingRecord

PAPER_SMOOTHING = 0.1  # Vaswani et al. 2017, §5.4


def training_record(checkpoint: str) -> "TrainingRecord | str":
    """The request and the learning rates that made the weights, or why they are not known.

    Args:
        checkpoint: Digest of the weights: other weights have another record.
    """
    chosen = chosen_checkpoint()
    return _record(checkpoint, "" if chosen is None else str(chosen.parents[1]))


@st.cache_resource(max_entries=8, show_spinner=False)
def _record(checkpoint: str, run: str) -> "TrainingRecord | str":
    from pathlib import Path

    from explainer.train.record import FILE, load_record, record_of
    from explainer.translator import PRETRAINED

    try:
        found = record_of(Path(run)) if run else load_record(PRETRAINED / "translator")
    except ValueError as error:
        return str(error)
    return found or f"`pretrained/translator/{FILE}` is absent"


def trained_smoothing(checkpoint: str) -> float | None:
    """The ε that the model was trained with; None if no record tells."""
    record = training_record(checkpoint)
    return None if isinstance(record, str) else record.request.smoothing
