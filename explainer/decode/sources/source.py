"""Any model as a source for a search: each family registers how it is read."""

from functools import singledispatch
from typing import Any

from jaxtyping import Int
from torch import Tensor, nn

from explainer.decode.search.prefixes import NextLogProbs


@singledispatch
def source_of(
    model: nn.Module, sources: Int[Tensor, "sentence source"], *, anew: bool = False
) -> NextLogProbs[Any]:
    """The model as a source of next-token log-probabilities, read in the fastest way that gives its numbers.

    Args:
        model: In eval mode.
        sources: Padded token ids; each sentence ends in `</s>`.
        anew: Read every token anew at each step: a change of the pass may need all rows.

    Raises:
        TypeError: no file of `explainer.decode.sources` reads such models.
        ValueError: the model is in training mode.
    """
    raise TypeError(f"{type(model).__name__}: no file of explainer.decode.sources reads such models")
