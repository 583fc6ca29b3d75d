"""The residual addition (Vaswani et al. 2017, §3.1; He et al. 2016), relative to a residual module.

It is the same with post-norm, where f reads x and the sum is normalised, and pre-norm, where f reads norm(x).
"""

import dataclasses

import numpy as np
from jaxtyping import Float

from explainer.equations.catalog import register_equations
from explainer.equations.equation import Equation
from explainer.equations.story import CellStory, as_written, sum_story, written
from explainer.language import _, mark

BEFORE, UPDATE, ADDED = "hook_before", "hook_update", "hook_sum"


def _added(x: str, first: str, one: float, other: float) -> CellStory:
    """The cell `x` as a sum of two numbers, of which the first has a role, or none."""
    written_one = rf"\{first}{{{written(one)}}}" if first else written(one)
    return CellStory(
        symbol=rf"\residual{{{x}}}",
        finish=rf"{written_one} + {written(other)}",
        after=lambda __: as_written(one) + as_written(other),
        result=one + other,
    )


def _sum_cell(before: np.ndarray, update: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, dim = index
    return _added(rf"x'_{{{position + 1},{dim + 1}}}", "residual", float(before[index]), float(update[index]))


SUM = Equation(
    latex=r"\residual{x'} = \residual{x} + f(\cdot)",
    source=mark("Vaswani et al. 2017, §3.1"),
    reads=(BEFORE, UPDATE),
    explains=ADDED,
    compute=lambda before, update: before + update,
    cell=_sum_cell,
    restates=True,
)


TOKEN, SCALED_TOKEN = "hook_token", "hook_scaled"
PLACE, EMBEDDED = "hook_position", "hook_sum"


def _scaled_cell(token: np.ndarray, index: tuple[int, ...]) -> CellStory:
    value, d_model = float(token[index]), token.shape[-1]
    position, dim = index
    return CellStory(
        symbol=rf"e_{{{position + 1},{dim + 1}}}",
        finish=rf"\sqrt{{{d_model}}} \cdot {written(value, 4)} = {np.sqrt(d_model):.4f} \cdot {written(value, 4)}",
        after=lambda __: as_written(float(np.sqrt(d_model))) * as_written(value),
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
    told = _("pos = {position}, i = {pair}, both counted from 0; angle in radians")
    return CellStory(
        symbol=rf"\mathrm{{PE}}({position},\, 2 \cdot {pair}{' + 1' if odd else ''})",
        finish=rf"{name}\left({position} \div 10000^{{{2 * pair}/{d_model}}}\right) = {name}({angle:.4f})",
        after=lambda __: float(wave(as_written(float(angle)))),
        result=float(wave(angle)),
        note=told.format(position=position, pair=pair),
    )


def _input_cell(scaled: np.ndarray, place: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, dim = index
    return _added(rf"x_{{{position + 1},{dim + 1}}}", "", float(scaled[index]), float(place[index]))


SCALED = Equation(
    latex=r"\sqrt{d_{\text{model}}} \cdot E[\text{token}]",
    source=mark("Vaswani et al. 2017, §3.4"),
    reads=(TOKEN,),
    explains=SCALED_TOKEN,
    compute=lambda token: np.sqrt(np.float32(token.shape[-1])) * token,
    cell=_scaled_cell,
    restates=True,
)
POSITION = Equation(  # of models with sinusoidal positions; it reads no more than the shape
    latex=r"\begin{aligned}"
    r"\mathrm{PE}(pos, 2i) &= \sin\left(pos / 10000^{2i/d_{\text{model}}}\right) \\"
    r"\mathrm{PE}(pos, 2i+1) &= \cos\left(pos / 10000^{2i/d_{\text{model}}}\right)"
    r"\end{aligned}",
    source=mark("Vaswani et al. 2017, §3.5"),
    reads=(TOKEN,),
    explains=PLACE,
    compute=lambda token: sinusoids(*token.shape),
    cell=_position_cell,
)
INPUT = Equation(
    latex=r"\residual{X} = \sqrt{d_{\text{model}}} \cdot E[\text{token}] + \mathrm{PE}",
    source=mark("Vaswani et al. 2017, §3.4–3.5"),
    reads=(SCALED_TOKEN, PLACE),
    explains=EMBEDDED,
    compute=lambda scaled, place: scaled + place,
    cell=_input_cell,
    restates=True,
)
register_equations("InputEmbedding", "SinusoidalEmbedding", equations=(SCALED, INPUT))
register_equations("SinusoidalEmbedding", equations=(POSITION,))


X, MIDDLE, SPREAD = "hook_x", "hook_mean", "hook_scale"
STANDARD, NORMED = "hook_normalized", "hook_output"
EPSILON = 1e-5
_PAPER = mark("Ba et al. 2016, eq. 3")


def _scale(x: np.ndarray) -> np.ndarray:
    """About the mean of x itself, as in the model: a change of the hooked mean does not reach it."""
    variance = np.square(x - x.mean(axis=-1, keepdims=True)).mean(axis=-1, keepdims=True)
    return np.sqrt(variance + EPSILON)


def _mean_cell(x: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, d_model = index[0], x.shape[-1]
    return sum_story(
        rf"\mu_{{{position + 1}}}",
        (x[position],),
        roles=("residual",),
        divisor=d_model,
        finish=rf"\Sigma \div {d_model}",
    )


def _scale_cell(x: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, d_model = index[0], x.shape[-1]
    row = x[position].astype(np.float64)
    distances = row - row.mean()
    story = sum_story(
        rf"\sigma_{{{position + 1}}}",
        (distances, distances),
        roles=("residual", "residual"),
    )
    return dataclasses.replace(
        story,
        finish=rf"\sqrt{{\Sigma \div {d_model} + 10^{{-5}}}}",
        after=lambda total: float(np.sqrt(total / d_model + EPSILON)),
        result=float(np.sqrt(story.total / d_model + EPSILON)),
        note=_("mean {mean}").format(mean=f"{row.mean():.4f}".replace("-", "−")),
    )


def _normalized_cell(x: np.ndarray, mean: np.ndarray, scale: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, dim = index
    value, middle, spread = float(x[index]), float(mean[position, 0]), float(scale[position, 0])
    return CellStory(
        symbol=rf"\hat{{x}}_{{{position + 1},{dim + 1}}}",
        finish=rf"(\residual{{{written(value, bracketed=False)}}} - {written(middle)}) \div {written(spread)}",
        after=lambda __: (as_written(value) - as_written(middle)) / as_written(spread),
        result=(value - middle) / spread,
    )


def _output_cell(
    normalized: np.ndarray, gain: np.ndarray, bias: np.ndarray, index: tuple[int, ...]
) -> CellStory:
    position, dim = index
    value, factor, added = float(normalized[index]), float(gain[dim]), float(bias[dim])
    return CellStory(
        symbol=rf"\residual{{y_{{{position + 1},{dim + 1}}}}}",
        finish=rf"{written(factor)} \cdot {written(value)} + {written(added)}",
        after=lambda __: as_written(factor) * as_written(value) + as_written(added),
        result=factor * value + added,
    )


MEAN = Equation(
    latex=r"\mu = \frac{1}{d} \sum_{c=1}^{d} \residual{x_c}",
    source=_PAPER,
    reads=(X,),
    explains=MIDDLE,
    compute=lambda x: x.mean(axis=-1, keepdims=True),
    cell=_mean_cell,
)
SCALE = Equation(
    latex=r"\sigma = \sqrt{\frac{1}{d} \sum_{c=1}^{d} (\residual{x_c} - \mu)^2 + \varepsilon},"
    r"\quad \varepsilon = 10^{-5}",
    source=mark("Ba et al. 2016, eq. 3; ε as in PyTorch"),
    reads=(X,),
    explains=SPREAD,
    compute=_scale,
    cell=_scale_cell,
)
NORMALIZED = Equation(
    latex=r"\hat{x}_c = \frac{\residual{x_c} - \mu}{\sigma}",
    source=mark("Ba et al. 2016, eq. 4 without gain and bias"),
    reads=(X, MIDDLE, SPREAD),
    explains=STANDARD,
    compute=lambda x, mean, scale: (x - mean) / scale,
    cell=_normalized_cell,
    restates=True,
)
NORM_OUTPUT = Equation(
    latex=r"\residual{y_c} = g_c\,\hat{x}_c + b_c",
    source=mark("Ba et al. 2016, eq. 4"),
    reads=(STANDARD, "weight", "bias"),
    explains=NORMED,
    compute=lambda normalized, gain, bias: normalized * gain + bias,
    cell=_output_cell,
)
register_equations("LayerNorm", equations=(MEAN, SCALE, NORMALIZED, NORM_OUTPUT))
register_equations("Residual", equations=(SUM,))
