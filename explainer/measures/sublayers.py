"""What is measured of a sublayer's arrays: where it changes a word most, mean and variance, how many units are off."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from explainer.measures.telling import is_word

HIDDEN = ("hidden", "relu")  # arrays of d_ff columns


def has_words(pieces: Sequence[str]) -> bool:
    """Whether any token is a word or a piece of one, and no punctuation, special token or byte."""
    return any(map(is_word, pieces))


def most_changed(
    ratios: Float[np.ndarray, "layer sublayer position"],
    pieces: Sequence[str],
    layer: int | None = None,
    sublayer: int | None = None,
) -> tuple[int, int, int]:
    """Where a sublayer changes a word most: layer, sublayer and position of the largest ‖f(x)‖ / ‖x‖ (`flow.updates`).

    One layer or sublayer may be looked at alone; special tokens and punctuation count only if there is no word.
    """
    usable = np.full(ratios.shape, -1.0)
    layers = slice(None) if layer is None else slice(layer, layer + 1)
    sublayers = slice(None) if sublayer is None else slice(sublayer, sublayer + 1)
    usable[layers, sublayers] = ratios[layers, sublayers]
    words = np.array([is_word(piece) for piece in pieces])
    if words.any():
        usable[:, :, ~words] = -1.0
    found = np.unravel_index(usable.argmax(), usable.shape)
    return int(found[0]), int(found[1]), int(found[2])


def moments(x: Float[np.ndarray, "position d_model"]) -> Float[np.ndarray, "2 position"]:
    """Mean and (biased) variance of each token's vector over its features, in float64."""
    wide = x.astype(np.float64)
    return np.stack([wide.mean(axis=-1), wide.var(axis=-1)])


def zero_share(active: Float[np.ndarray, "position d_ff"]) -> Float[np.ndarray, " position"]:
    """Share of the hidden units that ReLU left at 0, for each token."""
    return (active == 0).mean(axis=-1)


def most_active(
    units: Float[np.ndarray, " d_ff"], highest: int, lowest: int, keep: int
) -> Int[np.ndarray, " count"]:
    """The `highest` largest and the `lowest` smallest of one token's hidden units u, in falling order.

    The unit `keep` is shown in any case: if it is not among them, in place of the last of the largest.
    """
    order = np.argsort(-units, kind="stable")
    found = np.concatenate([order[:highest], order[max(highest, len(order) - lowest) :]])
    if keep not in found:
        found[min(highest, len(order)) - 1] = keep
    return found


OUTLIERS = 0.005  # share of the numbers of a vector that may lie beyond the end of its colours


def usual_bound(values: Float[np.ndarray, "..."]) -> float:
    """The number that all |values| but a few outliers do not exceed; 1 if it is 0."""
    return float(np.quantile(np.abs(values), 1 - OUTLIERS)) or 1.0


def strip_rows(arrays: Sequence[str]) -> list[str]:
    """The d_model-wide arrays, with gain and bias of the norm where they act: between x̂ and y."""
    rows = [array for array in arrays if array not in HIDDEN]
    place = rows.index("output")
    return [*rows[:place], "gain", "bias", *rows[place:]]
