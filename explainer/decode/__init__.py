"""Decoding: searches over anything that maps prefixes to next-token log-probabilities."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explainer.decode.search.beam import beam_search
    from explainer.decode.search.rules import BeamRules
    from explainer.decode.search.step import BeamStep
    from explainer.decode.sources import source_of

__all__ = ["BeamRules", "BeamStep", "beam_search", "source_of"]


def __getattr__(name: str) -> Any:
    """The public names, imported when they are asked for: rules alone need no torch."""
    import importlib

    room = {"beam_search": "search.beam", "BeamRules": "search.rules", "BeamStep": "search.step"}
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{room.get(name, 'sources')}"), name)
