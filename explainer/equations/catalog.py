"""Which equation explains a hook point: by the kind of module that the hook belongs to."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from explainer.capture.trace import Trace
from explainer.equations.attention import ATTENTION, PROJECTIONS
from explainer.equations.equation import Equation
from explainer.equations.feed_forward import FEED_FORWARD
from explainer.equations.output import HEAD
from explainer.equations.stream import EMBEDDING, NORM, POSITION, SUM

_LAYER = r"(?:encoder|decoder)\.layers\.\d+"
_RESIDUAL = rf"{_LAYER}\.(?:self_attention|cross_attention|feed_forward)_residual"
_KINDS: tuple[tuple[str, tuple[Equation, ...]], ...] = (
    (r"(?:source|target)_embedding", EMBEDDING),
    (rf"{_LAYER}\.(?:self|cross)_attention", (*PROJECTIONS, *ATTENTION)),
    (rf"{_LAYER}\.feed_forward", FEED_FORWARD),
    (_RESIDUAL, (SUM,)),
    (rf"(?:{_RESIDUAL}|encoder|decoder)\.norm", NORM),
)
_BY_MODULE = tuple(
    (re.compile(rf"({module})\.(.+)"), {one.explains: one for one in equations})
    for module, equations in _KINDS
)
_OF_THE_HEAD = {one.explains: one for one in HEAD}  # they name their hooks in full


class Explanation(NamedTuple):
    """An equation and whose names it reads."""

    equation: Equation
    module: str  # module path; "" if the equation names its hooks in full

    def seen(self, trace: Trace) -> Trace:
        """What the equation reads: the module's part of a trace with the model's parameters beside it."""
        return trace.under(self.module) if self.module else trace


def equation_of(hook: str, *, positions: str = "sinusoidal") -> Explanation | None:
    """The equation of what a hook point shows; None where there is none.

    Args:
        hook: Its full name, such as "encoder.layers.0.self_attention.attend.hook_scores".
        positions: How the model tells positions: only sinusoids have a formula, the others are a table.
    """
    if hook in _OF_THE_HEAD:
        return Explanation(_OF_THE_HEAD[hook], "")
    for pattern, equations in _BY_MODULE:
        found = pattern.fullmatch(hook)
        if found and found[2] in equations:
            equation = equations[found[2]]
            known = equation is not POSITION or positions == "sinusoidal"
            return Explanation(equation, found[1]) if known else None
    return None


def explained_hooks(names: Iterable[str], *, positions: str = "sinusoidal") -> tuple[str, ...]:
    """Those of the hook points that an equation explains, in their order; arguments as for `equation_of`."""
    return tuple(name for name in names if equation_of(name, positions=positions) is not None)
