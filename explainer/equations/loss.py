r"""The loss: cross-entropy against a target distribution, its parts, and its gradient on the logits."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from explainer.equations.output import LOG_PROBS
from explainer.equations.softmax import entropy, log_softmax
from explainer.equations.story import EXPONENT, TOTAL, CellStory, Term, as_written, ln, sum_story, written
from explainer.language import mark

PAD = 0  # `<pad>`: the first entry of every vocabulary


@dataclass(frozen=True)
class Convention:
    """One way to spread ε, its name in links by what ε is divided; `latex` is q of the target token and elsewhere."""

    name: str
    title: str
    latex: str
    source: str


EVERYWHERE = Convention(
    "V",
    mark("ε/V everywhere"),
    r"\begin{aligned} q_y &= (1-\varepsilon) + \tfrac{\varepsilon}{V} \\"
    r" q_v &= \tfrac{\varepsilon}{V} \quad (v \ne y) \end{aligned}",
    mark("Szegedy et al. 2016; PyTorch's `label_smoothing`"),
)
ELSEWHERE = Convention(
    "V-1",
    mark("ε/(V−1) elsewhere"),
    r"\begin{aligned} q_y &= 1-\varepsilon \\"
    r" q_v &= \tfrac{\varepsilon}{V-1} \quad (v \ne y) \end{aligned}",
    "tensor2tensor",
)
WITHOUT_PADDING = Convention(
    "V-2",
    mark("ε/(V−2), no padding"),
    r"\begin{aligned} q_y &= 1-\varepsilon, \quad q_{\text{<pad>}} = 0 \\"
    r" q_v &= \tfrac{\varepsilon}{V-2} \quad (v \ne y,\ \text{<pad>}) \end{aligned}",
    mark("The Annotated Transformer"),
)
CONVENTIONS = {one.name: one for one in (EVERYWHERE, ELSEWHERE, WITHOUT_PADDING)}


def smoothed(
    vocab_size: int, label: int, epsilon: float, convention: Convention = EVERYWHERE
) -> Float[np.ndarray, " vocab"]:
    """The target distribution q: most of it on the label y, ε (0 to 1) shared out as the convention says.

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
    """The cross-entropy of models that give the label p_y (above 0, below 1) and share the remaining 1 − p_y as q does.

    For a given p_y no other sharing costs less.
    """
    others = np.delete(q, label)
    rest = float(others.sum())
    loss = -q[label] * np.log(confidence)
    if rest > 0:
        shares = others[others > 0] / rest
        loss = loss - rest * np.log1p(-confidence) - rest * float((shares * np.log(shares)).sum())
    return loss


NLL = r"-\log p(\target{y_t} \mid \target{y_{<t}},\, \source{x}) = \log\! \sum_v e^{\ell_v} - \ell_{\target{y_t}}"
MEAN = r"L = \frac{1}{n} \sum_{t=1}^{n} -\log p(\target{y_t}), \qquad \mathrm{PPL} = e^{L}"
CROSS_ENTROPY = r"H(q, p) = -\sum_v q_v \log \target{p_v} = H(q) + \mathrm{KL}(q \,\|\, \target{p})"
ON_VECTOR = r"\frac{\partial H(q,p)}{\partial x} = (\target{p} - q)\, W"
GRADIENT = r"\frac{\partial H(q,p)}{\partial \ell_v} = \target{p_v} - q_v"


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What the loss of one position, H(q, p), is made of, in nats; `nll`, −log p of the label, has no smoothing.

    `entropy` is H(q), what even p = q would cost; `divergence` is KL(q‖p), what the model adds to that: computed on
    its own, not as a difference.
    """

    nll: float
    cross_entropy: float
    entropy: float
    divergence: float

    @property
    def residue(self) -> float:
        """|H(q, p) − KL(q‖p) − H(q)|: what rounding leaves, as each was summed on its own."""
        return abs(self.cross_entropy - self.divergence - self.entropy)


def parts(log_p: Float[np.ndarray, " vocab"], q: Float[np.ndarray, " vocab"], label: int) -> Parts:
    """The loss of one position, divided: of log-probabilities, against the target distribution q."""
    wide, some = log_p.astype(np.float64), q > 0
    return Parts(
        nll=-float(wide[label]),
        cross_entropy=-float((q[some] * wide[some]).sum()),
        entropy=float(entropy(q[None])[0]),
        divergence=float((q[some] * (np.log(q[some]) - wide[some])).sum()),
    )


def losses(log_probs: Float[np.ndarray, "row vocab"], ids: Sequence[int]) -> Float[np.ndarray, " row"]:
    """−log p of the label in each row, in float64."""
    return -log_probs[np.arange(len(ids)), list(ids)].astype(np.float64)


def mean_nll(log_probs: Float[np.ndarray, "row vocab"], ids: Sequence[int]) -> float:
    """The mean of −log p of the labels over the rows, in nats."""
    return float(losses(log_probs, ids).mean())


def uniform_loss(vocab_size: int) -> float:
    """What the same probability for every token costs at each position: log V."""
    return float(np.log(vocab_size))


def probabilities(log_p: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """e^log p, in float64."""
    return np.exp(log_p.astype(np.float64))


def mean_loss(
    logits: Float[np.ndarray, "row vocab"], ids: Sequence[int], epsilon: float, convention: Convention
) -> float:
    """The mean over rows of H(q, p): what training makes small; ε is spread as the convention says."""
    rows = log_softmax(logits.astype(np.float64))
    each = [
        parts(row, smoothed(len(row), token, epsilon, convention), token).cross_entropy
        for row, token in zip(rows, ids, strict=True)
    ]
    return float(np.mean(each))


def perplexity(nats: float) -> float:
    """e^nats: among how many equally probable tokens the model would be as unsure."""
    return float(np.exp(nats))


def logit_gradient(
    logits: Float[np.ndarray, " vocab"], q: Float[np.ndarray, " vocab"]
) -> Float[np.ndarray, " vocab"]:
    """∂H(q, softmax(ℓ)) / ∂ℓ = p − q, in float64."""
    return np.exp(log_softmax(logits.astype(np.float64))) - q


def vector_gradient(
    gradient: Float[np.ndarray, " vocab"], weights: Float[np.ndarray, "vocab d_model"]
) -> Float[np.ndarray, " d_model"]:
    """∂H/∂x = (p − q) W: the gradient one step further back, on the vector of which ℓ = W x makes logits."""
    return gradient.astype(weights.dtype) @ weights


def nll_story(logits: Float[np.ndarray, "row vocab"], row: int, label: int, model: float) -> CellStory:
    """The arithmetic of −log p of one label, beside the model's number."""
    told = LOG_PROBS.cell(logits, (row, label))
    logit = as_written(float(logits[row, label]), EXPONENT)
    return dataclasses.replace(
        told,
        symbol=rf"-\log p(y_{{{row + 1}}}) = \ln \Sigma - \ell",
        finish=rf"\ln {TOTAL} - {written(logit, EXPONENT)}",
        after=lambda total: ln(total) - logit,
        result=-told.result,
        model=model,
    )


def mean_story(each: Float[np.ndarray, " row"], model: float) -> CellStory:
    """The mean of the losses of all positions; `model` is what the training code says."""
    told = sum_story("L", (each,), roles=(), divisor=len(each), finish=rf"\Sigma / {len(each)}")
    return told.against(model)


def cross_entropy_story(
    log_p: Float[np.ndarray, " vocab"], q: Float[np.ndarray, " vocab"], label: int, model: float
) -> CellStory:
    """The sum over the vocabulary of −q log p: the label's term, and all others; `model` is what PyTorch says."""
    nll = -log_p.astype(np.float64)
    values = np.multiply(q, nll, out=np.zeros_like(nll), where=q > 0)
    total = float(values.sum())
    return CellStory(
        symbol="H(q,p)",
        roles=("", "target"),
        terms=(Term(label, (float(q[label]), float(nll[label])), float(values[label])),),
        n_rest=len(q) - 1,
        rest=total - float(values[label]),
        total=total,
        result=total,
    ).against(model)


def gradient_story(p: float, q: float, model: float) -> CellStory:
    """One entry of the gradient on the logits; `model` is what automatic differentiation says."""
    told = CellStory(
        symbol=r"\frac{\partial L}{\partial \ell_v}",
        finish=rf"p_v - q_v = {p:.6f} - {q:.6f}",
        after=lambda __: as_written(p, 6) - as_written(q, 6),
        result=p - q,
    )
    return told.against(model)


def most_probable(
    log_probs: Float[np.ndarray, "row vocab"],
) -> tuple[tuple[int, ...], Float[np.ndarray, " row"]]:
    """The most probable token of each row, and its probability."""
    ids = log_probs.argmax(axis=1)
    return tuple(ids.tolist()), np.exp(log_probs[np.arange(len(ids)), ids])


def first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The first position at which two sequences differ, or one has ended; None if they are the same."""
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return i
    return None if len(one) == len(other) else min(len(one), len(other))
