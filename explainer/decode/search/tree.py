"""The search tree: what the steps of a beam search looked at, folded into nodes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from explainer.decode.search.prefixes import FrontierT
from explainer.decode.search.rules import BeamRules
from explainer.decode.search.step import Beam, BeamStep

ROOT, FORCED = "root", "forced"


@dataclass(frozen=True)
class Node:
    """A candidate that was ranked, and where it hangs.

    Attributes:
        number: Its place in `SearchTree.nodes`.
        parent: The number of the node it extends; None for the root.
        token: The token it adds; None for the root.
        token_log_prob: log p of that token.
        log_prob: Σ log p from the root on.
        score: `log_prob` after the length penalty.
        step: The step that looked at it; −1 for the root.
        rank: Its place in that step's pool, from 0.
        fate: "kept", "finished", "cut", "pruned"; "forced" if somebody put it there; "root".
    """

    number: int
    parent: int | None
    token: int | None
    token_log_prob: float
    log_prob: float
    score: float
    step: int
    rank: int
    fate: str


@dataclass
class SearchTree:
    """All candidates of the steps that were added. Nodes are numbered in the order in which they were ranked.

    A second search that starts from a beam of the first can be added to the same tree: its new branches are hung
    where they belong, and what both have looked at stands there once, with the fate that it had first.
    """

    nodes: list[Node] = field(default_factory=lambda: [Node(0, None, None, 0.0, 0.0, 0.0, -1, 0, ROOT)])
    _numbers: dict[tuple[int, ...], int] = field(default_factory=lambda: {(): 0}, repr=False)

    @classmethod
    def of(cls, steps: Iterable[BeamStep[FrontierT]]) -> "SearchTree":
        """The tree of a whole search."""
        tree = cls()
        for step in steps:
            tree.add(step)
        return tree

    def add(self, step: BeamStep[FrontierT]) -> list[Node]:
        """Hang the candidates of one step into the tree; returns the new nodes, best first.

        Raises:
            ValueError: a hypothesis that the step extends hangs in the air: earlier steps are missing.
        """
        prefixes = [tuple(row) for row in step.beam.tokens[0].tolist()]
        for prefix, log_prob in zip(prefixes, step.beam.log_prob[0].tolist(), strict=True):
            self._ensure(prefix, log_prob, step.rules)
        first = len(self.nodes)
        sums = zip(step.token_log_probs.tolist(), step.log_probs.tolist(), step.scores.tolist(), strict=True)
        candidates = zip(step.parents.tolist(), step.tokens.tolist(), sums, step.fates.tolist(), strict=True)
        for rank, (row, token, values, fate) in enumerate(candidates):
            self._hang((*prefixes[row], token), values, step.step, rank, fate)
        return self.nodes[first:]

    def force(self, beam: Beam[FrontierT], rules: BeamRules) -> Node:
        """Hang the hypothesis of a beam that `decode.search.force` made; returns its node.

        Raises:
            ValueError: what it extends hangs in the air.
        """
        prefix = tuple(beam.tokens[0, 0].tolist())
        self._ensure(prefix, float(beam.log_prob[0, 0]), rules)
        return self.nodes[self._numbers[prefix]]

    def find(self, tokens: Iterable[int]) -> Node | None:
        """The node at the end of this sequence of tokens, if a step looked at it."""
        number = self._numbers.get(tuple(tokens))
        return None if number is None else self.nodes[number]

    def path(self, node: Node) -> list[Node]:
        """The nodes from the first token to `node`."""
        nodes = []
        while node.parent is not None:
            nodes.append(node)
            node = self.nodes[node.parent]
        return nodes[::-1]

    def tokens(self, node: Node) -> tuple[int, ...]:
        """The tokens from the root to `node`."""
        return tuple(n.token for n in self.path(node) if n.token is not None)

    def children(self, node: Node) -> Iterator[Node]:
        """The candidates that extend `node`, best first within each step."""
        return (child for child in self.nodes if child.parent == node.number)

    def _ensure(self, prefix: tuple[int, ...], log_prob: float, rules: BeamRules) -> None:
        """Hang a hypothesis that no pool held: somebody forced its last token."""
        if prefix in self._numbers:
            return
        if prefix[:-1] not in self._numbers:
            raise ValueError(f"step {len(prefix)}: no node for {prefix[:-1]} yet, add earlier steps first")
        token_log_prob = log_prob - self.nodes[self._numbers[prefix[:-1]]].log_prob
        score = rules.penalty.score(log_prob, len(prefix))
        self._hang(prefix, (token_log_prob, log_prob, score), len(prefix) - 1, 0, FORCED)

    def _hang(
        self, path: tuple[int, ...], values: tuple[float, float, float], step: int, rank: int, fate: str
    ) -> None:
        if path in self._numbers:
            return
        number = self._numbers[path] = len(self.nodes)
        parent = self._numbers[path[:-1]]
        self.nodes.append(Node(number, parent, path[-1], *values, step, rank, fate))
