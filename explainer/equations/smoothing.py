r"""Label smoothing: the target distribution q in the three ways in which sources spread ε (Szegedy et al. 2016, §7)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from explainer.equations.heads import entropy

PAD = 0  # `<pad>`: the first entry of every vocabulary


@dataclass(frozen=True)
class Convention:
    """One way to spread ε.

    Attributes:
        name: What the link calls it: by what ε is divided.
        title: What the page calls it.
        latex: q of the target token, and q elsewhere.
        source: Who does it so.
    """

    name: str
    title: str
    latex: str
    source: str


EVERYWHERE = Convention(
    "V",
    "ε/V everywhere",
    r"\begin{aligned} q_y &= (1-\varepsilon) + \tfrac{\varepsilon}{V} \\"
    r" q_v &= \tfrac{\varepsilon}{V} \quad (v \ne y) \end{aligned}",
    "Szegedy et al. 2016; PyTorch's `label_smoothing`",
)
ELSEWHERE = Convention(
    "V-1",
    "ε/(V−1) elsewhere",
    r"\begin{aligned} q_y &= 1-\varepsilon \\"
    r" q_v &= \tfrac{\varepsilon}{V-1} \quad (v \ne y) \end{aligned}",
    "tensor2tensor",
)
WITHOUT_PADDING = Convention(
    "V-2",
    "ε/(V−2), no padding",
    r"\begin{aligned} q_y &= 1-\varepsilon, \quad q_{\text{<pad>}} = 0 \\"
    r" q_v &= \tfrac{\varepsilon}{V-2} \quad (v \ne y,\ \text{<pad>}) \end{aligned}",
    "The Annotated Transformer",
)
CONVENTIONS = {one.name: one for one in (EVERYWHERE, ELSEWHERE, WITHOUT_PADDING)}


def smoothed(
    vocab_size: int, label: int, epsilon: float, convention: Convention = EVERYWHERE
) -> Float[np.ndarray, " vocab"]:
    """The target distribution q: most of it on the label, ε shared out as the convention says.

    Args:
        vocab_size: V.
        label: The token y that should come next.
        epsilon: ε, from 0 to 1.
        convention: How ε is spread.

    Raises:
        ValueError: ε is not from 0 to 1, or the label is `<pad>`, which is never asked for.
    """
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon = {epsilon!r}: must be from 0 to 1")
    if not PAD < label < vocab_size:
        raise ValueError(f"label = {label}: must be from 1 to {vocab_size - 1}")
    if convention is EVERYWHERE:
        q = np.full(vocab_size, epsilon / vocab_size)
        q[label] += 1 - epsilon
        return q
    n_others = vocab_size - (1 if convention is ELSEWHERE else 2)
    q = np.full(vocab_size, epsilon / n_others)
    if convention is WITHOUT_PADDING:
        q[PAD] = 0.0
    q[label] = 1 - epsilon
    return q


def on_another(q: Float[np.ndarray, " vocab"], label: int) -> float:
    """What a target distribution gives to each token that is neither the label nor left out."""
    return float(np.delete(q, label).max())


def least_loss(
    vocab_size: int, label: int, epsilon: float, convention: Convention = EVERYWHERE
) -> Float[np.ndarray, ""]:
    """H(q), the loss of a model that says q itself: no model has a smaller one; arguments as for `smoothed`."""
    return np.asarray(entropy(smoothed(vocab_size, label, epsilon, convention)[None])[0])


def loss_by_confidence(
    confidence: Float[np.ndarray, " point"], q: Float[np.ndarray, " vocab"], label: int
) -> Float[np.ndarray, " point"]:
    """The cross-entropy of models that give the label p_y and share the remaining 1 − p_y as q does.

    For a given p_y no other sharing costs less.

    Args:
        confidence: p_y, each above 0 and below 1.
        q: The target distribution.
        label: The token y.
    """
    others = np.delete(q, label)
    rest = float(others.sum())
    loss = -q[label] * np.log(confidence)
    if rest > 0:
        shares = others[others > 0] / rest
        loss = loss - rest * np.log1p(-confidence) - rest * float((shares * np.log(shares)).sum())
    return loss
