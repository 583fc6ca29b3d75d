"""The parts of a model: its attentions, its sublayers with their norms, its layers and positions, and where each is.

The one file that spells how a Transformer calls them. What a model has is read off the paths and classes of its
modules: those of a trace, or of a model that has not run yet.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from explainer.capture.trace import Trace
from explainer.language import _, mark

Kind = Literal["encoder", "decoder", "cross"]
Side = Literal["encoder", "decoder"]
KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")
SIDES: tuple[Side, ...] = ("encoder", "decoder")
NAMES = {
    "self_attention": mark("self-attention"),
    "cross_attention": mark("cross-attention"),
    "feed_forward": mark("feed-forward"),
}
_PART = re.compile(r"(encoder|decoder)\.layers\.(\d+)(?:\.(\w+))?")


class Part(NamedTuple):
    """What a path names: a layer (from 0) of a stack, and the module or hook point right below it; "" for none."""

    side: Side
    layer: int
    name: str


@dataclass(frozen=True)
class Sublayer:
    """One sublayer with its residual addition and its layer norm (Vaswani et al. 2017, §3.1).

    Attributes:
        side: Encoder or decoder.
        layer: From 0.
        name: self_attention, cross_attention or feed_forward.
        pre_norm: Whether the norm stands before the sublayer, x + f(norm(x)), and not after it, norm(x + f(x)).
        reads: Hook of x: the result of the sublayer before, or the embedding.
    """

    side: Side
    layer: int
    name: str
    pre_norm: bool = False
    reads: str = ""

    @property
    def path(self) -> str:
        """Module path of f."""
        return f"{layer_path(self.side, self.layer)}.{self.name}"

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
    def result(self) -> str:
        """Hook of what the next sublayer reads, at the point that an equation explains."""
        return f"{self.residual}.{'hook_sum' if self.pre_norm else 'norm.hook_output'}"

    @property
    def hooks(self) -> dict[str, str]:
        """Array → hook, in the order in which the model computes them."""
        start = {"before": self.reads}
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
        """The arrays that an array is computed from, if they are arrays of this sublayer too."""
        norm_of, read = ("before", "output") if self.pre_norm else ("sum", "before")
        return {
            "hidden": (read,),
            "relu": ("hidden",),
            "update": ("relu",) if self.name == "feed_forward" else (),
            "sum": ("before", "update"),
            "normalised": (norm_of,),
            "output": ("normalised",),
        }.get(array, ())


@dataclass(frozen=True)
class Anatomy:
    """The parts that a model has.

    Attributes:
        attentions: Kind of attention → the module path of each layer's.
        sublayers: Stack → for each layer its sublayers by name, in the order of the pass.
        positions: Side (source, target) → hook point of what is added to its embeddings.
        heads: Module path of an attention → how many heads it has, and the width d_k of a query; known of a model.
        words: Token ids that can stand in a sentence; known of a model.
    """

    attentions: Mapping[Kind, tuple[str, ...]]
    sublayers: Mapping[str, tuple[Mapping[str, Sublayer], ...]]
    positions: Mapping[str, str]
    heads: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    words: range = range(0)


def anatomy_of(modules: Mapping[str, str]) -> Anatomy:
    """Read it off the classes of a model's modules by their paths (`TraceInfo.modules`, `classes_of`)."""
    attentions: dict[Kind, tuple[str, ...]] = {}
    stacks: dict[Side, dict[int, dict[str, Sublayer]]] = {}
    reads = {"encoder": "source_embedding.hook_sum", "decoder": "target_embedding.hook_sum"}
    for part in dict.fromkeys(map(part_of, modules)):
        if part is None or part.name not in NAMES:
            continue
        one = Sublayer(*part, modules.get(f"{part.side}.norm") == "LayerNorm", reads[part.side])
        reads[part.side] = one.result
        stacks.setdefault(part.side, {}).setdefault(part.layer, {})[part.name] = one
        if place := place_of(one.path):
            attentions[place[0]] = (*attentions.get(place[0], ()), one.path)
    embeddings = {side: f"{side}_embedding" for side in ("source", "target")}
    return Anatomy(
        attentions,
        {side: tuple(stack.values()) for side, stack in stacks.items()},
        {side: f"{path}.hook_position" for side, path in embeddings.items() if path in modules},
    )


def parts_of(trace: Trace) -> Anatomy:
    """The parts of the model that a trace is of; of an old trace without classes, what its hooks belong to."""
    return anatomy_of(trace.info.modules or dict.fromkeys(trace, ""))


def layer_path(side: Side, layer: int) -> str:
    """Module path of a layer, counted from 0."""
    return f"{side}.layers.{layer}"


def attention_path(kind: Kind, layer: int) -> str:
    """Module path of the attention of one layer, counted from 0."""
    if kind == "cross":
        return f"{layer_path('decoder', layer)}.cross_attention"
    return f"{layer_path(kind, layer)}.self_attention"


def part_of(path: str) -> Part | None:
    """The layer that a path leads into; None if into none."""
    found = _PART.match(path)
    return found and Part("encoder" if found[1] == "encoder" else "decoder", int(found[2]), found[3] or "")


def place_of(path: str) -> tuple[Kind, int] | None:
    """Kind and layer of the attention at a module path; None if there is none."""
    part = part_of(path)
    if part is None or not part.name.endswith("_attention"):
        return None
    return "cross" if part.name == "cross_attention" else part.side, part.layer


@dataclass(frozen=True)
class Tokens:
    """The tokens of a sentence pair as a trace has them: see `TraceInfo`."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    predicted: tuple[str, ...]


def attention_hooks(name: str) -> bool:
    """Whether a hook point belongs to attention: Q, K, V and the arrays up to the mixed values."""
    return ".attend." in name or name.endswith(("attention.hook_q", "attention.hook_k", "attention.hook_v"))


def n_layers(trace: Trace, kind: Kind) -> int:
    """How many layers have attention of this kind."""
    return len(parts_of(trace).attentions.get(kind, ()))


def all_weights(trace: Trace, kind: Kind) -> Float[np.ndarray, "layer head query key"]:
    """The attention weights of all layers and heads."""
    return np.stack([trace[f"{path}.attend.hook_weights"] for path in parts_of(trace).attentions[kind]])


def columns_of(kind: Kind, tokens: Tokens) -> tuple[str, ...]:
    """The token of each key."""
    return tokens.target if kind == "decoder" else tokens.source


def meaning_of_rows(kind: Kind, tokens: Tokens) -> tuple[str, ...]:
    """The token that each row is about: in cross-attention the one that the row predicts."""
    return {"encoder": tokens.source, "decoder": tokens.target, "cross": tokens.predicted}[kind]
