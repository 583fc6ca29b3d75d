"""Which part of W_Q, W_K, W_V and W_O belongs to one head, and what the head adds to the output through its part.

torch stores W as [out, in]; here it is turned into the W of the paper, X W. A head owns d_head columns of W_Q, W_K
and W_V, each as long as the full d_model vector that it reads, and d_head rows of W_O.
"""

import numpy as np
from jaxtyping import Float


def into_head(
    weight: Float[np.ndarray, "d_concat d_model"], head: int, n_heads: int
) -> Float[np.ndarray, "d_model d_head"]:
    """The columns of W_Q, W_K or W_V that make one head's queries, keys or values: Q_h = X W_Q^h + b_h.

    Args:
        weight: As torch stores it.
        head: From 0.
        n_heads: How many share it.
    """
    return weight.reshape(n_heads, -1, weight.shape[1])[head].T


def out_of_head(
    weight: Float[np.ndarray, "d_model d_concat"], head: int, n_heads: int
) -> Float[np.ndarray, "d_head d_model"]:
    """The rows of W_O that one head's z is multiplied with; arguments as for `into_head`."""
    return weight.reshape(len(weight), n_heads, -1)[:, head].T


def added_by_heads(
    mixed: Float[np.ndarray, "head query d_head"], weight: Float[np.ndarray, "d_model d_concat"]
) -> Float[np.ndarray, "head query d_model"]:
    """Z_h W_O^h of each head: their sum and the bias are the output of attention (Vaswani et al. 2017, §3.2.2)."""
    return np.stack([z @ out_of_head(weight, head, len(mixed)) for head, z in enumerate(mixed)])


def column_in_concat(head: int, dim: int, d_head: int) -> int:
    """The column of C = Concat(Z_1 … Z_h) that holds dimension `dim` of head `head`, all from 0."""
    return head * d_head + dim


def place_in_concat(column: int, d_head: int) -> tuple[int, int]:
    """Head and dimension of a column of C: the inverse of `column_in_concat`."""
    return divmod(column, d_head)
