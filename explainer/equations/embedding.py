"""From tokens to vectors (Vaswani et al. 2017, §3.4 and §3.5), relative to an embedding module."""

import numpy as np
from jaxtyping import Float

from explainer.equations.equation import Equation
from explainer.equations.story import as_written, written
from explainer.story import CellStory

TOKEN, SCALED_TOKEN = "hook_token", "hook_scaled"
PLACE, EMBEDDED = "hook_position", "hook_sum"


def _scaled_cell(token: np.ndarray, index: tuple[int, ...]) -> CellStory:
    value, d_model = float(token[index]), token.shape[-1]
    position, dim = index
    return CellStory(
        symbol=rf"e_{{{position + 1},{dim + 1}}}",
        finish=rf"\sqrt{{{d_model}}} \cdot {written(value, 4)} = {np.sqrt(d_model):.4f} \cdot {written(value, 4)}",
        after=lambda _: as_written(float(np.sqrt(d_model))) * as_written(value),
        result=float(np.sqrt(d_model)) * value,
    )


def sinusoids(n_positions: int, d_model: int) -> Float[np.ndarray, "position d_model"]:
    """PE in float64: sines in the even dimensions, cosines in the odd ones, counted from 0; i = ⌊dimension/2⌋."""
    dims = np.arange(d_model)
    angles = np.arange(n_positions)[:, None] / 10000.0 ** (2 * (dims // 2) / d_model)
    return np.where(dims % 2 == 0, np.sin(angles), np.cos(angles))


def _position_cell(token: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, dim = index
    d_model = token.shape[-1]
    pair, odd = divmod(dim, 2)
    angle = position / 10000 ** (2 * pair / d_model)
    wave, name = (np.cos, r"\cos") if odd else (np.sin, r"\sin")
    return CellStory(
        symbol=rf"\mathrm{{PE}}({position},\, 2 \cdot {pair}{' + 1' if odd else ''})",
        finish=rf"{name}\left({position} \div 10000^{{{2 * pair}/{d_model}}}\right) = {name}({angle:.4f})",
        after=lambda _: float(wave(as_written(float(angle)))),
        result=float(wave(angle)),
        note=f"pos = {position}, i = {pair}, both counted from 0; angle in radians",
    )


def _input_cell(scaled: np.ndarray, place: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, dim = index
    return CellStory(
        symbol=rf"\residual{{x_{{{position + 1},{dim + 1}}}}}",
        finish=f"{written(float(scaled[index]))} + {written(float(place[index]))}",
        after=lambda _: as_written(float(scaled[index])) + as_written(float(place[index])),
        result=float(scaled[index]) + float(place[index]),
    )


SCALED = Equation(
    name="scaled embedding",
    latex=r"\sqrt{d_{\text{model}}} \cdot E[\text{token}]",
    source="Vaswani et al. 2017, §3.4",
    reads=(TOKEN,),
    explains=SCALED_TOKEN,
    compute=lambda token: np.sqrt(np.float32(token.shape[-1])) * token,
    cell=_scaled_cell,
    restates=True,
)
POSITION = Equation(  # of models with sinusoidal positions; it reads no more than the shape
    name="position encoding",
    latex=r"\begin{aligned}"
    r"\mathrm{PE}(pos, 2i) &= \sin\left(pos / 10000^{2i/d_{\text{model}}}\right) \\"
    r"\mathrm{PE}(pos, 2i+1) &= \cos\left(pos / 10000^{2i/d_{\text{model}}}\right)"
    r"\end{aligned}",
    source="Vaswani et al. 2017, §3.5",
    reads=(TOKEN,),
    explains=PLACE,
    compute=lambda token: sinusoids(*token.shape),
    cell=_position_cell,
)
INPUT = Equation(
    name="input",
    latex=r"\residual{X} = \sqrt{d_{\text{model}}} \cdot E[\text{token}] + \mathrm{PE}",
    source="Vaswani et al. 2017, §3.4–3.5",
    reads=(SCALED_TOKEN, PLACE),
    explains=EMBEDDED,
    compute=lambda scaled, place: scaled + place,
    cell=_input_cell,
    restates=True,
)
EMBEDDING = (SCALED, POSITION, INPUT)
