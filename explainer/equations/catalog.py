"""Which equation explains a hook point: the one of the nearest module around it whose class has equations."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from explainer.capture.trace import Trace
from explainer.equations.equation import Equation

_BY_CLASS: dict[str, dict[str, Equation]] = {}


def register_equations(*classes: str, equations: Iterable[Equation]) -> None:
    """Let `equations` explain the hook points of modules of these classes; they name the hooks from there.

    A class may get more later, and the same ones twice.

    Raises:
        ValueError: another equation explains the same hook of the same class.
    """
    for one in equations:
        for name in classes:
            if _BY_CLASS.setdefault(name, {}).setdefault(one.explains, one) is not one:
                raise ValueError(f"{name}.{one.explains} is explained by another equation already")


class Explanation(NamedTuple):
    """An equation and whose names it reads."""

    equation: Equation
    module: str  # module path; "" for the model itself

    def seen(self, trace: Trace) -> Trace:
        """What the equation reads: the module's part of a trace with the model's parameters beside it."""
        return trace.under(self.module) if self.module else trace


def equation_of(hook: str, modules: Mapping[str, str]) -> Explanation | None:
    """The equation of what a hook point, by its full name, shows; None where there is none. Modules: path → class."""
    path = hook
    while path:
        path = path.rpartition(".")[0]
        own = hook.removeprefix(f"{path}.") if path else hook
        if (found := _BY_CLASS.get(modules.get(path, ""), {}).get(own)) is not None:
            return Explanation(found, path)
    return None


def explained_hooks(trace: Trace) -> tuple[str, ...]:
    """Those hook points of a trace that an equation explains, in their order."""
    return tuple(name for name in trace if equation_of(name, trace.info.modules) is not None)
