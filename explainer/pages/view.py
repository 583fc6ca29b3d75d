"""What a page needs of a sentence: its translation and trace, or a clear word why there are none."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from explainer.equations.places import Tokens
from explainer.figures.style import Theme
from explainer.pages.lesson import theme
from explainer.pages.state import trace_of, translation_of, translator

if TYPE_CHECKING:
    from explainer.capture.trace import Trace
    from explainer.translator import Translation


@dataclass(frozen=True)
class View:
    """A sentence, what the model made of it, and the colours to show it in."""

    sentence: str
    checkpoint: str
    translation: "Translation"
    trace: "Trace"
    theme: Theme

    @property
    def tokens(self) -> Tokens:
        """The tokens of both sides."""
        info = self.trace.info
        return Tokens(info.source, info.target, info.predicted)


def view_of(sentence: str) -> View | None:
    """Translate and trace; None after telling the visitor what is missing or wrong."""
    from explainer.checkpoints import CheckpointError
    from explainer.text.tidy import tidy
    from explainer.translator import TooLongError

    try:
        with st.spinner("Loading the translator …", show_time=True):
            model = translator()
    except CheckpointError as error:
        st.error(
            f"**The translator cannot be loaded.** {error}\n\nPut the folder back, or train a translator: "
            "`python -m explainer train --help`.",
            icon=":material/folder_off:",
        )
        return None
    if not tidy(sentence):
        st.info("Type an English sentence above, or choose one of the examples.", icon=":material/edit:")
        return None
    try:
        translation = translation_of(model.checkpoint.sha256, sentence)
    except TooLongError as error:
        st.warning(
            f"**This sentence is too long for the picture:** {error}. "
            "A letter that the vocabulary lacks, such as a Hindi one, takes several tokens.",
            icon=":material/straighten:",
        )
        return None
    trace = trace_of(model.checkpoint.sha256, sentence, translation.ids)
    return View(sentence, model.checkpoint.sha256, translation, trace, theme())
