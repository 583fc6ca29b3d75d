"""What changes ask of a model: its attentions, residual additions, positions and words, and where each hooks in.

The one file of this room that knows how a model is built.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from explainer.measures.anatomy import KINDS, Kind, attention_path
from explainer.measures.sublayers import SIDES, SUBLAYERS, Side, Sublayer
from explainer.model.config import TransformerConfig
from explainer.text.tokenizer import END_ID


@dataclass(frozen=True)
class Attention:
    """The attention of one layer.

    Attributes:
        attend: Module path of what scores the keys and mixes the values.
        n_heads: Its heads.
        d_head: Width of a query and of a key, d_k.
    """

    attend: str
    n_heads: int
    d_head: int


@dataclass(frozen=True)
class Anatomy:
    """The parts of a model that can be changed.

    Attributes:
        attentions: For each kind of attention that it has, its layers.
        residuals: For each of its stacks (encoder, decoder) and each layer: sublayer → module path of its residual.
        positions: Side (source, target) → hook point of what is added to its embeddings.
        words: Token ids that can stand in a sentence.
    """

    attentions: Mapping[Kind, tuple[Attention, ...]]
    residuals: Mapping[str, tuple[Mapping[str, str], ...]]
    positions: Mapping[str, str]
    words: range


@lru_cache(maxsize=8)
def anatomy_of(config: TransformerConfig) -> Anatomy:
    """The parts of an encoder-decoder Transformer."""
    depth = {
        "encoder": config.n_encoder_layers,
        "decoder": config.n_decoder_layers,
        "cross": config.n_decoder_layers,
    }

    def attention(kind: Kind, layer: int) -> Attention:
        return Attention(f"{attention_path(kind, layer)}.attend", config.n_heads, config.d_head)

    def residuals(side: Side, layer: int) -> dict[str, str]:
        return {name: Sublayer(side, layer, name).residual for name in SUBLAYERS[side]}

    return Anatomy(
        attentions={kind: tuple(attention(kind, layer) for layer in range(depth[kind])) for kind in KINDS},
        residuals={side: tuple(residuals(side, layer) for layer in range(depth[side])) for side in SIDES},
        positions={side: f"{side}_embedding.hook_position" for side in ("source", "target")},
        words=range(END_ID + 1, config.vocab_size),
    )
