"""A recorded search as the page shows it: the tree with what greedy search would have taken, and places in the link."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explainer.decode.search.tree import Node
from explainer.decode.watched.recording import RecordedStep, Recording, greedy_path
from explainer.figures.tree.nodes import GHOST, Tree
from explainer.language import _, mark

Tokens = tuple[int, ...]
_IN_WORDS = (
    ("kept", mark("{n} run on")), ("finished", mark("{n} finished")), ("cut", mark("{n} cut at the limit"))
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Told:
    """A recording, and what pictures of it need.

    Attributes:
        recording: The search, with what was forced.
        piece: How the vocabulary spells a token.
        greedy: What greedy search would have said, and its log p.
    """

    recording: Recording
    piece: Callable[[int], str]
    greedy: tuple[Tokens, float]

    @classmethod
    def of(cls, recording: Recording, piece: Callable[[int], str], unforced: Recording) -> "Told":
        """Also finds out what greedy search would have said: `unforced` is the search with nothing forced."""
        return cls(recording, piece, greedy_path(unforced))

    @property
    def moments(self) -> tuple[RecordedStep, ...]:
        """The steps."""
        return self.recording.moments

    @property
    def n_steps(self) -> int:
        """How many steps there are."""
        return len(self.moments)

    def tokens(self, place: int) -> Tokens:
        """The tokens from the root to a place in the tree of the picture."""
        nodes = self.recording.tree.nodes
        if place < len(nodes):
            return self.recording.tree.tokens(nodes[place])
        return self.greedy[0][: int(self.tree.levels[place])]

    def link_of(self, place: int) -> dict[str, str | None]:
        """What the link says after a click on a place: its hypothesis is looked at."""
        return {"node": spelled(self.tokens(int(place))) or None}

    def place(self, tokens: Tokens) -> int | None:
        """The place at the end of these tokens, None if there is none."""
        node = self.recording.tree.find(tokens)
        if node is not None:
            return node.number
        said = self.greedy[0]
        return self.tree.greedy[len(tokens) - 1] if tokens and said[: len(tokens)] == tokens else None

    def best(self, step: int) -> Tokens:
        """The hypothesis to look at first after a step: the best that runs on; at the end the best that has ended."""
        moment = self.moments[step]
        if step == self.n_steps - 1 and moment.finished:
            return moment.finished[0].tokens
        kept = [node for node in moment.nodes if node.fate in ("kept", "forced")]
        return self.recording.tree.tokens((kept or moment.nodes)[0])

    @cached_property
    def bests(self) -> tuple[Tokens, ...]:
        """What is looked at first after each step, and what has finished in the end."""
        ended = (one.tokens for one in self.recording.finished)
        return (*map(self.best, range(self.n_steps)), *ended)

    @cached_property
    def closest(self) -> int:
        """The step at which the best finished hypothesis took its least probable token."""
        finished = self.recording.finished
        best = self.recording.tree.find(finished[0].tokens if finished else self.best(self.n_steps - 1))
        assert best is not None, "a finished hypothesis is in the tree"
        return min(self.recording.tree.path(best), key=lambda node: node.token_log_prob).step

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """What each step did, in a few words."""
        return tuple(map(self._title, self.moments))

    def _title(self, moment: RecordedStep) -> str:
        fates = [node.fate for node in moment.nodes]
        if moment.report is None:
            return _("a token was forced")
        counts = ((fates.count(fate), told) for fate, told in _IN_WORDS)
        return ", ".join(_(told).format(n=count) for count, told in counts if count) or _("nothing is left")

    @cached_property
    def tree(self) -> Tree:
        """The tree of the picture: what was looked at and, after that, what only greedy search would have."""
        nodes = self.recording.tree.nodes
        ghosts = self._ghosts()
        everything = [*nodes, *ghosts]
        return Tree(
            parents=np.array([-1 if node.parent is None else node.parent for node in everything]),
            levels=np.array([node.step + 1 for node in everything]),
            names=["<s>" if node.token is None else self.piece(node.token) for node in everything],
            log_ps=_column([node.token_log_prob for node in everything]),
            log_probs=_column([node.log_prob for node in everything]),
            scores=_column([node.score for node in everything]),
            ranks=np.array([node.rank for node in everything]),
            fates=[node.fate for node in everything],
            greedy=tuple(self._greedy_places(len(nodes))),
            divisor_is_one=self._is_sum,
        )

    @property
    def _is_sum(self) -> bool:
        penalty = self.recording.rules.penalty
        return penalty.name == "none" or penalty.alpha == 0

    def _greedy_places(self, n_nodes: int) -> list[int]:
        places, next_ghost = [], n_nodes
        for length in range(1, len(self.greedy[0]) + 1):
            node = self.recording.tree.find(self.greedy[0][:length])
            places.append(next_ghost if node is None else node.number)
            next_ghost += node is None
        return places

    def _ghosts(self) -> list[Node]:
        """Nodes that only greedy search would have looked at, in the order of `_greedy_places`."""
        recording, said = self.recording, self.greedy[0]
        places = self._greedy_places(len(recording.tree.nodes))
        ghosts: list[Node] = []
        log_prob = 0.0
        for length, (token, place) in enumerate(zip(said, places, strict=True), start=1):
            token_log_prob = float(recording.read(said[: length - 1])[token])
            log_prob += token_log_prob
            if place >= len(recording.tree.nodes):
                score = recording.rules.penalty.score(log_prob, length)
                parent = places[length - 2] if length > 1 else 0
                ghosts.append(
                    Node(place, parent, token, token_log_prob, log_prob, score, length - 1, 99, GHOST)
                )
        return ghosts


def spelled(tokens: Sequence[int]) -> str:
    """Tokens as the link writes them."""
    return ".".join(map(str, tokens))


def _column(values: Sequence[float]) -> np.ndarray:
    return np.array(values, dtype=np.float64)
