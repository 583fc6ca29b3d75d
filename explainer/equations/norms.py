"""What attention adds, not only how much it weighs (Kobayashi et al. 2020, "Attention is Not Only a Weight")."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from explainer.text.tokenizer import SPECIAL


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

    Args:
        weights: A.
        v: V, biases included.
        output_weight: W_O as torch stores it, [out, in]; head h owns its columns h·d_head … (h+1)·d_head − 1.
    """
    n_heads, _, d_head = v.shape
    of_heads = output_weight.reshape(-1, n_heads, d_head)  # [d_model, head, d_head]
    return weighted_values(weights, np.einsum("hkc,ohc->hko", v, of_heads))


def without_specials(
    weights: Float[np.ndarray, "*rows key"], keys: Sequence[str]
) -> Float[np.ndarray, "*rows key"]:
    """The weights of the other tokens, each row divided by its sum; special tokens get 0.

    A row that has all its weight on special tokens stays 0: nothing is left of it to be divided up.

    Args:
        weights: Attention weights or norms.
        keys: The token of each column.

    Raises:
        ValueError: there is not one token per column.
    """
    if weights.shape[-1] != len(keys):
        raise ValueError(f"{len(keys)} keys for {weights.shape[-1]} columns: expected one per column")
    kept = np.where([piece not in SPECIAL for piece in keys], weights, 0.0).astype(weights.dtype)
    total = kept.sum(axis=-1, keepdims=True)
    return np.divide(kept, total, out=np.zeros_like(kept), where=total > 0)
