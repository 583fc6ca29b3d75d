"""What is in the sinusoids of Vaswani et al. 2017, §3.5: waves, their lengths, and how positions compare."""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from explainer.equations.story import CellStory, Term

DOT_OF_POSITIONS = (
    r"\begin{gathered} \mathrm{PE}(p) \cdot \mathrm{PE}(q) = "
    r"\sum_{i=0}^{d_{\text{model}}/2 - 1} \cos\left(\omega_i\,(p - q)\right) "
    r"\\ \omega_i = 10000^{-2i/d_{\text{model}}} \end{gathered}"
)


def frequency(pair: int, d_model: int) -> float:
    """ω_i = 10000^(−2i/d_model), in radians per position; dimensions 2i and 2i+1 share it."""
    return float(10000.0 ** (-2 * pair / d_model))


def wavelength(pair: int, d_model: int) -> float:
    """2π · 10000^(2i/d_model): after how many positions the pair comes back to where it was."""
    return 2 * math.pi / frequency(pair, d_model)


def wave(pair: int, d_model: int, positions: Float[np.ndarray, " p"]) -> Float[np.ndarray, "2 p"]:
    """Sine (dimension 2i) and cosine (2i+1) of a pair, at any positions: only whole ones are ever used."""
    angles = positions * frequency(pair, d_model)
    return np.stack([np.sin(angles), np.cos(angles)])


def close_together(last: int, step: float) -> Float[np.ndarray, " p"]:
    """Positions 0, step, 2 step … last: so close that a wave drawn through them looks smooth."""
    return step * np.arange(round(last / step) + 1)


def dots(table: Float[np.ndarray, "position d_model"], position: int) -> Float[np.ndarray, " position"]:
    """PE(p) · PE(q) of one position with every position."""
    return table @ table[position]


def distances(table: Float[np.ndarray, "position d_model"], position: int) -> Float[np.ndarray, " position"]:
    """‖PE(p) − PE(q)‖ of one position and every position."""
    return np.linalg.norm(table - table[position], axis=1)


def first_turn(table: Float[np.ndarray, "position d_model"]) -> int:
    """How far one must go from position 0 until the distance stops growing for the first time."""
    grows = np.diff(distances(table, 0)) > 0
    return len(grows) if grows.all() else int(grows.argmin())


def dot_story(one: int, other: int, d_model: int, pairs: Sequence[int]) -> CellStory:
    """PE(p) · PE(q) as a sum of cosines, one for each pair: sin·sin + cos·cos = cos of the difference of angles."""
    terms = [math.cos((one - other) * frequency(pair, d_model)) for pair in range(d_model // 2)]
    total = sum(terms)
    return CellStory(
        symbol=rf"\mathrm{{PE}}({one}) \cdot \mathrm{{PE}}({other})",
        terms=tuple(Term(pair, (), terms[pair]) for pair in pairs),
        n_rest=len(terms) - len(pairs),
        rest=total - sum(terms[pair] for pair in pairs),
        total=total,
        result=total,
    )


def concatenated(table: Float[np.ndarray, "position d_model"]) -> Float[np.ndarray, "position d_model"]:
    """The same numbers in the other layout: all sines, then all cosines."""
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


def pair_of(dim: int, d_model: int, *, is_concatenated: bool) -> int:
    """Which pair i a dimension belongs to, in our layout (interleaved) or the other one; all from 0."""
    return dim % (d_model // 2) if is_concatenated else dim // 2


def lengths(vectors: Float[np.ndarray, "position d_model"]) -> Float[np.ndarray, " position"]:
    """‖x‖ of each row."""
    return np.linalg.norm(vectors, axis=-1)
