"""Forward passes only: one file per idea of the paper, one hook point per symbol of its equations."""

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explainer.model.families import FAMILIES

__all__ = ["FAMILIES"]


def __getattr__(name: str) -> Any:
    """`FAMILIES`, once each family has registered itself; imported when it is asked for: sizes alone need no torch."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for file in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{file.name}")
    return importlib.import_module(f"{__name__}.families").FAMILIES
