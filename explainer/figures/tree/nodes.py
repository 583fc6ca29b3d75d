"""What a picture of a search tree is made of: the candidates as arrays, and which part of them is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from explainer.language import mark

_CARED, _OTHERS = 12.0, 1.0  # how firmly a node wants its place: those that run on, the others


def lay_out(
    parents: Int[np.ndarray, " node"],
    levels: Int[np.ndarray, " node"],
    runs_on: Bool[np.ndarray, " node"],
) -> Float[np.ndarray, " node"]:
    """The height of each node, in rows from the top; nodes of one level, by rank, are at least one row apart.

    Kept nodes, which run on, want to stand at the height of their parent, their siblings around them; all stay within
    as many rows as the fullest level needs. The root comes first, with parent −1 and level 0.
    """
    heights, order = np.zeros(len(parents)), np.zeros(len(parents), dtype=int)
    last = float(np.bincount(levels).max()) - 1
    heights[0] = last / 2
    for level in range(1, int(levels.max(initial=0)) + 1):
        here = np.flatnonzero(levels == level)
        here = here[np.argsort(order[parents[here]], kind="stable")]
        order[here] = np.arange(len(here))
        wanted = heights[parents[here]] + _beside(parents[here], runs_on[here])
        heights[here] = spread(wanted, np.where(runs_on[here], _CARED, _OTHERS), last)
    return heights


def spread(
    wanted: Sequence[float] | Float[np.ndarray, " node"],
    weights: Sequence[float] | Float[np.ndarray, " node"],
    last: float,
) -> Float[np.ndarray, " node"]:
    """Heights from 0 to `last`, in the given order, at least 1 apart, nearest to what is wanted (weighted squares).

    With node i moved up by i this is isotonic regression, solved by pooling adjacent violators; bounds clip it.

    Raises:
        ValueError: more nodes than rows.
    """
    if len(wanted) > last + 1:
        raise ValueError(f"{len(wanted)} nodes do not fit into {last + 1:g} rows")
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for i, (want, weight) in enumerate(zip(wanted, weights, strict=True)):
        block = (float(want) - i, float(weight), 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, heavy, count = blocks.pop()
            total = heavy + block[1]
            block = ((mean * heavy + block[0] * block[1]) / total, total, count + block[2])
        blocks.append(block)
    flat = np.repeat([mean for mean, *__ in blocks], [count for *__, count in blocks])
    return np.clip(flat, 0.0, last + 1 - len(wanted)) + np.arange(len(wanted))


def _beside(
    parents: Int[np.ndarray, " node"], runs_on: Bool[np.ndarray, " node"]
) -> Float[np.ndarray, " node"]:
    """How far below its parent each node wants to stand: siblings one apart, those that run on centred."""
    families: dict[int, list[int]] = {}
    for node, parent in enumerate(parents.tolist()):
        families.setdefault(parent, []).append(node)
    offsets = np.zeros(len(parents))
    for family in families.values():
        kept = [place for place, node in enumerate(family) if runs_on[node]] or range(len(family))
        middle = sum(kept) / len(kept)
        for place, node in enumerate(family):
            offsets[node] = place - middle
    return offsets


def on_the_way(
    parents: Int[np.ndarray, " node"], goals: Bool[np.ndarray, " node"]
) -> Bool[np.ndarray, " node"]:
    """The nodes from which a goal can be reached, the goals among them; parents stand before their children."""
    alive = goals.tolist()
    up = parents.tolist()
    for node in range(len(up) - 1, 0, -1):
        if alive[node]:
            alive[up[node]] = True
    return np.array(alive, dtype=bool)


RUNS = (mark("root"), mark("kept"), mark("forced"))  # fates of nodes that others may hang from
ENDS = (mark("finished"), mark("cut"))
PRUNED = mark("pruned")
GHOST = mark("greedy")  # the fate of a node that only greedy search would have looked at


@dataclass(frozen=True, eq=False)
class Tree:
    """All candidates of a search; every array has one entry for each node, parents before children.

    Attributes:
        parents: Place of the parent; −1 for the root, which comes first.
        levels: The step that looked at it, from 1; 0 for the root.
        log_probs: Σ log p from the root on; `scores` are that after the length penalty.
        ranks: The place in the pool of its step, from 0.
        fates: "root", "kept", "pruned", "finished", "cut", "forced", "greedy".
        greedy: The places that greedy search goes through, from the first token on.
        divisor_is_one: Whether the score is the sum: then it is not written a second time.
    """

    parents: Int[np.ndarray, " node"]
    levels: Int[np.ndarray, " node"]
    names: Sequence[str]
    log_ps: Float[np.ndarray, " node"]
    log_probs: Float[np.ndarray, " node"]
    scores: Float[np.ndarray, " node"]
    ranks: Int[np.ndarray, " node"]
    fates: Sequence[str]
    greedy: tuple[int, ...] = ()
    divisor_is_one: bool = False

    @cached_property
    def heights(self) -> Float[np.ndarray, " node"]:
        """Where each node stands, in rows from the top."""
        return lay_out(self.parents, self.levels, self.has_fate(*RUNS))

    @property
    def n_levels(self) -> int:
        """How many steps there are."""
        return int(self.levels.max())

    def has_fate(self, *fates: str) -> Bool[np.ndarray, " node"]:
        """Which nodes have one of these fates."""
        return np.fromiter((fate in fates for fate in self.fates), dtype=bool, count=len(self.fates))

    def path(self, node: int) -> list[int]:
        """The places from the root to a node."""
        found = [node]
        while self.parents[found[-1]] >= 0:
            found.append(int(self.parents[found[-1]]))
        return found[::-1]

    def alive(self, now: int) -> Bool[np.ndarray, " node"]:
        """Nodes that lead to a hypothesis that runs on after step `now`, or to one that has ended by then."""
        goals = (self.has_fate(*RUNS) & (self.levels == now)) | (self.has_fate(*ENDS) & (self.levels <= now))
        return on_the_way(self.parents, goals)


@dataclass(frozen=True, kw_only=True)
class Viewport:
    """What of a tree is drawn: the steps `first` to `last`.

    Attributes:
        now: The step that the search has come to; nothing later is drawn.
        selected: A node that is framed, with its path.
        without_dead: Leave out what leads nowhere, and what was pruned before the last step.
        ghost: Draw what greedy search would have taken.
    """

    first: int
    last: int
    now: int
    selected: int | None = None
    without_dead: bool = False
    ghost: bool = True


def visible_nodes(tree: Tree, shown: Viewport) -> Bool[np.ndarray, " node"]:
    """Which nodes are drawn: those of the steps in view that are asked for, and whatever these hang from."""
    seen = (tree.levels <= min(shown.last, shown.now)) & (tree.levels >= shown.first)
    ghosts = tree.has_fate(GHOST)
    if not shown.ghost:
        seen &= ~ghosts
    if shown.without_dead:
        kept = tree.alive(shown.now) | (tree.levels == shown.now)
        kept[tree.path(shown.selected) if shown.selected is not None else []] = True
        kept[list(tree.greedy)] |= shown.ghost
        seen &= kept
    parents = on_the_way(tree.parents, seen) & (tree.levels >= shown.first - 1)
    return seen | parents
