"""The residual addition (Vaswani et al. 2017, §3.1; He et al. 2016), relative to a residual module.

It is the same with post-norm, where f reads x and the sum is normalised, and pre-norm, where f reads norm(x).
"""

import numpy as np

from explainer.equations.equation import Equation
from explainer.equations.story import as_written, written
from explainer.story import CellStory

BEFORE, UPDATE, ADDED = "hook_before", "hook_update", "hook_sum"


def _sum_cell(before: np.ndarray, update: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, dim = index
    return CellStory(
        symbol=rf"\residual{{x'_{{{position + 1},{dim + 1}}}}}",
        finish=rf"\residual{{{written(float(before[index]))}}} + {written(float(update[index]))}",
        after=lambda _: as_written(float(before[index])) + as_written(float(update[index])),
        result=float(before[index]) + float(update[index]),
    )


SUM = Equation(
    name="residual sum",
    latex=r"\residual{x'} = \residual{x} + f(\cdot)",
    source="Vaswani et al. 2017, §3.1",
    reads=(BEFORE, UPDATE),
    explains=ADDED,
    compute=lambda before, update: before + update,
    cell=_sum_cell,
    restates=True,
)
