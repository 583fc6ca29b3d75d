"""Layer norm (Ba et al. 2016), relative to a norm module: each token's vector by itself, over its d features.

The variance is the biased one (divided by d), and ε stands under the root, as in PyTorch.
"""

import dataclasses

import numpy as np

from explainer.equations.equation import Equation
from explainer.equations.story import as_written, sum_story, written
from explainer.story import CellStory

X, MIDDLE, SPREAD = "hook_x", "hook_mean", "hook_scale"
STANDARD, NORMED = "hook_normalized", "hook_output"
EPSILON = 1e-5
_PAPER = "Ba et al. 2016, eq. 3"


def _scale(x: np.ndarray) -> np.ndarray:
    """About the mean of x itself, as in the model: a change of the hooked mean does not reach it."""
    variance = np.square(x - x.mean(axis=-1, keepdims=True)).mean(axis=-1, keepdims=True)
    return np.sqrt(variance + EPSILON)


def _mean_cell(x: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, d_model = index[0], x.shape[-1]
    return sum_story(
        rf"\mu_{{{position + 1}}}",
        (x[position],),
        summand=rf"\residual{{x_{{{position + 1},c}}}}",
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
        summand=rf"(\residual{{x_{{{position + 1},c}}}} - \mu_{{{position + 1}}})^2",
        roles=("residual", "residual"),
    )
    return dataclasses.replace(
        story,
        finish=rf"\sqrt{{\Sigma \div {d_model} + 10^{{-5}}}}",
        after=lambda total: float(np.sqrt(total / d_model + EPSILON)),
        result=float(np.sqrt(story.total / d_model + EPSILON)),
        note=f"mean {row.mean():.4f}".replace("-", "−"),
    )


def _normalized_cell(x: np.ndarray, mean: np.ndarray, scale: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, dim = index
    value, middle, spread = float(x[index]), float(mean[position, 0]), float(scale[position, 0])
    return CellStory(
        symbol=rf"\hat{{x}}_{{{position + 1},{dim + 1}}}",
        finish=rf"(\residual{{{written(value, bracketed=False)}}} - {written(middle)}) \div {written(spread)}",
        after=lambda _: (as_written(value) - as_written(middle)) / as_written(spread),
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
        after=lambda _: as_written(factor) * as_written(value) + as_written(added),
        result=factor * value + added,
    )


MEAN = Equation(
    name="mean",
    latex=r"\mu = \frac{1}{d} \sum_{c=1}^{d} \residual{x_c}",
    source=_PAPER,
    reads=(X,),
    explains=MIDDLE,
    compute=lambda x: x.mean(axis=-1, keepdims=True),
    cell=_mean_cell,
)
SCALE = Equation(
    name="scale",
    latex=r"\sigma = \sqrt{\frac{1}{d} \sum_{c=1}^{d} (\residual{x_c} - \mu)^2 + \varepsilon},"
    r"\quad \varepsilon = 10^{-5}",
    source=f"{_PAPER}; ε as in PyTorch",
    reads=(X,),
    explains=SPREAD,
    compute=_scale,
    cell=_scale_cell,
)
NORMALIZED = Equation(
    name="normalised",
    latex=r"\hat{x}_c = \frac{\residual{x_c} - \mu}{\sigma}",
    source="Ba et al. 2016, eq. 4 without gain and bias",
    reads=(X, MIDDLE, SPREAD),
    explains=STANDARD,
    compute=lambda x, mean, scale: (x - mean) / scale,
    cell=_normalized_cell,
    restates=True,
)
NORM_OUTPUT = Equation(
    name="layer norm",
    latex=r"\residual{y_c} = g_c\,\hat{x}_c + b_c",
    source="Ba et al. 2016, eq. 4",
    reads=(STANDARD, "weight", "bias"),
    explains=NORMED,
    compute=lambda normalized, gain, bias: normalized * gain + bias,
    cell=_output_cell,
)
NORM = (MEAN, SCALE, NORMALIZED, NORM_OUTPUT)
