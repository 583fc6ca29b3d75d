"""Logit lens (nostalgebraist 2020): what the output head says of a vector that has not been through all layers.

The layers below the last were never trained to be read this way: the loss sees the last one only.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from explainer.capture.trace import Trace
from explainer.equations.output import TABLE
from explainer.equations.softmax import log_softmax
from explainer.equations.stream import MEAN, NORM_OUTPUT, NORMALIZED, SCALE
from explainer.measures.anatomy import FINAL_NORM, layer_path, n_layers
from explainer.measures.flow import top

NORM = f"{FINAL_NORM}.weight", f"{FINAL_NORM}.bias"


@dataclass(frozen=True)
class Reading:
    """The k most probable tokens of each decoder layer and row, best first, and their probabilities among all."""

    ids: Int[np.ndarray, "layer row k"]
    probabilities: Float[np.ndarray, "layer row k"]


def lens(
    x: Float[np.ndarray, "row d_model"],
    table: Float[np.ndarray, "vocab d_model"],
    norm: tuple[Float[np.ndarray, " d_model"], Float[np.ndarray, " d_model"]] | None = None,
) -> Float[np.ndarray, "row vocab"]:
    """Log-probabilities log softmax(x Wᵀ), as if x, the stream after some decoder layer, were the last layer's result.

    The norm, gain and bias, stands before the head of a pre-norm model; post-norm layers end in theirs.
    """
    if norm is not None:
        x = NORM_OUTPUT.compute(NORMALIZED.compute(x, MEAN.compute(x), SCALE.compute(x)), *norm)
    return log_softmax(x @ table.T)


def read_layers(seen: Trace, k: int) -> Reading:
    """The lens after each decoder layer, `k` tokens of each row, of a trace with the model's parameters beside it."""
    norm = (seen[NORM[0]], seen[NORM[1]]) if NORM[0] in seen else None
    ids, probabilities = [], []
    for layer in range(n_layers(seen, "decoder")):
        log_probs = lens(seen[f"{layer_path('decoder', layer)}.hook_resid_post"], seen[TABLE], norm)
        ids.append(top(log_probs, k))
        probabilities.append(np.exp(np.take_along_axis(log_probs, ids[-1], axis=-1)))
    return Reading(np.stack(ids), np.stack(probabilities))
