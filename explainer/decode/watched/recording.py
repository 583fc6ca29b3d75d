"""A search as it is told: step by step, with tokens that somebody forced on the way."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from explainer.decode.search.beam import beam_search, first_beam, force
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rerank import continued, reranked
from explainer.decode.search.rules import BeamRules
from explainer.decode.search.step import Beam, BeamStep
from explainer.decode.search.tree import Node, SearchTree
from explainer.decode.sources.wrappers import Remembered

Tokens = tuple[int, ...]
_NODE_BYTES = 1600  # a candidate in the tree and in the report of its step, as tracemalloc counts
_Rows = dict[Tokens, tuple[Beam[Any], int]]  # where what may follow a prefix was read: a beam, and its row


@dataclass(frozen=True)
class Forced:
    """What somebody wants to be said: after `prefix`, the `tokens`."""

    prefix: Tokens
    tokens: Tokens


@dataclass(frozen=True, eq=False)
class RecordedStep:
    """One step of what is told.

    Attributes:
        nodes: The nodes that it added to the tree: the pool, best first; or the one that was forced.
        report: The step of the search; None if a token was forced.
        finished: The pool of finished hypotheses after it.
    """

    nodes: tuple[Node, ...]
    report: BeamStep[Any] | None
    finished: tuple[Hypothesis, ...]


@dataclass(frozen=True, eq=False)
class Recording:
    """A search that came to its end.

    Attributes:
        source: What was searched.
        rules: How.
        forced: What was forced.
        moments: What happened, the i-th at step i + 1: it added tokens at position i + 1.
        tree: All that was looked at.
        rows: Where each prefix was read.
    """

    source: Remembered[Any]
    rules: BeamRules
    forced: tuple[Forced, ...]
    moments: tuple[RecordedStep, ...]
    tree: SearchTree
    rows: Mapping[Tokens, tuple[Beam[Any], int]]

    @property
    def nbytes(self) -> int:
        """About how much memory it takes; what was read belongs to the source."""
        return _NODE_BYTES * len(self.tree.nodes)

    @property
    def finished(self) -> tuple[Hypothesis, ...]:
        """The result, best first."""
        return self.moments[-1].finished

    def read(self, prefix: Tokens) -> Float[np.ndarray, " vocab"]:
        """Log p of the token that follows `prefix`; it is read now if the search did not."""
        beam, row = _beam_at(self.source, self.rows, prefix)
        return beam.frontier.log_probs[0, row].numpy(force=True)


def recorded(
    source: Remembered[Any],
    rules: BeamRules,
    forced: Sequence[Forced] = (),
    known: Recording | None = None,
) -> Recording:
    """Search, and wherever a token is forced, go on from there.

    Up to a forced token the steps are those of the search before; its own candidates at that step are not shown.

    Args:
        source: What to search.
        rules: How to search.
        forced: What is forced, in this order; each prefix must be in the tree by then, and go on from the one before.
        known: The same search, nothing forced, under another length penalty: it is ranked anew, not searched again.

    Raises:
        ValueError: a prefix was never looked at, has ended, or leaves no room below the limit.
    """
    tree, moments, rows = SearchTree(), [], {}
    start: Beam[Any] | None = None
    ended, said = False, ()
    for one in forced:
        if one.prefix[: len(said)] != said:
            raise ValueError("a token is forced on another branch than the one before it")
        if not ended:
            search = _search(source, rules, start, known)
            _go_on(search, len(one.prefix), tree, moments, rows)
        del moments[len(one.prefix) :]
        _check(one, tree, rules)
        beam, row = _beam_at(source, rows, one.prefix)
        for token in one.tokens:
            beam, row = force(source, beam, row, token), 0
            rows[tuple(beam.tokens[0, 0].tolist())] = beam, 0
            moments.append(_forced_moment(beam, tree, rules))
        start, ended, said = beam, bool(moments[-1].finished), (*one.prefix, *one.tokens)
    if not ended:
        _go_on(_search(source, rules, start, known), None, tree, moments, rows)
    return Recording(source, rules, tuple(forced), tuple(moments), tree, rows)


def greedy_path(recording: Recording) -> tuple[Tokens, float]:
    """What greedy search says from the start, and its log p; reads on where the recorded search did not go."""
    rules, said, log_prob = recording.rules, (), 0.0
    while len(said) < rules.max_new_tokens and (not said or said[-1] != rules.end_id):
        row = recording.read(said)
        token = int(row.argmax())
        said, log_prob = (*said, token), log_prob + float(row[token])
    return said, log_prob


def _search(
    source: Remembered[Any], rules: BeamRules, start: Beam[Any] | None, known: Recording | None
) -> Iterator[BeamStep[Any]]:
    """The steps of a search; from its beginning, those of the known one as far as they go."""
    if start is not None or known is None:
        yield from beam_search(source, rules, start)
        return
    under = reranked([one.report for one in known.moments if one.report is not None], rules.penalty)
    yield from under
    yield from continued(source, under)


def _go_on(
    search: Iterator[BeamStep[Any]],
    until: int | None,
    tree: SearchTree,
    moments: list[RecordedStep],
    rows: _Rows,
) -> None:
    """Add the steps of a search; those from `until` on are left out."""
    for report in search:
        for row, prefix in enumerate(report.beam.tokens[0].tolist()):
            rows.setdefault(tuple(prefix), (report.beam, row))
        if report.step == until:
            return
        moments.append(RecordedStep(tuple(tree.add(report)), report, report.finished))


def _forced_moment(beam: Beam[Any], tree: SearchTree, rules: BeamRules) -> RecordedStep:
    node = tree.force(beam, rules)
    tokens = tree.tokens(node)
    done = tokens[-1] == rules.end_id
    ended = Hypothesis(tokens, node.log_prob, node.score, finished=done)
    stops = done or len(tokens) == rules.max_new_tokens
    return RecordedStep((node,), None, (ended,) if stops else ())


def _check(one: Forced, tree: SearchTree, rules: BeamRules) -> None:
    if not one.tokens:
        raise ValueError("no token is forced")
    if tree.find(one.prefix) is None:
        raise ValueError("the search never looked at the beginning after which a token is forced")
    if rules.end_id in (*one.prefix, *one.tokens[:-1]):
        raise ValueError("nothing follows the end of a sentence")
    length = len(one.prefix) + len(one.tokens)
    if length > rules.max_new_tokens:
        raise ValueError(f"{length} tokens: the limit is {rules.max_new_tokens}")


def _beam_at(
    source: Remembered[Any], rows: Mapping[Tokens, tuple[Beam[Any], int]], prefix: Tokens
) -> tuple[Beam[Any], int]:
    """A beam one of whose hypotheses is `prefix`, and which: the recorded one, or one that is read now."""
    if prefix in rows:
        return rows[prefix]
    if not prefix:
        return first_beam(source), 0
    beam, row = _beam_at(source, rows, prefix[:-1])
    return force(source, beam, row, prefix[-1]), 0
