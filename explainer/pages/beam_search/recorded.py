"""A recorded search as the page shows it: the tree with what greedy search would have taken, and places in the link."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explainer.decode.search.tree import Node
from explainer.decode.watched.recording import RecordedStep, Recording
from explainer.figures.tree.nodes import GHOST, Tree
from explainer.language import _, mark

Tokens = tuple[int, ...]
_IN_WORDS = (
    ("kept", mark("{n} run on")), ("finished", mark("{n} finished")), ("cut", mark("{n} cut at the limit"))
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Told:
    """A recording, and what pictures of it need.

    `piece` is how the vocabulary spells a token; `greedy` is `greedy_path` with nothing forced, and its log p.
    """

    recording: Recording
    piece: Callable[[int], str]
    greedy: tuple[Tokens, float]

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
        greedy, penalty = self._greedy_nodes(), self.recording.rules.penalty
        nodes = [*self.recording.tree.nodes, *(node for node in greedy if node.fate == GHOST)]
        return Tree(
            parents=np.array([-1 if node.parent is None else node.parent for node in nodes]),
            levels=np.array([node.step + 1 for node in nodes]),
            names=["<s>" if node.token is None else self.piece(node.token) for node in nodes],
            log_ps=np.array([node.token_log_prob for node in nodes]),
            log_probs=np.array([node.log_prob for node in nodes]),
            scores=np.array([node.score for node in nodes]),
            ranks=np.array([node.rank for node in nodes]),
            fates=[node.fate for node in nodes],
            greedy=tuple(node.number for node in greedy),
            divisor_is_one=penalty.name == "none" or penalty.alpha == 0,
        )

    def _greedy_nodes(self) -> list[Node]:
        """The way of greedy search; what the search did not look at is a ghost, numbered after all others."""
        tree, said = self.recording.tree, self.greedy[0]
        way, number = [tree.nodes[0]], len(tree.nodes)
        for length, token in enumerate(said, start=1):
            node = tree.find(said[:length])
            if node is None:
                log_p = float(self.recording.read(said[: length - 1])[token])
                log_prob = way[-1].log_prob + log_p
                score = self.recording.rules.penalty.score(log_prob, length)
                node = Node(number, way[-1].number, token, log_p, log_prob, score, length - 1, 99, GHOST)
                number += 1
            way.append(node)
        return way[1:]


def spelled(tokens: Sequence[int]) -> str:
    """Tokens as the link writes them."""
    return ".".join(map(str, tokens))
