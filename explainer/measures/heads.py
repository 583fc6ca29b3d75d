"""What each head does on this sentence, measured from its weights.

Every measure is a mean over rows that have a choice, those that may attend to two tokens or more: the first row of a
decoder has only itself to look at, which says nothing about the head.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from explainer.capture.trace import Trace
from explainer.equations.softmax import entropy
from explainer.measures.anatomy import Kind, columns_of, meaning_of_rows, parts_of
from explainer.measures.telling import how_telling, is_word
from explainer.text.tokenizer import BYTES, END, SPECIAL, START

Aim = Literal["previous", "next", "same", "start", "end", "first", "punctuation"]
AIMS: tuple[Aim, ...] = ("previous", "next", "same", "start", "end", "first", "punctuation")
AIMS_ACROSS: tuple[Aim, ...] = AIMS[3:]  # where rows and columns are different sentences


@dataclass(frozen=True, kw_only=True)
class Share:
    """Mean weight on one kind of token of the `n_rows` rows that have one to look at; `even`: if spread evenly."""

    weight: float
    even: float
    n_rows: int


@dataclass(frozen=True, kw_only=True)
class HeadMeasures:
    """One head (layer and head from 0) of one kind of attention on one sentence.

    Attributes:
        n_rows: Rows that have a choice.
        entropy: −Σ_j a_ij ln a_ij in nats: 0 when all weight is on one token.
        even_entropy: The same if weights were even: ln of the number of tokens that may be attended to.
        distance: Σ_j a_ij |i − j| in tokens; None in cross-attention, whose rows and columns are two languages.
        shares: By what is looked at; without what no row has, such as a next token under the look-ahead mask.
        focus: Mean over the word rows of the largest weight on another word.
        variety: Distinct words looked at, divided by the word rows.
        n_words: How many rows are about a word.
    """

    layer: int
    head: int
    n_rows: int
    entropy: float
    even_entropy: float
    distance: float | None
    shares: Mapping[Aim, Share]
    focus: float
    variety: float
    n_words: int

    @property
    def telling(self) -> float:
        """How firmly word rows look at words of their own: the largest one is shown first."""
        return self.focus * self.variety


def all_measures(trace: Trace, kind: Kind) -> list[HeadMeasures]:
    """Every head of a kind, layer by layer. In cross-attention a row is about the token it predicts."""
    found = []
    queries, keys = meaning_of_rows(kind, trace.info), columns_of(kind, trace.info)
    for layer, path in enumerate(parts_of(trace).attentions[kind]):
        weights, mask = trace[f"{path}.attend.hook_weights"], trace[f"{path}.attend.hook_mask"]
        found += [
            measure(weights[head], mask[head], queries, keys, same=kind != "cross", layer=layer, head=head)
            for head in range(len(weights))
        ]
    return found


def measure(
    weights: Float[np.ndarray, "query key"],
    allowed: Bool[np.ndarray, "query key"],
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    same: bool,
    layer: int = 0,
    head: int = 0,
) -> HeadMeasures:
    """Measure one head; `same` says that rows and columns are the same positions, `queries` what each row is about."""
    choice = allowed.sum(axis=-1) > 1
    rows = weights[choice].astype(np.float64)
    far = np.abs(np.subtract.outer(np.arange(len(weights)), np.arange(len(keys))))[choice]
    focus, variety = how_telling(weights, queries, keys, same=same)
    return HeadMeasures(
        layer=layer,
        head=head,
        n_rows=int(choice.sum()),
        entropy=_mean(entropy(rows)),
        even_entropy=_mean(np.log(allowed[choice].sum(axis=-1))),
        distance=_mean((rows * far).sum(axis=-1)) if same else None,
        shares=_shares(weights, allowed, keys, AIMS if same else AIMS_ACROSS),
        focus=focus,
        variety=variety,
        n_words=sum(map(is_word, queries)),
    )


def _shares(
    weights: np.ndarray, allowed: np.ndarray, keys: Sequence[str], aims: tuple[Aim, ...]
) -> dict[Aim, Share]:
    shares: dict[Aim, Share] = {}
    for aim in aims:
        share = share_on(columns_at(aim, len(weights), keys), weights, allowed)
        if share is not None:
            shares[aim] = share
    return shares


def columns_at(aim: Aim, n_queries: int, keys: Sequence[str]) -> Bool[np.ndarray, "query key"]:
    """The cells of a weight matrix in which a row looks at what `aim` names."""
    offset = {"previous": -1, "same": 0, "next": 1}.get(aim)
    if offset is not None:
        return np.eye(n_queries, len(keys), k=offset, dtype=bool)
    column = {
        "first": [j == 0 for j in range(len(keys))],
        "start": [piece == START for piece in keys],
        "end": [piece == END for piece in keys],
        "punctuation": [is_punctuation(piece) for piece in keys],
    }[aim]
    return np.broadcast_to(np.array(column, dtype=bool), (n_queries, len(keys)))


def share_on(
    columns: Bool[np.ndarray, "query key"],
    weights: Float[np.ndarray, "query key"],
    allowed: Bool[np.ndarray, "query key"],
) -> Share | None:
    """How much weight lies on `columns`, over the rows with a choice that may look there; None without such rows."""
    offered = columns & allowed
    n_allowed = allowed.sum(axis=-1)
    rows = offered.any(axis=-1) & (n_allowed > 1)
    if not rows.any():
        return None
    weight = (weights.astype(np.float64) * offered).sum(axis=-1)
    even = offered.sum(axis=-1)[rows] / n_allowed[rows]
    return Share(weight=_mean(weight[rows]), even=_mean(even), n_rows=int(rows.sum()))


def is_punctuation(piece: str) -> bool:
    """Whether a vocabulary entry is made of punctuation and symbols only, and is no special token or byte."""
    text = piece.strip()
    if not text or piece in SPECIAL or piece in BYTES:
        return False
    return all(unicodedata.category(char)[0] in "PS" for char in text)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else 0.0


def weighted_values(
    weights: Float[np.ndarray, "head query key"], v: Float[np.ndarray, "head key d_head"]
) -> Float[np.ndarray, "head query key"]:
    """‖a_ij v_j‖ of each head: the length of what key j adds to z_i. A large weight on a short value adds little."""
    return np.abs(weights) * np.linalg.norm(v, axis=-1)[:, None]


def weighted_outputs(
    weights: Float[np.ndarray, "head query key"],
    v: Float[np.ndarray, "head key d_head"],
    output_weight: Float[np.ndarray, "d_model d_concat"],
) -> Float[np.ndarray, "head query key"]:
    """‖a_ij v_j W_O^h‖ of each head, the paper's ‖α f(x)‖: what key j adds to the output of attention.

    V has its biases; W_O is [out, in], as torch stores it: head h owns its columns h·d_head … (h+1)·d_head − 1.
    """
    n_heads, _, d_head = v.shape
    of_heads = output_weight.reshape(-1, n_heads, d_head)  # [d_model, head, d_head]
    return weighted_values(weights, np.einsum("hkc,ohc->hko", v, of_heads))


def without_specials(
    weights: Float[np.ndarray, "*rows key"], keys: Sequence[str]
) -> Float[np.ndarray, "*rows key"]:
    """Weights, or norms, of the other tokens, each row divided by its sum; special tokens, and rows of such, get 0.

    Raises:
        ValueError: there is not one token per column.
    """
    if weights.shape[-1] != len(keys):
        raise ValueError(f"{len(keys)} keys for {weights.shape[-1]} columns: expected one per column")
    kept = np.where([piece not in SPECIAL for piece in keys], weights, 0.0).astype(weights.dtype)
    total = kept.sum(axis=-1, keepdims=True)
    return np.divide(kept, total, out=np.zeros_like(kept), where=total > 0)


@dataclass(frozen=True, kw_only=True)
class EndShare:
    """Means over the `n_rows` rows about other tokens that may look at `</s>`: of a row's weight, the part on it.

    `length` is the part of a row's Σ_j ‖a_ij v_j W_O‖ that comes from `</s>` (Kobayashi et al. 2020).
    """

    weight: float
    length: float
    n_rows: int


def end_share(
    weights: Float[np.ndarray, "query key"],
    lengths: Float[np.ndarray, "query key"],
    allowed: Bool[np.ndarray, "query key"],
    queries: Sequence[str],
    keys: Sequence[str],
) -> EndShare | None:
    """What `</s>` gets of one head's weights and ‖a_ij v_j W_O‖; None if no row about another token may look at it."""
    about_others = np.array([piece != END for piece in queries])
    cells = columns_at("end", len(queries), keys) & about_others[:, None]
    weight = share_on(cells, weights, allowed)
    if weight is None:
        return None
    total = lengths.sum(axis=-1, keepdims=True, dtype=np.float64)
    parts = np.divide(
        lengths, total, out=np.zeros(lengths.shape), where=total > 0
    )  # 0 of a head that adds nothing
    length = share_on(cells, parts, allowed)
    assert length is not None  # the same rows
    return EndShare(weight=weight.weight, length=length.weight, n_rows=weight.n_rows)
