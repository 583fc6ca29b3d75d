"""What a page shows: a model's pass, the same under the changes that are in force, and what is compared."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import streamlit as st

from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.figures.escape import token_label
from explainer.figures.style import Theme
from explainer.language import _, mark
from explainer.pages.frame.changes import usable
from explainer.pages.frame.link import link_choice
from explainer.pages.frame.models import translator
from explainer.pages.frame.session import Specs, theme, trace_of, translation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from explainer.capture.trace import Trace, TraceInfo
    from explainer.text.tokenizer import Tokenizer
    from explainer.translator.translator import Translation, Translator

Compare = Literal["after", "before", "difference"]
COMPARES: tuple[Compare, ...] = (mark("after"), mark("before"), mark("difference"))


@dataclass(frozen=True)
class Shown:
    """A pass of a model and what is changed in it, whatever family the model is of.

    The model is fetched once for this view: pages, caches and code listings use this one. `compare` says whether
    figures show the pass after the changes, before them, or the difference.
    """

    model: "Translator"
    theme: Theme
    specs: Specs = ()
    compare: Compare = "after"

    def under(self, specs: Specs) -> "Trace":
        """The pass under these changes."""
        raise NotImplementedError

    @cached_property
    def trace(self) -> "Trace":
        """The pass under the changes in force."""
        return self.under(self.specs)

    @cached_property
    def before(self) -> "Trace":
        """The pass without changes."""
        return self.under(())

    @property
    def shown(self) -> "Trace":
        """The pass that equations and stories are told of: after the changes, or before them."""
        return self.before if self.compare == "before" else self.trace

    @property
    def tokenizer(self) -> "Tokenizer":
        """The model's vocabulary."""
        return self.model.checkpoint.tokenizer

    def name_of(self, token: int) -> str:
        """How the vocabulary spells a token, as a label."""
        return token_label(self.tokenizer.piece(token)).strip()

    def spelled(self, tokens: "Sequence[int]") -> str:
        """Tokens as text; the empty sentence is ∅."""
        return self.tokenizer.decode(tokens) or "∅"

    @property
    def is_difference(self) -> bool:
        """Whether `values` are differences: signed, whatever they are differences of."""
        return self.compare == "difference" and bool(self.specs)

    def seen(self, path: str = "") -> "Trace":
        """What an equation reads: the arrays of `shown` and the model's parameters, under a module path."""
        everything = self.shown.beside(self.model.parameters)
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


@dataclass(frozen=True, kw_only=True)
class Translated(Shown):
    """A sentence, what the unchanged model says, and the pass that is forced to that.

    With `whole` the traces hold every hook point; `padding` many `<pad>` stand after both sentences.
    """

    sentence: str
    translation: "Translation"
    whole: bool = False
    padding: int = 0

    @property
    def digest(self) -> tuple[object, ...]:
        """All that the view depends on: what is kept of one view serves every other one with the same digest."""
        about = (self.model.digest, self.sentence, self.translation.ids, self.specs, self.compare)
        return (*about, self.whole, self.padding, self.theme.name)

    @property
    def tokens(self) -> "TraceInfo":
        """The tokens of both sides."""
        return self.shown.info

    def under(self, specs: Specs) -> "Trace":
        """The pass under these changes, kept for all visitors."""
        ids = self.translation.ids
        return trace_of(self.model, self.sentence, ids, specs, whole=self.whole, padding=self.padding)

    @property
    def changed_translation(self) -> "Translation":
        """What beam search finds under the changes."""
        return translation_of(self.model, self.sentence, self.specs)

    @property
    def log_probs(self) -> tuple[float, float]:
        """Log p of `translation` in nats, before and after the changes."""
        ids = self.translation.ids
        one, two = (
            sequence_log_prob(trace[LOG_PROB][: len(ids)], ids) for trace in (self.before, self.trace)
        )
        return one, two


def view_of(sentence: str, *, whole: bool = False) -> Translated | None:
    """Translate and trace (`whole`: every hook point); None after telling the visitor what is missing or wrong."""
    from explainer.checkpoints import CheckpointError
    from explainer.text.tidy import tidy
    from explainer.translator.translator import TooLongError

    try:
        with st.spinner(_("Loading the translator …"), show_time=True):
            model = translator()
    except CheckpointError as error:
        told = _(
            "**The translator cannot be loaded.** {error}\n\nPut the folder back, or train a translator: "
            "`python -m explainer train --help`."
        )
        st.error(told.format(error=error), icon=":material/folder_off:")
        return None
    if not tidy(sentence):
        st.info(_("Type an English sentence above, or choose one of the examples."), icon=":material/edit:")
        return None
    try:
        translation = translation_of(model, sentence)
    except TooLongError as error:
        told = _(
            "**This sentence is too long for the picture:** {error}. "
            "A letter that the vocabulary lacks, such as a Hindi one, takes several tokens."
        )
        st.warning(told.format(error=error), icon=":material/straighten:")
        return None
    specs = usable(model.checkpoint.model, len(model.source_ids(sentence)) + 1, len(translation.ids))
    compare = cast(Compare, link_choice("show", COMPARES, "after")) if specs else "after"
    return Translated(model, theme(), specs, compare, sentence=sentence, translation=translation, whole=whole)
