r"""An equation: its LaTeX, the same formula in NumPy, the hooks it reads, and the hook whose tensor it explains.

In the LaTeX a symbol is wrapped in its role (`\query{Q}`); the page gives the role its colour.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from explainer.capture.trace import COMPUTED
from explainer.equations.story import CellStory


@dataclass(frozen=True, kw_only=True)
class Equation:
    """One formula, its symbols with roles, tied to what was captured; hooks are as their module names them.

    `compute` is operands (the hooks it `reads`) → result (that it `explains`), `cell` operands and an index → the
    arithmetic of that one cell. `restates`: whether the formula repeats one line of the program, from what that line
    was given: one sum, one product, one look-up for each number. That both agree then says nothing about either.
    """

    latex: str
    source: str
    reads: tuple[str, ...]
    explains: str
    compute: Callable[..., np.ndarray]
    cell: Callable[..., CellStory]
    restates: bool = False

    def operands(self, seen: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """The captured operands."""
        return [seen[name] for name in self.reads]

    def computed(self, seen: Mapping[str, np.ndarray]) -> np.ndarray:
        """What the model computed: an intervention may have replaced it afterwards."""
        name = f"{self.explains}{COMPUTED}"
        return seen[name if name in seen else self.explains]

    def deviation(self, seen: Mapping[str, np.ndarray]) -> float:
        """Max |formula − model| over all cells; cells that are −∞ must be so in both, else the result is ∞."""
        computed, model = self.compute(*self.operands(seen)), self.computed(seen)
        finite = np.isfinite(model)
        if not np.array_equal(np.isfinite(computed), finite):
            return float("inf")
        return float(np.abs(computed[finite] - model[finite]).max(initial=0.0))

    def agrees(self, seen: Mapping[str, np.ndarray]) -> bool:
        """Whether formula and model differ by no more than float32 rounding: 1e-4 of the largest number."""
        model = self.computed(seen)
        largest = float(np.abs(model[np.isfinite(model)]).max(initial=1.0))
        return self.deviation(seen) <= 1e-4 * largest

    def story(self, seen: Mapping[str, np.ndarray], index: tuple[int, ...]) -> CellStory:
        """The arithmetic of one cell of the result, with what the model has there.

        Raises:
            IndexError: there is no such cell.
        """
        model = self.computed(seen)
        if len(index) != model.ndim or any(not 0 <= i < n for i, n in zip(index, model.shape, strict=True)):
            raise IndexError(f"no cell {index} in {self.explains} of shape {model.shape}")
        return self.cell(*self.operands(seen), index).against(float(model[index]))
