"""From logits to probabilities (Vaswani et al. 2017, §3.4)."""

from collections.abc import Sequence

import numpy as np

from explainer.equations.equation import Equation
from explainer.equations.softmax import log_softmax
from explainer.equations.story import SHOWN
from explainer.story import CellStory, Term

LOGIT, LOG_PROB = "head.hook_logits", "head.hook_log_probs"


def _log_prob_cell(logits: np.ndarray, index: tuple[int, ...]) -> CellStory:
    row = logits[index[0]].astype(np.float64)
    largest = np.argsort(-row, kind="stable")[:SHOWN]
    powers = np.exp(row)
    terms = tuple(Term(int(k), (float(row[k]),), float(powers[k])) for k in largest)
    total = float(powers.sum())
    return CellStory(
        symbol=r"\log p(v)",
        summand=r"e^{\ell_v}",
        roles=("residual",),
        terms=terms,
        n_rest=len(row) - len(terms),
        rest=total - sum(term.value for term in terms),
        total=total,
        finish=rf"\ell - \log \Sigma = {row[index[1]]:.2f} - {np.log(total):.2f}",
        result=float(row[index[1]] - np.log(total)),
    )


LOG_PROBS = Equation(
    name="log-probabilities",
    latex=r"\log p(v) = \ell_v - \log \sum_{v'} e^{\ell_{v'}}",
    source="Vaswani et al. 2017, §3.4",
    reads=(LOGIT,),
    explains=LOG_PROB,
    compute=log_softmax,
    cell=_log_prob_cell,
)


def top_k(log_probs: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The `k` most probable entries of one row, most probable first: ids, probabilities, and the rest's sum.

    Args:
        log_probs: One row over the vocabulary, in nats.
        k: How many.
    """
    ids = np.argsort(-log_probs, kind="stable")[:k]
    probs = np.exp(log_probs[ids].astype(np.float64))
    rest = np.delete(log_probs, ids).astype(np.float64)
    return ids, probs, float(np.exp(rest).sum())


def sequence_log_prob(log_probs: np.ndarray, ids: Sequence[int]) -> float:
    """Log p of a whole target: Σ_t log p(y_t | y_<t, source), in nats.

    Args:
        log_probs: One row for each target position.
        ids: The target, `</s>` last.
    """
    return float(sum(float(row[token]) for row, token in zip(log_probs, ids, strict=True)))
