"""Models as sources of next-token log-probabilities: what a search reads, cached, fused and counted."""

import importlib
import pkgutil

from explainer.decode.sources.source import source_of

__all__ = ["source_of"]

for _file in pkgutil.iter_modules(__path__):  # each family registers how it is read
    importlib.import_module(f"{__name__}.{_file.name}")
