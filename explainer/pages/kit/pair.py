"""One head on the page of the six steps: which query, key and dimension are selected, and its matrices."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from explainer.figures.style import span
from explainer.measures.telling import most_telling_term
from explainer.pages.frame import layout
from explainer.pages.frame.link import link_cell, link_choice
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place
from explainer.pages.kit.tensor import Tensor, show_matrix

BY_QUERY, BY_KEY = (
    ("hook_q", "attend.hook_mixed"),
    ("hook_k", "hook_v"),
)  # vectors: a row for each query, each key
_VECTORS = (*BY_QUERY, *BY_KEY)
_DOTS, _SCORES = ("attend.hook_dots",), ("attend.hook_scores",)


@dataclass(frozen=True)
class QueryKeyPair:
    """What stays selected from step to step: a query, a key and a dimension, from 0."""

    query: int
    key: int
    dim: int

    def with_cell(self, query: int, key: int) -> layout.Said:
        """What the link says after a click on a cell whose row is a query and whose column is a key."""
        return {"cell": f"{query + 1}.{key + 1}"}

    def with_query(self, query: int, dim: int) -> layout.Said:
        """What the link says after a click on a row and dimension of Q or Z."""
        return {"cell": f"{query + 1}.{self.key + 1}", "dim": str(dim + 1)}

    def with_key(self, key: int, dim: int) -> layout.Said:
        """What the link says after a click on a row and dimension of K or V."""
        return {"cell": f"{self.query + 1}.{key + 1}", "dim": str(dim + 1)}


def chosen_pair(view: Translated, place: Place) -> QueryKeyPair:
    """What the link selects; else the most telling weight and the largest term of its dot product."""
    seen = view.before.under(place.path)
    q, k = seen["hook_q"][place.head], seen["hook_k"][place.head]
    query, key = link_cell("cell", place.telling_cell(view), (len(q), len(k)))
    default = most_telling_term(q[query], k[key])
    return QueryKeyPair(query, key, link_choice("dim", range(1, q.shape[1] + 1), default + 1) - 1)


@dataclass(frozen=True)
class SelectedHead:
    """A head of a sentence, and what is selected in it."""

    view: Translated
    place: Place
    pair: QueryKeyPair

    def tensor(self, hook: str) -> Tensor:
        """What a figure shows of a hook of this head."""
        return self.place.tensor(self.view, hook)

    def cell(self, hook: str) -> tuple[int, int]:
        """The selected cell of a matrix."""
        if hook in BY_QUERY:
            return self.pair.query, self.pair.dim
        return (self.pair.key, self.pair.dim) if hook in BY_KEY else (self.pair.query, self.pair.key)

    def bound(self, hook: str) -> float:
        """One signed range for all vectors, one for dot products, one for scores: colours do not jump while stepping.

        The division by √d_k leaves the colours as they are and makes the range smaller.
        """
        group = _VECTORS if hook in _VECTORS else _DOTS if hook in _DOTS else _SCORES
        names = [f"{self.place.path}.{one}" for one in group]
        traces = (self.view.before, self.view.trace)
        return span(np.concatenate([trace[name].ravel() for trace in traces for name in names]))

    def show(self, hook: str, key: str, *, selected: bool = False, compact: bool = True, **lit: Any) -> None:
        """One matrix of this head; a click selects the query, key or dimension that the cell belongs to.

        `lit` is the `lit_row` or `lit_column` that the selected cell of another matrix was made of.
        """
        says: Callable[[int, int], layout.Said] = self.pair.with_cell
        if hook in _VECTORS:
            says = self.pair.with_key if hook in BY_KEY else self.pair.with_query
        show_matrix(
            self.view,
            self.tensor(hook),
            key=key,
            selected=self.cell(hook) if selected else None,
            says=says,
            bound=self.bound(hook),
            compact=compact,
            **lit,
        )
