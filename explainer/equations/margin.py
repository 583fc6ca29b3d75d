"""Why one token and not the other: the difference of two logits, dimension by dimension."""

import numpy as np
from jaxtyping import Float, Int

from explainer.equations.story import sum_story
from explainer.story import CellStory

MARGIN = (
    r"\begin{gathered}\ell_v - \ell_w = \sum_{c=1}^{d} \residual{x_c}\,(\target{w_{v,c}} - \target{w_{w,c}}) \\"
    r" \log \frac{p(v)}{p(w)} = \ell_v - \ell_w\end{gathered}"
)


def margin_terms(
    x: Float[np.ndarray, " d_model"],
    one: Float[np.ndarray, " d_model"],
    other: Float[np.ndarray, " d_model"],
) -> Float[np.ndarray, " d_model"]:
    """x_c (w_v,c − w_w,c): what each dimension adds to ℓ_v − ℓ_w, in float64."""
    return x.astype(np.float64) * (one.astype(np.float64) - other)


def margin(logits: Float[np.ndarray, " vocab"], one: int, other: int) -> float:
    """ℓ_v − ℓ_w of the model."""
    return float(logits[one] - logits[other])


def deciding(terms: Float[np.ndarray, " d_model"], count: int) -> Int[np.ndarray, " count"]:
    """The dimensions with the largest terms by absolute value, largest first."""
    return np.argsort(-np.abs(terms), kind="stable")[:count]


def margin_story(
    x: Float[np.ndarray, " d_model"],
    one: Float[np.ndarray, " d_model"],
    other: Float[np.ndarray, " d_model"],
    model: float,
) -> CellStory:
    """ℓ_v − ℓ_w with its largest terms; `model` is the difference of the model's two logits."""
    told = sum_story(
        r"\ell_v - \ell_w",
        (x, one.astype(np.float64) - other),
        summand=r"\residual{x_c} \cdot (\target{w_{v,c} - w_{w,c}})",
        roles=("residual", "target"),
    )
    return told.against(model)
