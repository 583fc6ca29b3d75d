"""Why dot products are divided by √d_k: how their spread grows with the number of dimensions that are summed."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

SPREAD = (
    r"\operatorname{sd}\Big(\sum_{c=1}^{n} \query{q_c}\,\key{k_c}\Big) = \sqrt{n}\;\sigma_1 "
    r"\quad\text{if the products are independent}"
)


@dataclass(frozen=True)
class Spread:
    """Standard deviations over all pairs of a query and a key.

    Attributes:
        sizes: How many dimensions are summed: n.
        dots: Of q·k over n dimensions.
        divided: Of q·k ÷ √n.
        independent: What `dots` would be if the products in different dimensions were independent: √n · σ₁.
    """

    sizes: Int[np.ndarray, " n"]
    dots: Float[np.ndarray, " n"]
    divided: Float[np.ndarray, " n"]
    independent: Float[np.ndarray, " n"]


def spread_of_dots(q: Float[np.ndarray, "query d_k"], k: Float[np.ndarray, "key d_k"]) -> Spread:
    """The spread of one head's dot products over parts of its dimensions (Vaswani et al. 2017, §3.2.1, footnote 4).

    The d_k dimensions are cut into parts of n neighbours, for n = 1, 2, 4 … d_k; each part gives a dot product for
    each pair of query and key.

    Args:
        q: Queries of a head.
        k: Its keys.
    """
    d_head = q.shape[1]
    products = q[:, None].astype(np.float64) * k[None]  # [query, key, d_k]
    sizes = sorted({2**i for i in range(d_head.bit_length()) if d_head % 2**i == 0} | {d_head})
    dots = np.array([products.reshape(*products.shape[:2], -1, n).sum(-1).std() for n in sizes])
    roots = np.sqrt(np.array(sizes, dtype=np.float64))
    return Spread(np.array(sizes), dots, dots / roots, dots[0] * roots)
