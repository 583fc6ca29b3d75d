"""Equations: LaTeX, the same formula in NumPy, and the hook it explains. No torch, no Streamlit."""

import importlib
import pkgutil

from explainer.equations.catalog import equation_of, explained_hooks, register_equations

__all__ = ["equation_of", "explained_hooks", "register_equations"]

for _file in pkgutil.iter_modules(__path__):  # each registers its equations for the classes that they explain
    importlib.import_module(f"{__name__}.{_file.name}")
