"""The parts of a block (Vaswani et al. 2017, §3.1): which hook point holds which array of a sublayer, in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from explainer.language import _, mark
from explainer.measures.flow import DECODER_SUBLAYERS, ENCODER_SUBLAYERS
from explainer.measures.telling import is_word

Side = Literal["encoder", "decoder"]
SIDES: tuple[Side, ...] = ("encoder", "decoder")
SUBLAYERS = {"encoder": ENCODER_SUBLAYERS, "decoder": DECODER_SUBLAYERS}
NAMES = {
    "self_attention": mark("self-attention"),
    "cross_attention": mark("cross-attention"),
    "feed_forward": mark("feed-forward"),
}
HIDDEN = ("hidden", "relu")  # arrays of d_ff columns


@dataclass(frozen=True)
class Sublayer:
    """One sublayer with its residual addition and its layer norm.

    Attributes:
        side: Encoder or decoder.
        layer: From 0.
        name: self_attention, cross_attention or feed_forward.
        pre_norm: Whether the norm stands before the sublayer, x + f(norm(x)), and not after it, norm(x + f(x)).
    """

    side: Side
    layer: int
    name: str
    pre_norm: bool = False

    @property
    def path(self) -> str:
        """Module path of f."""
        return f"{self.side}.layers.{self.layer}.{self.name}"

    @property
    def residual(self) -> str:
        """Module path of the addition and its norm."""
        return f"{self.path}_residual"

    @property
    def spec(self) -> str:
        """As links of changes name it."""
        return f"{self.side}.{self.layer + 1}.{self.name}"

    @property
    def words(self) -> str:
        """In words."""
        encoder, decoder = _("encoder layer {layer}, {sublayer}"), _("decoder layer {layer}, {sublayer}")
        words = encoder if self.side == "encoder" else decoder
        return words.format(layer=self.layer + 1, sublayer=_(NAMES[self.name]))

    @property
    def before(self) -> "Sublayer | None":
        """The sublayer whose result this one reads; None for the first of the stack."""
        names = SUBLAYERS[self.side]
        place = names.index(self.name)
        if place:
            return Sublayer(self.side, self.layer, names[place - 1], self.pre_norm)
        return Sublayer(self.side, self.layer - 1, names[-1], self.pre_norm) if self.layer else None

    @property
    def result(self) -> str:
        """Hook of what the next sublayer reads, at the point that an equation explains."""
        return f"{self.residual}.{'hook_sum' if self.pre_norm else 'norm.hook_output'}"

    @property
    def hooks(self) -> dict[str, str]:
        """Array → hook, in the order in which the model computes them."""
        embedding = "source_embedding" if self.side == "encoder" else "target_embedding"
        start = {"before": self.before.result if self.before else f"{embedding}.hook_sum"}
        norm = {
            "normalised": f"{self.residual}.norm.hook_normalized",
            "output": f"{self.residual}.norm.hook_output",
        }
        inside = {"hidden": f"{self.path}.hook_pre", "relu": f"{self.path}.hook_post"}
        update = {**(inside if self.name == "feed_forward" else {}), "update": f"{self.path}.hook_output"}
        total = {"sum": f"{self.residual}.hook_sum"}
        if self.pre_norm:
            return {**start, **norm, **update, **total}
        return {**start, **update, **total, **norm}

    def sources(self, array: str) -> tuple[str, ...]:
        """The arrays that a array is computed from, if they are arrays of this sublayer too."""
        norm_of, read = ("before", "output") if self.pre_norm else ("sum", "before")
        return {
            "hidden": (read,),
            "relu": ("hidden",),
            "update": ("relu",) if self.name == "feed_forward" else (),
            "sum": ("before", "update"),
            "normalised": (norm_of,),
            "output": ("normalised",),
        }.get(array, ())


def has_words(pieces: Sequence[str]) -> bool:
    """Whether any token is a word or a piece of one, and no punctuation, special token or byte."""
    return any(map(is_word, pieces))


def most_changed(
    ratios: Float[np.ndarray, "layer sublayer position"],
    pieces: Sequence[str],
    layer: int | None = None,
    sublayer: int | None = None,
) -> tuple[int, int, int]:
    """Where a sublayer changes a word most: layer, sublayer and position of the largest ‖f(x)‖ / ‖x‖.

    Args:
        ratios: As `flow.updates` measures them.
        pieces: The token at each position; special tokens and punctuation count only if there is no word.
        layer: Look in this layer only.
        sublayer: Look in this sublayer only.
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
    """The largest and the smallest of one token's hidden units, in falling order.

    Args:
        units: u of each hidden unit.
        highest: How many of the largest.
        lowest: How many of the smallest.
        keep: A unit that is shown in any case: if it is not among them, in place of the last of the largest.
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
