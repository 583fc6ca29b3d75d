"""A sentence pair under teacher forcing: the typed sentence, a German target to type, the pass forced to it."""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from explainer.equations.loss import losses
from explainer.equations.output import FINAL, LOG_PROB, LOGIT, TABLE, sequence_log_prob
from explainer.figures.escape import for_markdown
from explainer.figures.heat.matrix import decoder_labels
from explainer.language import _, ngettext
from explainer.pages.frame.caches import kept
from explainer.pages.frame.cut import say_cut
from explainer.pages.frame.link import link_number, set_link
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import MAX_CHARACTERS, Specs, trace_of
from explainer.pages.frame.share import note
from explainer.pages.frame.view import Translated

_FIELD = "target-field"


@dataclass(frozen=True)
class ForcedPair:
    """What the page tells of: a view whose `translation` is the target, whoever wrote it, and a decoder row, from 0."""

    view: Translated
    row: int

    @property
    def ids(self) -> tuple[int, ...]:
        """The labels: the target, `</s>` last unless it is a translation that was cut."""
        return self.view.translation.ids

    @property
    def label(self) -> int:
        """The token that the selected row should say."""
        return self.ids[self.row]

    @property
    def logits(self) -> np.ndarray:
        """Of the selected row."""
        return self.view.shown[LOGIT][self.row]

    @property
    def log_p(self) -> np.ndarray:
        """Log-probabilities of the selected row."""
        return self.view.shown[LOG_PROB][self.row]

    @property
    def names(self) -> list[str]:
        """The rows: input → predicts."""
        return decoder_labels(self.view.tokens.target, self.view.tokens.predicted)


@kept(mebibytes=16)
def trained(view: Translated, epsilon: float) -> tuple[float, np.ndarray]:
    """The loss per token of the code that trains, and the gradient of each row's own on its output vector."""
    from explainer.train.learning.autograd import trained_loss

    return trained_loss(view.shown[FINAL], view.model.parameters[TABLE], view.translation.ids, epsilon)


def choose_pair(view: Translated, words: Words) -> ForcedPair | None:
    """The field of the German sentence, and the pass that is forced to it; None after saying why there is none."""
    own = view.translation.text
    text = st.query_params.get("target", own)[:MAX_CHARACTERS]
    typed = None if text == own else text
    note("target", text)
    if st.session_state.get(_FIELD) != text:  # not else: what is being typed would be overwritten
        st.session_state[_FIELD] = text
    st.markdown(words["target"])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="target-bar"):
        st.text_input(
            _("German, the target"), key=_FIELD, live=True, max_chars=MAX_CHARACTERS, on_change=_typed, args=(own,)
        )  # fmt: skip
        st.button(_("The model's own"), on_click=set_target, args=(None,), disabled=typed is None)
        if second := second_choice(view):
            st.button(_("Its second choice"), on_click=set_target, args=(second,), help=for_markdown(second))
        st.button(_("Reverse the words"), on_click=set_target, args=(" ".join(text.split()[::-1]),))
        st.button(_("The English sentence"), on_click=set_target, args=(view.sentence,))
    if typed is None:
        say_cut(view)
    forced = view if typed is None else _forced(view, text)
    if forced is None:
        return None
    each = losses(forced.before[LOG_PROB], forced.translation.ids)
    row = link_number("row", int(each.argmax()) + 1, 1, len(each)) - 1
    return ForcedPair(forced, row)


def _forced(view: Translated, text: str) -> Translated | None:
    """The same view, its translation replaced by what was typed."""
    from explainer.decode.search.prefixes import Hypothesis
    from explainer.text.tidy import tidy
    from explainer.text.tokenizer import END_ID
    from explainer.translator.translator import Translation

    text = tidy(text)
    ids = (*(view.tokenizer.encode(text) if text else ()), END_ID)
    if len(ids) > view.model.most_tokens + 1:
        told = ngettext(
            "**The German sentence is too long:** {n} token; the limit is {limit}. Please shorten it.",
            "**The German sentence is too long:** {n} tokens; the limit is {limit}. Please shorten it.",
            len(ids) - 1,
        )
        limit = view.model.most_tokens
        st.warning(told.format(n=len(ids) - 1, limit=limit), icon=":material/straighten:")
        return None
    specs = _fitting(view, len(ids))
    before = trace_of(view.model, view.sentence, ids)
    log_prob = sequence_log_prob(before[LOG_PROB], ids)
    target = Translation(text, (Hypothesis(ids, log_prob, log_prob, finished=True),))
    return replace(view, translation=target, specs=specs, whole=False)


def _fitting(view: Translated, n_rows: int) -> Specs:
    """The changes in force that this target has rows for; the others are told."""
    from explainer.whatif.change import Lengths
    from explainer.whatif.changes import check, parse

    kept: Specs = ()
    for spec in view.specs:
        try:
            changes = tuple(map(parse, (*kept, spec)))
            check(changes, view.model.checkpoint.model, Lengths(len(view.trace.info.source), n_rows))
        except ValueError as error:
            told = _("{change} does not act with this target: {reason}.")
            st.caption(told.format(change=for_markdown(spec), reason=for_markdown(str(error))))
        else:
            kept = (*kept, spec)
    return kept


def second_choice(view: Translated) -> str:
    """What else the beam search found; "" if nothing."""
    texts = [view.tokenizer.decode(one.words) for one in view.translation.hypotheses if one.finished]
    return next((text for text in texts if text and text != view.translation.text), "")


def _typed(own: str) -> None:
    text = st.session_state[_FIELD]
    set_target(None if text == own else text)


def set_target(text: str | None) -> None:
    """Put a German sentence into the link; None: the model's own translation."""
    set_link(target=text, row=None, next=None)
