"""The parts of a model: its attentions, its sublayers with their norms, its layers and positions, and where each is.

What a model of any family has is read off the classes of its modules: those of a trace, or of a model that has not
run yet. How the Transformer calls its parts is spelled here and in `explainer.model` alone, but for the head that every
family has (`equations.output`).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from explainer.capture.trace import Trace, TraceInfo
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
KIND_NAMES: Mapping[Kind, str] = {
    "encoder": mark("encoder self-attention"),
    "decoder": mark("decoder self-attention"),
    "cross": mark("cross-attention"),
}
EMBEDDINGS = {"source": "source_embedding", "target": "target_embedding"}  # module paths
TOKENS = {side: f"{path}.hook_token" for side, path in EMBEDDINGS.items()}  # E[tokens]
MEMORY = "encoder.hook_memory"
ENDS: Mapping[Side, str] = {"encoder": MEMORY, "decoder": "decoder.hook_final"}  # what leaves a stack
FINAL_NORM = "decoder.norm"  # of a pre-norm model: after its last layer
_LANGUAGES: Mapping[Side, str] = {"encoder": "source", "decoder": "target"}  # what each stack reads
_RESIDUAL = "_residual"
_CLASSES = {  # ends of paths → the classes of the package's parts
    "_attention": "MultiHeadAttention",
    "feed_forward": "FeedForward",
    _RESIDUAL: "Residual",
    ".norm": "LayerNorm",
    **dict.fromkeys(EMBEDDINGS.values(), "InputEmbedding"),
}
_PART = re.compile(r"(encoder|decoder)\.layers\.(\d+)(?:\.(\w+))?")


class Part(NamedTuple):
    """What a path names: a layer (from 0) of a stack, and the module or hook point right below it; "" for none."""

    side: Side
    layer: int
    name: str


@dataclass(frozen=True)
class Sublayer:
    """One sublayer f of a layer (from 0) with its residual addition and its layer norm (Vaswani et al. 2017, §3.1).

    `name` is self_attention, cross_attention or feed_forward, `path` the module path of f, `residual` that of the
    addition and its norm. `pre_norm`: x + f(norm(x)), and not norm(x + f(x)). `reads` is the hook of x: the result of
    the sublayer before, or the embedding.
    """

    side: Side
    layer: int
    name: str
    path: str
    residual: str
    pre_norm: bool = False
    reads: str = ""

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
        norms: Module paths of all layer norms.
        sublayers: Stack → for each layer its sublayers by name, in the order of the pass.
        positions: Side (source, target) → hook point of what is added to its embeddings.
        heads: Module path of an attention → how many heads it has, and the width d_k of a query; known of a model.
        words: Token ids that can stand in a sentence; known of a model.
    """

    attentions: Mapping[Kind, tuple[str, ...]]
    norms: tuple[str, ...]
    sublayers: Mapping[str, tuple[Mapping[str, Sublayer], ...]]
    positions: Mapping[str, str]
    heads: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    words: range = range(0)


def anatomy_of(modules: Mapping[str, str], hooks: Iterable[str] = ()) -> Anatomy:
    """Read it off the classes of a model's modules, in its order (`TraceInfo.modules`, `classes_of`).

    Where paths do not say it as the Transformer's do, the side is that of the name of the model's class (the
    encoder's if it names none), a layer ends where a sublayer would be in it twice, and the residual additions belong
    to the attentions and feed-forward layers in the order of the model. Hooks, in the order of a pass, tell where the
    norms stand, if all are there; else a model is pre-norm on a side where a norm stands outside all residual
    additions.
    """
    return _read(tuple(modules.items()), tuple(hooks))


@lru_cache(maxsize=16)  # models: a page asks a dozen times, which would take longer than what it measures
def _read(classes: tuple[tuple[str, str], ...], hooks: tuple[str, ...]) -> Anatomy:
    modules = dict(classes)
    home = _side(modules.get("", "").lower(), "encoder")  # of what does not say where it belongs
    attentions: dict[Kind, tuple[str, ...]] = {}
    for path in _of(modules, "MultiHeadAttention"):
        kind = "cross" if "cross" in path else _side(path, home)
        attentions[kind] = (*attentions.get(kind, ()), path)
    embeddings = {
        next((one for one in EMBEDDINGS if one in path), _LANGUAGES[home]): path
        for path in _of(modules, "InputEmbedding", "SinusoidalEmbedding")
    }
    reads: dict[Side, str] = {
        side: f"{embeddings[one]}.hook_sum" for side, one in _LANGUAGES.items() if one in embeddings
    }
    return Anatomy(
        attentions,
        _of(modules, "LayerNorm"),
        _sublayers(modules, hooks, home, reads),
        {one: f"{path}.hook_position" for one, path in embeddings.items()},
    )


def _sublayers(
    modules: Mapping[str, str], hooks: tuple[str, ...], home: Side, reads: dict[Side, str]
) -> dict[str, tuple[Mapping[str, Sublayer], ...]]:
    order = {hook: place for place, hook in enumerate(hooks)}
    parts, residuals = _of(modules, "MultiHeadAttention", "FeedForward"), _of(modules, "Residual")
    norms = _of(modules, "LayerNorm")
    last_norms = {_side(path, home) for path in norms if path.rpartition(".")[0] not in residuals}
    stacks: dict[Side, dict[int, dict[str, Sublayer]]] = {}
    if (named := tuple(one.removesuffix(_RESIDUAL) for one in residuals)) and set(named) <= set(parts):
        parts = named
    for path, residual in zip(parts, residuals, strict=False):  # what is not added to the stream is none
        side, name, part = _side(path, home), _name(path, modules[path]), part_of(path)
        stack = stacks.setdefault(side, {})
        layer = part.layer if part else next(n for n in count() if name not in stack.get(n, ()))
        norm, update = (order.get(f"{residual}.{hook}") for hook in ("norm.hook_output", "hook_update"))
        is_pre_norm = side in last_norms if norm is None or update is None else norm < update
        before = reads.get(side, f"{residual}.hook_before")
        one = Sublayer(side, layer, name, path, residual, is_pre_norm, before)
        stack.setdefault(layer, {})[name], reads[side] = one, one.result
    return {side: tuple(stack.values()) for side, stack in stacks.items()}


def _of(modules: Mapping[str, str], *classes: str) -> tuple[str, ...]:
    return tuple(path for path, name in modules.items() if name in classes)


def _side(path: str, otherwise: Side) -> Side:
    if "encoder" in path:
        return "encoder"
    return "decoder" if "decoder" in path else otherwise


def _name(path: str, kind: str) -> str:
    if kind == "FeedForward":
        return "feed_forward"
    return "cross_attention" if "cross" in path else "self_attention"


def parts_of(trace: Trace) -> Anatomy:
    """The parts of the model that a trace is of; of an old trace without classes, what its hooks belong to."""
    return anatomy_of(trace.info.modules or _classes(trace), trace)


def _classes(hooks: Iterable[str]) -> dict[str, str]:
    """Module path → class, of what the hooks of a Transformer belong to."""
    paths = {hook[: dot.start()]: "" for hook in hooks for dot in re.finditer(r"\.", hook)}
    return {path: next((kind for end, kind in _CLASSES.items() if path.endswith(end)), "") for path in paths}


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


def cross_weights(name: str) -> bool:
    """Whether a hook point holds weights of cross-attention."""
    return name.endswith("cross_attention.attend.hook_weights")


def attention_hooks(name: str) -> bool:
    """Whether a hook point belongs to attention: Q, K, V and the arrays up to the mixed values."""
    return ".attend." in name or name.endswith(("attention.hook_q", "attention.hook_k", "attention.hook_v"))


def n_layers(trace: Trace, kind: Kind) -> int:
    """How many layers have attention of this kind."""
    return len(parts_of(trace).attentions.get(kind, ()))


def all_weights(trace: Trace, kind: Kind) -> Float[np.ndarray, "layer head query key"]:
    """The attention weights of all layers and heads."""
    return np.stack([trace[f"{path}.attend.hook_weights"] for path in parts_of(trace).attentions[kind]])


def columns_of(kind: Kind, tokens: TraceInfo) -> tuple[str, ...]:
    """The token of each key."""
    return tokens.target if kind == "decoder" else tokens.source


def meaning_of_rows(kind: Kind, tokens: TraceInfo) -> tuple[str, ...]:
    """The token that each row is about: in cross-attention the one that the row predicts."""
    return {"encoder": tokens.source, "decoder": tokens.target, "cross": tokens.predicted}[kind]
