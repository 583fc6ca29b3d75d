"""From vectors to logits to probabilities (Vaswani et al. 2017, §3.4)."""

import dataclasses
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from explainer.equations.catalog import register_equations
from explainer.equations.equation import Equation
from explainer.equations.softmax import entropy, log_softmax, softmax
from explainer.equations.story import (
    EXPONENT,
    TOTAL,
    CellStory,
    as_written,
    ln,
    power_story,
    sum_story,
    written,
)
from explainer.language import mark

HEAD = "head"  # module path of the output head, in every family
X, WEIGHT, LOGITS_OF, LOG_PROBS_OF = "hook_x", "table", "hook_logits", "hook_log_probs"
FINAL, TABLE, LOGIT, LOG_PROB = (f"{HEAD}.{name}" for name in (X, WEIGHT, LOGITS_OF, LOG_PROBS_OF))
TEMPERED = r"p_T(v) = \frac{e^{\ell_v / T}}{\sum_{v'} e^{\ell_{v'} / T}}"


def _logit_cell(x: np.ndarray, table: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, token = index
    return sum_story(
        rf"\ell_{{{position + 1}}}(v)",
        (x[position], table[token]),
        roles=("residual", "target"),
    )


def _log_prob_cell(logits: np.ndarray, index: tuple[int, ...]) -> CellStory:
    position, token = index
    row = logits[position].astype(np.float64)
    logit = as_written(float(row[token]), EXPONENT)
    return dataclasses.replace(
        power_story(r"\log p(v) = \ell_v - \ln \Sigma", row, role="residual", also=token),
        finish=rf"{written(logit, EXPONENT, bracketed=False)} - \ln {TOTAL}",
        after=lambda total: logit - ln(total),
        result=float(log_softmax(row)[token]),
    )


LOGITS = Equation(
    latex=mark(
        r"\begin{gathered}\ell_v = \residual{x} \cdot \target{w_v},\quad \target{w_v} = \text{row } v \text{ of } W"
        r" \\ (W = E \text{ when weights are tied})\end{gathered}"
    ),
    source=mark("Vaswani et al. 2017, §3.4"),
    reads=(X, WEIGHT),
    explains=LOGITS_OF,
    compute=lambda x, table: x @ table.T,
    cell=_logit_cell,
)
LOG_PROBS = Equation(
    latex=r"\log p(v) = \ell_v - \log \sum_{v'} e^{\ell_{v'}}",
    source=mark("Vaswani et al. 2017, §3.4"),
    reads=(LOGITS_OF,),
    explains=LOG_PROBS_OF,
    compute=log_softmax,
    cell=_log_prob_cell,
)

register_equations("OutputHead", equations=(LOGITS, LOG_PROBS))


def tempered(
    logits: Float[np.ndarray, "*rows vocab"], temperature: float
) -> Float[np.ndarray, "*rows vocab"]:
    """Probabilities softmax(logits / T): T > 1 flattens, T < 1 sharpens them, towards 0 the largest logit has all.

    Raises:
        ValueError: T is not above 0.
    """
    if not temperature > 0:
        raise ValueError(f"temperature = {temperature!r}: must be above 0")
    shifted = logits - logits.max(axis=-1, keepdims=True)  # before the division, which could overflow
    return softmax(shifted / temperature)


def probabilities(log_probs: Float[np.ndarray, "*rows vocab"]) -> Float[np.ndarray, "*rows vocab"]:
    """e^{log p}, in float64."""
    return np.exp(log_probs.astype(np.float64))


def entropies(log_probs: Float[np.ndarray, "row vocab"]) -> Float[np.ndarray, " row"]:
    """How unsure each row is, in nats: 0 if one token has all the probability, ln |V| if all have the same."""
    return entropy(probabilities(log_probs))


def products(
    x: Float[np.ndarray, " d_model"], w: Float[np.ndarray, " d_model"]
) -> Float[np.ndarray, " d_model"]:
    """x_c · w_c: what each dimension adds to a logit."""
    return x * w


def top_k(log_probs: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The `k` most probable entries of a row of nats, most probable first: ids, probabilities, and the rest's sum."""
    ids = np.argsort(-log_probs, kind="stable")[:k]
    probs = np.exp(log_probs[ids].astype(np.float64))
    rest = np.delete(log_probs, ids).astype(np.float64)
    return ids, probs, float(np.exp(rest).sum())


def sequence_log_prob(log_probs: np.ndarray, ids: Sequence[int]) -> float:
    """Log p of a whole target, `</s>` last: Σ_t log p(y_t | y_<t, source), in nats."""
    return float(sum(float(row[token]) for row, token in zip(log_probs, ids, strict=True)))


def nats_per_token(log_probs: np.ndarray, ids: Sequence[int]) -> float:
    """The loss of a target: −log p divided by its tokens, `</s>` counted."""
    return -sequence_log_prob(log_probs, ids) / len(ids)


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
        roles=("residual", "target"),
    )
    return told.against(model)
