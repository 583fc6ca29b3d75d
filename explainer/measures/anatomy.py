"""Where attention happens in the model, and how its rows and columns are to be read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

Kind = Literal["encoder", "decoder", "cross"]
_PATH = re.compile(r"(encoder|decoder)\.layers\.(\d+)\.(self|cross)_attention")
KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")


@dataclass(frozen=True)
class Tokens:
    """The tokens of a sentence pair as a trace has them: see `TraceInfo`."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    predicted: tuple[str, ...]


def attention_path(kind: Kind, layer: int) -> str:
    """Module path of the attention of one layer, counted from 0."""
    part = "encoder" if kind == "encoder" else "decoder"
    return f"{part}.layers.{layer}.{'cross' if kind == 'cross' else 'self'}_attention"


def place_of(path: str) -> tuple[Kind, int] | None:
    """Kind and layer of the attention at a module path; None if there is none."""
    found = _PATH.match(path)
    if found is None:
        return None
    side, layer, attention = found.groups()
    kind: Kind = "cross" if attention == "cross" else "encoder" if side == "encoder" else "decoder"
    return kind, int(layer)


def attention_hooks(name: str) -> bool:
    """Whether a hook point belongs to attention: Q, K, V and the arrays up to the mixed values."""
    return ".attend." in name or name.endswith(("attention.hook_q", "attention.hook_k", "attention.hook_v"))


def n_layers(seen: Mapping[str, np.ndarray], kind: Kind) -> int:
    """How many layers have attention of this kind."""
    count = 0
    while f"{attention_path(kind, count)}.attend.hook_weights" in seen:
        count += 1
    return count


def all_weights(seen: Mapping[str, np.ndarray], kind: Kind) -> Float[np.ndarray, "layer head query key"]:
    """The attention weights of all layers and heads."""
    paths = (attention_path(kind, layer) for layer in range(n_layers(seen, kind)))
    return np.stack([seen[f"{path}.attend.hook_weights"] for path in paths])


def columns_of(kind: Kind, tokens: Tokens) -> tuple[str, ...]:
    """The token of each key."""
    return tokens.target if kind == "decoder" else tokens.source


def meaning_of_rows(kind: Kind, tokens: Tokens) -> tuple[str, ...]:
    """The token that each row is about: in cross-attention the one that the row predicts."""
    return {"encoder": tokens.source, "decoder": tokens.target, "cross": tokens.predicted}[kind]
