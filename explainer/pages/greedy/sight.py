"""What the page about greedy decoding looks at: one step of one search."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations.decoding import runner_up, seen_of
from explainer.figures.heat.matrix import decoder_labels
from explainer.figures.style import probability
from explainer.pages.frame.cut import MOST_TOKENS
from explainer.pages.frame.link import choose, fell_back, set_link, spelled_number
from explainer.pages.frame.session import Specs
from explainer.pages.frame.stepper import stepper
from explainer.pages.frame.view import Translated
from explainer.pages.greedy.decoded import Decoded, decoded

if TYPE_CHECKING:
    from explainer.decode.watched.walk import Mode, Walk

MODE_NAMES = {"cache": "key/value cache", "re-feed": "re-feed everything"}


@dataclass(frozen=True, eq=False)
class Sight:
    """One step of a search.

    Attributes:
        view: The sentence and the colours.
        found: The search, in both modes.
        mode: Which of them is shown.
        step: From 0.
    """

    view: Translated
    found: Decoded
    mode: "Mode"
    step: int

    @property
    def specs(self) -> Specs:
        """The changes under which was searched."""
        return () if self.view.compare == "before" else self.view.specs

    @property
    def first(self) -> int:
        """The step that is shown first."""
        return self.found.closest

    @property
    def walk(self) -> "Walk":
        """The search in the mode that is shown."""
        return self.found.walk(self.mode)

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """`<s>` and the tokens that were said; piece t is what step t reads."""
        return pieces_of(self.view, self.found)

    @property
    def source(self) -> tuple[str, ...]:
        """The English tokens of the pass that is shown."""
        return self.view.tokens.source

    @property
    def label(self) -> str:
        """The step as `input → predicts`."""
        return decoder_labels(self.pieces[self.step : self.step + 1], self.pieces[self.step + 1 :][:1])[0]

    @property
    def token(self) -> int:
        """What this step says."""
        return self.walk.tokens[self.step]

    @property
    def log_probs(self) -> np.ndarray:
        """What this step says of the whole vocabulary."""
        return self.walk.log_probs[self.step]

    @cached_property
    def seen(self) -> dict[str, np.ndarray]:
        """What the equations of the search read."""
        return dict(seen_of(self.walk.log_probs, np.array(self.walk.tokens), self.walk.sums))


def sight_of(view: Translated) -> Sight:
    """Search, or remember the search; then the mode and the step that the link names."""
    specs = () if view.compare == "before" else view.specs
    found = decoded(view.model, view.sentence, specs)
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom", key="greedy-bar"):
        mode = _choose_mode(found)
        if not found.may_cache:
            st.caption("no key/value cache here: see below", width="content")
        step = _choose_step(view, found)
    return Sight(view, found, mode, step)


def pieces_of(view: Translated, found: Decoded) -> tuple[str, ...]:
    """`<s>` and the tokens of a search, as the vocabulary spells them."""
    from explainer.text.tokenizer import START_ID

    return tuple(view.tokenizer.pieces([START_ID, *found.plain.tokens]))


def link_pair(name: str, n_steps: int, n_tokens: int) -> tuple[int, int] | tuple[None, None]:
    """A step (in the link from 1) and a token id, `9.1234`; nothing if the link names none or one that cannot be."""
    raw = st.query_params.get(name)
    if raw is None:
        return None, None
    step, token = map(spelled_number, raw.partition(".")[::2])
    if step is not None and token is not None and 1 <= step <= n_steps and token < n_tokens:
        return step - 1, token
    fell_back(name, raw, f"step.token up to {n_steps}.{n_tokens - 1}")
    return None, None


def say_why_first(sight: Sight) -> str:
    """Which step is shown first, and why."""
    row = sight.found.plain.log_probs[sight.first]
    best, second = int(row.argmax()), runner_up(row)
    one, two = (probability(float(np.exp(row[token]))) for token in (best, second))
    piece = sight.view.tokenizer.piece
    return f"{_quoted(piece(best))} {one} against {_quoted(piece(second))} {two}"


def _quoted(piece: str) -> str:
    from explainer.figures.escape import for_markdown, token_label

    return f"“{for_markdown(token_label(piece).strip())}”"


def _choose_mode(found: Decoded) -> "Mode":
    options: tuple[Mode, ...] = ("cache", "re-feed") if found.may_cache else ("re-feed",)
    if st.query_params.get("decoder") == "cache" and not found.may_cache:
        set_link(decoder=None)  # a change came after the choice; the page says why
    return choose(
        "decoder",
        "The decoder",
        options,
        options[0],
        format_func=MODE_NAMES.__getitem__,
        label_visibility="collapsed",
    )


def _choose_step(view: Translated, found: Decoded) -> int:
    pieces = pieces_of(view, found)
    titles = decoder_labels(pieces[:-1], pieces[1:])
    row = spelled_number(st.query_params.get("row", ""))
    if row is not None and len(titles) < row <= MOST_TOKENS:
        set_link(row=str(len(titles)))  # a change made the translation shorter
    return stepper("row", titles, default=found.closest)
