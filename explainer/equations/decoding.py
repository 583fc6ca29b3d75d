"""Greedy decoding as equations: the choice of one step, and the sum over all steps so far."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from explainer.equations.equation import Equation
from explainer.equations.softmax import largest_difference
from explainer.equations.story import CellStory, sum_story
from explainer.language import mark

SAID, TOKENS, SUMS = "greedy.log_probs", "greedy.tokens", "greedy.sums"  # as `seen_of` names them


def _choice_cell(log_probs: np.ndarray, index: tuple[int, ...]) -> CellStory:
    (step,) = index
    token = int(log_probs[step].argmax())
    return CellStory(symbol=rf"\hat y_{{{step + 1}}}", result=float(token))


def _sum(log_probs: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Each step's log p is the one of the token that was taken."""
    return sums(taken(log_probs, tokens))


def _sum_cell(log_probs: np.ndarray, tokens: np.ndarray, index: tuple[int, ...]) -> CellStory:
    (step,) = index
    up_to = rf"\hat y_{{\le {step + 1}}}" if step else r"\hat y_1"
    return sum_story(
        rf"\log p({up_to} \mid x)",
        (taken(log_probs, tokens)[: step + 1],),
        roles=("target",),
    )


CHOICE = Equation(
    latex=r"\target{\hat y_t} = \operatorname*{arg\,max}_{v \in V} \; p(v \mid \target{\hat y_{<t}}, \source{x})",
    source=mark("Sutskever et al. 2014, §3.2 with a beam of 1"),
    reads=(SAID,),
    explains=TOKENS,
    compute=lambda log_probs: log_probs.argmax(axis=-1),
    cell=_choice_cell,
    restates=True,
)
SUM = Equation(
    latex=r"\log p(\target{\hat y_{\le t}} \mid \source{x}) = "
    r"\sum_{s=1}^{t} \log p(\target{\hat y_s} \mid \target{\hat y_{<s}}, \source{x})",
    source=mark("Sutskever et al. 2014, eq. 1 (chain rule, in logarithms)"),
    reads=(SAID, TOKENS),
    explains=SUMS,
    compute=_sum,
    cell=_sum_cell,
    restates=True,
)


def seen_of(
    log_probs: Float[np.ndarray, "step vocab"],
    tokens: Int[np.ndarray, " step"],
    sums: Float[np.ndarray, " step"],
) -> Mapping[str, np.ndarray]:
    """What the equations read: the arrays of a search by the names that they use."""
    return {SAID: log_probs, TOKENS: tokens, SUMS: sums}


def taken(
    log_probs: Float[np.ndarray, "step vocab"], tokens: Int[np.ndarray, " step"]
) -> Float[np.ndarray, " step"]:
    """Log p of the token that each step took."""
    return log_probs[np.arange(len(tokens)), tokens]


def lead(log_probs: Float[np.ndarray, "step vocab"]) -> Float[np.ndarray, " step"]:
    """By how many nats the most probable token of each step is ahead of the second."""
    best = np.sort(np.partition(log_probs, -2, axis=-1)[:, -2:], axis=-1)
    return best[:, 1] - best[:, 0]


def runner_up(log_probs: Float[np.ndarray, " vocab"]) -> int:
    """The second most probable token."""
    return int(np.argsort(-log_probs, kind="stable")[1])


BYTES = 4  # of a float32


def self_attention_rows(
    mode: Literal["re-feed", "cache"], n_steps: int, n_layers: int
) -> Int[np.ndarray, " step"]:
    """Rows that self-attention projects to Q, K and V at step t (from 1): 3 · N · t, or with a cache 3 · N."""
    steps = np.arange(1, n_steps + 1)
    return 3 * n_layers * (steps if mode == "re-feed" else np.ones_like(steps))


def cross_attention_rows(
    mode: Literal["re-feed", "cache"], n_steps: int, n_layers: int, n_source: int
) -> Int[np.ndarray, " step"]:
    """Rows that cross-attention projects at each step: a query for each token that is fed, K and V of the memory.

    Without a cache the memory is projected again at every step, with one at the first step only.
    """
    steps = np.arange(1, n_steps + 1)
    if mode == "re-feed":
        return n_layers * steps + 2 * n_layers * n_source
    return n_layers + np.where(steps == 1, 2 * n_layers * n_source, 0)


def cache_bytes(n_layers: int, n_tokens: int, d_model: int) -> int:
    """Memory of K and V of `n_tokens` tokens in all layers: 2 · N · t · d_model · 4."""
    return 2 * n_layers * n_tokens * d_model * BYTES


DIVISORS = {
    "none": r"\operatorname{lp}(L) = 1",
    "huggingface": r"\operatorname{lp}(L) = L^{\alpha}",
    "gnmt": r"\operatorname{lp}(L) = \left(\frac{5 + L}{6}\right)^{\alpha}",
}
SOURCES = {
    "none": mark("Sutskever et al. 2014, §3.2"),
    "huggingface": mark("`length_penalty` of the library transformers"),
    "gnmt": mark("Wu et al. 2016, eq. 14"),
}
SCORE = mark(
    r"p(\target{y} \mid \source{x}) = \prod_{t=1}^{L} p(\target{y_t} \mid \target{y_{<t}}, \source{x})"
    r" \\ \log p(\target{y} \mid \source{x}) = \sum_{t=1}^{L} \log p(\target{y_t} \mid \target{y_{<t}}, \source{x})"
    r" \\ \text{score}(\target{y}) = \frac{\log p(\target{y} \mid \source{x})}{\operatorname{lp}(L)}"
)


def divisor(penalty: str, alpha: float, length: int) -> float:
    """lp(L) of `DIVISORS`: what the sum of log-probabilities is divided by; L counts `</s>` and not `<s>`.

    Raises:
        ValueError: there is no such penalty.
    """
    if penalty not in DIVISORS:
        raise ValueError(f"penalty = {penalty!r}: must be one of {', '.join(DIVISORS)}")
    base = {"none": 1.0, "huggingface": length, "gnmt": (5 + length) / 6}[penalty]
    return float(np.power(base, alpha))


def products(log_ps: Float[np.ndarray, " token"]) -> Float[np.ndarray, " token"]:
    """∏ p up to each token, multiplied as probabilities in float64."""
    return np.cumprod(np.exp(log_ps.astype(np.float64)))


def sums(log_ps: Float[np.ndarray, " token"]) -> Float[np.ndarray, " token"]:
    """Σ log p up to each token, in float64."""
    return np.cumsum(log_ps.astype(np.float64))


def added(log_ps: Float[np.ndarray, " token"]) -> float:
    """Σ p: what one gets who adds probabilities. It means nothing: it grows with every token, soon beyond 1."""
    return float(np.exp(log_ps.astype(np.float64)).sum())


def by_rank(values: Sequence[float]) -> Int[np.ndarray, " value"]:
    """The place of each value among all when the largest is first, from 1; equals in their order."""
    order = np.argsort(-np.asarray(values, dtype=np.float64), kind="stable")
    ranks = np.empty(len(order), dtype=int)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def furthest(one: Float[np.ndarray, " token"], other: Float[np.ndarray, " token"]) -> float:
    """Max |Δ| of the running sums of two ways to compute the same log-probabilities; 0 without any."""
    return largest_difference(sums(one), sums(other))


BOUND = mark(
    r"\begin{gathered} \log p(\target{y_{\le t}} \mid \source{x}) \;\ge\; \log p(\target{y_{\le t'}} \mid \source{x})"
    r"\quad (t' > t) \\ \text{read } \target{y_{\le t}} \text{ only if }\; "
    r"\frac{\log p(\target{y_{\le t}} \mid \source{x})}{\operatorname{lp}(L^\ast)} > \text{best score} \end{gathered}"
)
SOURCE = mark("Stahlberg & Byrne 2019, algorithm 1")


def suiting_length(penalty: str, alpha: float, length: int, limit: int) -> int:
    """L*: the length that suits a longer hypothesis best: the limit if long ones are favoured, else the next one."""
    return limit if penalty != "none" and alpha > 0 else length + 1


def bound(log_prob: float, penalty: str, alpha: float, length: int, limit: int) -> float:
    """The best score of anything longer that begins with a prefix of `length` tokens (Stahlberg & Byrne 2019)."""
    return float(np.divide(log_prob, divisor(penalty, alpha, suiting_length(penalty, alpha, length, limit))))


def off_by(log_prob: float, log_ps: Float[np.ndarray, " token"]) -> float:
    """|Δ| of a sum that a search added up token by token, and the same summed here in float64."""
    return abs(log_prob - float(log_ps.astype(np.float64).sum()))
