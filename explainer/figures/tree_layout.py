"""Where the nodes of a search tree stand: step by step from left to right, and no two branches cross.

The order within a step is that of the parents, then the rank. So branches between two steps keep their order and
cannot cross. A node's place depends only on what came before it: while the tree grows nothing moves.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

_CARED, _OTHERS = 12.0, 1.0  # how firmly a node wants its place: those that run on, the others


def lay_out(
    parents: Int[np.ndarray, " node"],
    levels: Int[np.ndarray, " node"],
    runs_on: Bool[np.ndarray, " node"],
) -> Float[np.ndarray, " node"]:
    """The height of each node, in rows from the top; nodes of one level are at least one row apart.

    Nodes that run on want to stand at the height of their parent, their siblings around them; all stay within as many
    rows as the fullest level needs.

    Args:
        parents: The place of each node's parent in these arrays; −1 for the root, which comes first.
        levels: The step of each node; 0 for the root. Nodes of one level stand by rank.
        runs_on: Whether a node was kept.
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

    Args:
        wanted: Where each node would like to stand.
        weights: How much each cares.
        last: The lowest row; there must be room.

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
    flat = np.repeat([mean for mean, _, _ in blocks], [count for *_, count in blocks])
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
    """The nodes from which a goal can be reached, the goals among them.

    Args:
        parents: As for `lay_out`: each parent stands before its children.
        goals: Which nodes are goals.
    """
    alive = goals.tolist()
    up = parents.tolist()
    for node in range(len(up) - 1, 0, -1):
        if alive[node]:
            alive[up[node]] = True
    return np.array(alive, dtype=bool)
