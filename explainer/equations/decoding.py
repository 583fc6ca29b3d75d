"""Greedy decoding as equations: the choice of one step, and the sum over all steps so far."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from explainer.equations.equation import Equation
from explainer.equations.story import sum_story
from explainer.story import CellStory

SAID, TOKENS, SUMS = "greedy.log_probs", "greedy.tokens", "greedy.sums"  # as `seen_of` names them


def _choice_cell(log_probs: np.ndarray, index: tuple[int, ...]) -> CellStory:
    (step,) = index
    token = int(log_probs[step].argmax())
    return CellStory(symbol=rf"\hat y_{{{step + 1}}}", result=float(token))


def _sum(log_probs: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """The sums in float64; each step's log p is the one of the token that was taken."""
    return np.cumsum(taken(log_probs, tokens).astype(np.float64))


def _sum_cell(log_probs: np.ndarray, tokens: np.ndarray, index: tuple[int, ...]) -> CellStory:
    (step,) = index
    up_to = rf"\hat y_{{\le {step + 1}}}" if step else r"\hat y_1"
    return sum_story(
        rf"\log p({up_to} \mid x)",
        (taken(log_probs, tokens)[: step + 1],),
        summand=r"\log p(\hat y_s \mid \hat y_{<s}, x)",
        roles=("target",),
    )


CHOICE = Equation(
    name="choice",
    latex=r"\target{\hat y_t} = \operatorname*{arg\,max}_{v \in V} \; p(v \mid \target{\hat y_{<t}}, \source{x})",
    source="Sutskever et al. 2014, §3.2 with a beam of 1",
    reads=(SAID,),
    explains=TOKENS,
    compute=lambda log_probs: log_probs.argmax(axis=-1),
    cell=_choice_cell,
    restates=True,
)
SUM = Equation(
    name="log-probability",
    latex=r"\log p(\target{\hat y_{\le t}} \mid \source{x}) = "
    r"\sum_{s=1}^{t} \log p(\target{\hat y_s} \mid \target{\hat y_{<s}}, \source{x})",
    source="Sutskever et al. 2014, eq. 1 (chain rule, in logarithms)",
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
