"""What a page needs of a sentence: its translation, its trace, and the same under the changes that are in force."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import streamlit as st

from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.figures.style import Theme
from explainer.measures.anatomy import Tokens
from explainer.pages.frame.changes import usable
from explainer.pages.frame.link import link_choice
from explainer.pages.frame.models import translator
from explainer.pages.frame.session import Specs, theme, trace_of, translation_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from explainer.capture.trace import Trace
    from explainer.translator.translator import Translation

Compare = Literal["after", "before", "difference"]
COMPARES: tuple[Compare, ...] = ("after", "before", "difference")


@dataclass(frozen=True)
class View:
    """A sentence, what the model made of it, and the colours to show it in.

    Attributes:
        sentence: English, as typed.
        checkpoint: Digest of the model.
        translation: What the unchanged model says; its tokens are what every trace is forced to.
        trace: The pass under the changes (or the plain one if there are none).
        theme: Colours.
        specs: The changes in force.
        compare: Whether figures show the pass after the changes, before them, or the difference.
        whole: Whether the trace holds every hook point.
        padding: How many `<pad>` stand after both sentences.
    """

    sentence: str
    checkpoint: str
    translation: "Translation"
    trace: "Trace"
    theme: Theme
    specs: Specs = ()
    compare: Compare = "after"
    whole: bool = False
    padding: int = 0

    @property
    def tokens(self) -> Tokens:
        """The tokens of both sides."""
        info = self.shown.info
        return Tokens(info.source, info.target, info.predicted)

    @cached_property
    def before(self) -> "Trace":
        """The pass without changes."""
        if not self.specs:
            return self.trace
        return self._trace(())

    def padded(self, padding: int) -> "View":
        """The same with `<pad>` after both sentences, as if longer ones were in the batch."""
        padded = replace(self, padding=padding)
        return replace(padded, trace=padded._trace(self.specs))

    def _trace(self, specs: Specs) -> "Trace":
        ids = self.translation.ids
        return trace_of(self.checkpoint, self.sentence, ids, specs, whole=self.whole, padding=self.padding)

    @property
    def shown(self) -> "Trace":
        """The pass that equations and stories are told of: after the changes, or before them."""
        return self.before if self.compare == "before" else self.trace

    @property
    def changed_translation(self) -> "Translation":
        """What beam search finds under the changes."""
        return translation_of(self.checkpoint, self.sentence, self.specs)

    @property
    def log_probs(self) -> tuple[float, float]:
        """Log p of `translation` in nats, before and after the changes."""
        ids = self.translation.ids
        one, two = (
            sequence_log_prob(trace[LOG_PROB][: len(ids)], ids) for trace in (self.before, self.trace)
        )
        return one, two

    @property
    def is_difference(self) -> bool:
        """Whether `values` are differences: signed, whatever they are differences of."""
        return self.compare == "difference" and bool(self.specs)

    def seen(self, path: str = "") -> "Trace":
        """What an equation reads: the arrays of `shown` and the model's parameters, under a module path."""
        everything = self.shown.beside(translator().parameters)
        return everything.under(path) if path else everything

    def values(self, name: str) -> np.ndarray:
        """What a figure shows of a hook: after, before, or after − before (0 where both are −∞)."""
        return self.derived(lambda trace: trace[name])

    def derived(self, compute: "Callable[[Trace], np.ndarray]") -> np.ndarray:
        """What a figure shows of something that is computed of a pass: as for `values`."""
        if not self.is_difference:
            return compute(self.shown)
        after, before = compute(self.trace), compute(self.before)
        with np.errstate(invalid="ignore"):
            return np.where(after == before, 0.0, after.astype(np.float64) - before)


def view_of(sentence: str, *, whole: bool = False) -> View | None:
    """Translate and trace; None after telling the visitor what is missing or wrong.

    Args:
        sentence: English, as typed.
        whole: Trace every hook point.
    """
    from explainer.checkpoints import CheckpointError
    from explainer.text.tidy import tidy
    from explainer.translator.translator import TooLongError

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
    checkpoint = model.checkpoint.digest
    try:
        translation = translation_of(checkpoint, sentence)
    except TooLongError as error:
        st.warning(
            f"**This sentence is too long for the picture:** {error}. "
            "A letter that the vocabulary lacks, such as a Hindi one, takes several tokens.",
            icon=":material/straighten:",
        )
        return None
    specs = usable(model.checkpoint.model.config, len(model.source_ids(sentence)) + 1, len(translation.ids))
    trace = trace_of(checkpoint, sentence, translation.ids, specs, whole=whole)
    compare = cast(Compare, link_choice("show", COMPARES, "after")) if specs else "after"
    return View(sentence, checkpoint, translation, trace, theme(), specs, compare, whole)
