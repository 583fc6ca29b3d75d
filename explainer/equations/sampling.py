"""The distribution that tokens are drawn from: temperature, then top-k, then top-p, then one again in sum."""

import numpy as np
from jaxtyping import Bool, Float

from explainer.equations.equation import Equation
from explainer.equations.softmax import softmax
from explainer.equations.story import CellStory, as_written, written
from explainer.language import _, mark

MODEL, DRAWN = "sampling.log_probs", "sampling.drawn"  # as `seen_of` names them
PLACES = 6  # decimals of the written probabilities
LATEX = mark(
    r"\begin{gathered} p_T(v) = \frac{p(v)^{1/T}}{\sum_{v'} p(v')^{1/T}} \\"
    r" q(v) = \frac{p_T(v)}{\sum_{v' \in K} p_T(v')} \text{ for } v \in K,\quad 0 \text{ for the others} \end{gathered}"
)


def survivors(tempered: Float[np.ndarray, " vocab"], top_k: int, top_p: float) -> Bool[np.ndarray, " vocab"]:
    """The set K: the k most probable tokens, of these the fewest that have at least p of their probability together.

    Probabilities are after the temperature, p is of what top-k left. k = 0, p = 1: all. Equals at k's bound stay.
    """
    kept = np.ones(len(tempered), dtype=bool)
    if 0 < top_k < len(tempered):
        kept = tempered >= np.sort(tempered)[-top_k]
    if top_p < 1:
        left = np.where(kept, tempered, 0.0) / tempered[kept].sum()
        order = np.argsort(-left, kind="stable")
        before = left[order].cumsum() - left[order]
        nucleus = np.zeros(len(tempered), dtype=bool)
        nucleus[order[before < top_p]] = True
        kept &= nucleus
    return kept


def drawn_from(
    log_probs: Float[np.ndarray, " vocab"], temperature: float, top_k: int, top_p: float
) -> Float[np.ndarray, " vocab"]:
    """The probability q with which each token is drawn, in float64."""
    wide = log_probs.astype(np.float64)
    tempered = softmax((wide - wide.max()) / temperature)
    kept = np.where(survivors(tempered, top_k, top_p), tempered, 0.0)
    return kept / kept.sum()


def sampling(temperature: float, top_k: int, top_p: float) -> Equation:
    """The equation of one step with these settings."""

    def cell(log_probs: np.ndarray, index: tuple[int, ...]) -> CellStory:
        (token,) = index
        wide = log_probs.astype(np.float64)
        tempered = softmax((wide - wide.max()) / temperature)
        is_kept = survivors(tempered, top_k, top_p)
        kept = float(tempered[is_kept].sum())
        numerator, denominator = (as_written(one, PLACES) for one in (float(tempered[token]), kept))
        value = float(tempered[token] / kept) if is_kept[token] else 0.0
        fraction = rf"\frac{{{written(float(tempered[token]), PLACES)}}}{{{written(kept, PLACES)}}}"
        return CellStory(
            symbol="q",
            finish=fraction if is_kept[token] else "",
            after=(lambda __: numerator / denominator) if is_kept[token] else None,
            result=value,
            note="" if is_kept[token] else _("It is not in K: it cannot be drawn."),
        )

    return Equation(
        latex=LATEX,
        source=mark("Ackley et al. 1985 (T), Fan et al. 2018 (top-k), Holtzman et al. 2020 (top-p)"),
        reads=(MODEL,),
        explains=DRAWN,
        compute=lambda log_probs: drawn_from(log_probs, temperature, top_k, top_p),
        cell=cell,
    )


def seen_of(
    log_probs: Float[np.ndarray, " vocab"], drawn: Float[np.ndarray, " vocab"]
) -> dict[str, np.ndarray]:
    """What the equation reads: the model's log-probabilities, and what was drawn from, as logarithms."""
    return {MODEL: log_probs, DRAWN: np.exp(drawn)}


def kept_share(
    log_probs: Float[np.ndarray, " vocab"], drawn: Float[np.ndarray, " vocab"]
) -> tuple[int, float]:
    """How many tokens can be drawn, and how much probability the model gives them together."""
    possible = np.isfinite(drawn)
    return int(possible.sum()), float(np.exp(log_probs[possible].astype(np.float64)).sum())
