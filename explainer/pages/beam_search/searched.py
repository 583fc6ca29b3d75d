"""What is searched: the translator, the small Hindi model, or a table; and the searches of it that are kept."""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.capture.record import changed
from explainer.decode.search.exact import Rewinding
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.sources import source_of
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.wrappers import Remembered
from explainer.decode.watched.recording import Forced, greedy_path, recorded
from explainer.equations.output import LOG_PROB
from explainer.measures.anatomy import all_weights, cross_weights
from explainer.measures.telling import most_telling
from explainer.pages.beam_search.recorded import Tokens, Told
from explainer.pages.frame.caches import kept, kept_with_it, store
from explainer.pages.frame.panel import drawn
from explainer.pages.frame.session import Specs
from explainer.translator.translator import Translator
from explainer.whatif.changes import compiled, edited, parse

END = "</s>"


@dataclass(frozen=True, eq=False)
class Plain:
    """One hypothesis by a pass that feeds it whole, without a cache.

    `weights` are those of cross-attention in the rows that predict its tokens; a table has no source and no rows.
    """

    log_ps: Float[np.ndarray, " token"]
    source: tuple[str, ...] = ()
    weights: Float[np.ndarray, "layer head row source"] = field(
        default_factory=lambda: np.zeros((0, 0, 0, 0), dtype=np.float32)
    )


@dataclass(frozen=True, eq=False)
class Ground:
    """Something that can be searched, with the words for its tokens. Shared by all visitors.

    Attributes:
        name: "translator", "hindi" or "table".
        source: Its log-probabilities.
        piece: How the vocabulary spells a token.
        spell: The text of tokens.
        encode: The tokens of a typed text.
        check: The plain pass of a hypothesis.
        is_causal: Whether what follows in a hypothesis leaves the numbers before it as they are.
    """

    name: str
    source: Remembered[Any]
    end_id: int
    n_vocab: int
    piece: Callable[[int], str]
    spell: Callable[[Sequence[int]], str]
    encode: Callable[[str], list[int]]
    check: Callable[[Tokens], Plain]
    is_causal: bool = True
    _kept: Any = field(default_factory=lambda: store(mebibytes=8))
    _changing: threading.Condition = field(default_factory=threading.Condition)

    def sentence(self, tokens: Tokens) -> str:
        """A hypothesis as text, its end shown."""
        ends = bool(tokens) and tokens[-1] == self.end_id
        text = self.spell(tokens[:-1] if ends else tokens)
        return f"{text} </s>".lstrip() if ends else text

    @kept_with_it
    def told(self, rules: BeamRules, forced: tuple[Forced, ...] = ()) -> Told:
        """The search under these rules, from what is kept as far as possible.

        One without a length penalty is recorded; others rank its steps anew.

        Raises:
            ValueError: a token cannot be forced there.
        """
        known = None if rules.penalty.name == "none" else self.told(_without_penalty(rules)).recording
        found = recorded(self.source, rules, forced, known)
        unforced = self.told(rules).recording if forced else found
        return Told(found, self.piece, greedy_path(unforced))

    def steps_without_penalty(self, rules: BeamRules, forced: tuple[Forced, ...]) -> int | None:
        """How many steps the search takes without its length penalty; None if it does not come to what is forced."""
        try:
            return self.told(_without_penalty(rules), forced).n_steps
        except ValueError:
            return None

    def plain(self, tokens: Tokens, within: Sequence[Tokens] = ()) -> Plain:
        """A plain pass over this hypothesis, or over a longer one that begins with it: its rows see nothing later.

        Those `within` will be asked for, too.
        """
        longer = [one for one in within if self.is_causal and one[: len(tokens)] == tokens]
        found, n = self._whole(max((tokens, *longer), key=len)), len(tokens)
        return replace(found, log_ps=found.log_ps[:n], weights=found.weights[:, :, :n])

    @kept_with_it
    def _whole(self, tokens: Tokens) -> Plain:
        return self.check(tokens)

    @kept_with_it
    def drawing(self, *key: Any, make: Callable[[], Any]) -> Any:
        """A figure that has been drawn before, ready to be sent; or a new one."""
        return drawn(make())

    @kept_with_it
    def telling_head(self, tokens: Tokens) -> tuple[int, int]:
        """Layer and head whose cross-attention tells most about this hypothesis."""
        found, names = self.plain(tokens), [self.piece(token) for token in tokens]
        best = most_telling(found.weights, names, found.source, same=False)
        return best.layer, best.head


def _without_penalty(rules: BeamRules) -> BeamRules:
    return replace(rules, penalty=LengthPenalty())


@kept(mebibytes=192, most=24)
def model_ground(name: str, model: Translator, text: str, specs: Specs, beam: int) -> Ground:
    """A sentence and a model. Each beam size has a cache of its own, lest one fills the other's.

    Raises:
        TooLongError: the sentence has too many tokens.
        ImpossibleError: a change cannot be made.
    """
    changes = tuple(map(parse, specs))
    network, tokenizer = model.checkpoint.model, model.checkpoint.tokenizer
    sources = source_batch([edited(changes, model.source_ids(text))])
    searched = source_of(network, sources, anew=any(change.needs_rows for change in changes))
    acts = compiled(changes, network)

    def around() -> AbstractContextManager[None]:
        return changed(network, acts)

    end_id = tokenizer.id_of(END)
    assert end_id is not None, "every vocabulary has it"
    return Ground(
        name=name,
        source=Remembered(searched, around),
        end_id=end_id,
        n_vocab=len(tokenizer),
        piece=tokenizer.piece,
        spell=tokenizer.decode,
        encode=lambda typed: _pieces(tokenizer, typed, end_id),
        check=lambda tokens: _by_the_model(model, text, tokens, specs),
        is_causal=isinstance(searched, Rewinding),  # with a cache: no token changes those before it
    )


def _pieces(tokenizer: Any, typed: str, end_id: int) -> list[int]:
    """The pieces of a typed text: a new word, or, if it begins with no letter, what follows a word without a space."""
    text = typed.strip()
    if text == END:
        return [end_id]
    if text and not text[0].isalnum():
        glued = tokenizer.encode(f"a{text}")
        if tokenizer.piece(glued[0]) == " a":
            return glued[1:]
    return tokenizer.encode(text) if text else []


def _by_the_model(model: Translator, text: str, tokens: Tokens, specs: Specs) -> Plain:
    """Teacher forcing: one pass over the whole hypothesis, nothing cached."""

    def wanted(hook: str) -> bool:
        return hook == LOG_PROB or cross_weights(hook)

    changes = tuple(map(parse, specs))
    trace = model.trace(text, tokens, wanted=wanted, changes=changes)
    rows = np.arange(len(tokens))
    log_ps = trace[LOG_PROB][rows, list(tokens)]
    return Plain(log_ps, trace.info.source, all_weights(trace, "cross")[:, :, : len(tokens)])
