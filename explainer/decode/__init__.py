"""Decoding: searches over anything that maps prefixes to next-token log-probabilities."""

from explainer.decode.search.beam import beam_search
from explainer.decode.search.rules import BeamRules
from explainer.decode.search.step import BeamStep
from explainer.decode.sources import source_of

__all__ = ["BeamRules", "BeamStep", "beam_search", "source_of"]
