"""Parts of the page about the loss: the smoothed target against the model, and the least loss."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float, Int

from explainer.equations import loss as equations
from explainer.equations.loss import CONVENTIONS, EVERYWHERE, Convention, Parts, probabilities, smoothed
from explainer.equations.output import LOG_PROB, LOGIT, TABLE
from explainer.equations.softmax import largest_difference
from explainer.figures.bars.smoothing import gradient_bars, target_against_model
from explainer.figures.escape import for_markdown
from explainer.figures.latex import paint
from explainer.figures.lines.graphs import Axis, Line, Mark, graph
from explainer.figures.style import number, small
from explainer.language import _
from explainer.measures.vocabulary import listed, shares
from explainer.pages.frame import layout
from explainer.pages.frame.link import choose, link_number, slide
from explainer.pages.frame.models import PAPER_SMOOTHING, trained_smoothing
from explainer.pages.frame.page import Words
from explainer.pages.loss.pair import ForcedPair, trained

LISTED = 7  # most probable tokens that stand in the figures, beside the label and `<pad>`
CONFIDENCE = np.concatenate([np.linspace(0.005, 0.99, 160), 1 - np.logspace(-2, -5, 60)])


@dataclass(frozen=True)
class Smoothing:
    """The target distribution that was chosen, and what it makes of the selected row."""

    epsilon: float
    convention: Convention  # how ε is spread
    q: Float[np.ndarray, " vocab"]  # the target distribution of the selected row
    ids: Int[np.ndarray, " token"]  # the tokens that stand in the figures, the most probable first
    token: int  # the one that the page tells of
    parts: Parts  # what the loss of the row is made of
    loss: float  # H(q, p) of the row by PyTorch
    gradient: Float[np.ndarray, " vocab"]  # of that on the logits, by PyTorch's automatic differentiation


def show_smoothing(pair: ForcedPair, words: Words) -> Smoothing:
    """The target q against p for the selected row, and what the loss is made of."""
    st.markdown(words["smoothing"])
    left, right = st.columns([3, 2], gap="large")
    with right:
        chosen = _choose(pair)
    with left:
        _show_distributions(pair, chosen)
        st.markdown(words["minimum"])
        _show_minimum(pair, chosen)
        st.caption(words["on the curve"])
    with right, st.container(key="parts"):
        _tell_parts(pair, chosen)
    return chosen


def _show_minimum(pair: ForcedPair, chosen: Smoothing) -> None:
    """The loss of one row as a function of the confidence in the label."""
    label, vocab = pair.label, len(chosen.q)
    plain = equations.loss_by_confidence(CONFIDENCE, smoothed(vocab, label, 0.0), label)
    curve = equations.loss_by_confidence(CONFIDENCE, chosen.q, label)
    p = float(probabilities(pair.log_p)[label])
    least = float(equations.least_loss(vocab, label, chosen.epsilon, chosen.convention))
    top = 1.15 * max(3.0, min(12.0, chosen.parts.cross_entropy), least)
    marks = [
        Mark(_("least: p = q"), float(chosen.q[label]), least, "residual", "diamond-open", "bottom left"),
        Mark(_("this row"), p, chosen.parts.cross_entropy, "target", "circle", "top left" if p > 0.5 else "top right"),
    ]  # fmt: skip
    lines = [
        Line("ε = 0: −log p", CONFIDENCE, plain, "dash"),
        Line(f"ε = {number(chosen.epsilon)}", CONFIDENCE, curve, "solid", "target"),
    ]
    x, y = Axis(_("p of the label"), (-0.02, 1.02)), Axis(_("loss, nats"), (0.0, top))
    alt = _(
        "The loss against the probability of the label: with ε = {epsilon} its least value is {least} nats, at p = {p}"
    )
    layout.figure(
        graph(lines, pair.view.theme, x=x, y=y, marks=marks, height=300),
        key="minimum",
        alt=alt.format(epsilon=f"{chosen.epsilon:g}", least=f"{least:.3f}", p=f"{chosen.q[label]:.3f}"),
        table=lambda: (
            [_("p of the label"), *(line.name for line in lines)],
            [[f"{p:.5f}", f"{a:.5g}", f"{b:.5g}"] for p, a, b in zip(CONFIDENCE, plain, curve, strict=True)],
        ),
    )


def _choose(pair: ForcedPair) -> Smoothing:
    from explainer.train.learning.autograd import torch_loss

    epsilon = slide("eps", "ε", PAPER_SMOOTHING, 0.0, 0.9, 0.01)
    name = choose(
        "how", _("How ε is spread"), tuple(CONVENTIONS), EVERYWHERE.name,
        format_func=lambda one: _(CONVENTIONS[one].title),
    )  # fmt: skip
    convention, label, vocab = CONVENTIONS[name], pair.label, len(pair.log_p)
    q = smoothed(vocab, label, epsilon, convention)
    token = link_number("next", label, 0, vocab - 1)
    ids = listed(probabilities(pair.log_p), LISTED, (label, equations.PAD, token))
    loss, gradient = torch_loss(pair.logits[None], q[None])
    told = equations.parts(pair.log_p, q, label)
    return Smoothing(epsilon, convention, q, ids, token, told, float(loss[0]), gradient[0])


def _show_distributions(pair: ForcedPair, chosen: Smoothing) -> None:
    view, ids = pair.view, chosen.ids
    p = probabilities(pair.log_p)
    before = probabilities(view.before[LOG_PROB][pair.row]) if view.specs else None
    alt = _(
        "The target distribution q against the model's p in row {row}: the label {label} has q = {q}, p = {p}"
    )
    told = {"q": f"{chosen.q[pair.label]:.4f}", "p": f"{p[pair.label]:.4f}"}
    layout.figure(
        target_against_model(
            pair.view.tokenizer.pieces(ids.tolist()),
            shares(chosen.q, ids),
            shares(p, ids),
            view.theme,
            before=None if before is None else shares(before, ids),
            **marks(pair, chosen),
        ),
        key="target-model",
        alt=alt.format(row=pair.row + 1, label=pair.view.name_of(pair.label), **told),
        table=lambda: table(pair, chosen, {"q": chosen.q, "p": p}),
        says=lambda token: {"next": str(token)},
        part="candidate",
    )


def marks(pair: ForcedPair, chosen: Smoothing) -> dict[str, Any]:
    """Which lines of a figure are what: the tokens, the label, the selected one, and how many share the last line."""
    tokens = chosen.ids.tolist()
    return {
        "ids": tokens,
        "chosen": tokens.index(pair.label),
        "selected": tokens.index(chosen.token),
        "n_others": len(chosen.q) - len(tokens),
    }


def _tell_parts(pair: ForcedPair, chosen: Smoothing) -> None:
    st.latex(paint(chosen.convention.latex, pair.view.theme))
    st.caption(f"{_(chosen.convention.source)}. {_who_trained(pair)}")
    label, q = pair.label, chosen.q
    told = chosen.parts
    named = for_markdown(pair.view.name_of(label))
    heading = _("row {row}, label {label}").format(row=pair.row + 1, label=named)
    rows = {
        _("q of the label"): number(float(q[label]), 5),
        _("q of each other token"): small(equations.on_another(q, label)),
        "Σ q": number(float(q.sum()), 6),
        _("H(q), the least possible"): number(told.entropy, 4),
        _("+ KL(q‖p), what the model adds"): number(told.divergence, 4),
        _("**= loss, H(q, p)**"): f"**{number(told.cross_entropy, 4)}**",
        _("without smoothing, −log p"): number(told.nll, 4),
    }
    st.markdown(layout.as_table([heading, ""], rows.items()))
    st.latex(paint(equations.CROSS_ENTROPY, pair.view.theme))
    story = equations.cross_entropy_story(pair.log_p, q, label, chosen.loss)
    layout.story(story, pair.view.theme, pair.view.tokenizer.piece)
    by_torch = _(
        "The model's number is PyTorch's `cross_entropy` with this q. KL and H are summed on their own: "
        "|H(q,p) − KL − H(q)| = {residue}."
    )
    st.caption(f"{by_torch.format(residue=small(told.residue))} {_whole_sentence(pair, chosen)}")


def _who_trained(pair: ForcedPair) -> str:
    epsilon, convention = trained_smoothing(pair.view.model), _(EVERYWHERE.title)
    if epsilon is None:
        told = _("Our training code, `explainer/train/learning/loss.py`, spreads ε as *{convention}*.")
        return told.format(convention=convention)
    told = _("The model was trained with *{convention}*, ε = {epsilon}.")
    return told.format(convention=convention, epsilon=number(epsilon))


def _whole_sentence(pair: ForcedPair, chosen: Smoothing) -> str:
    """The loss of all rows against the training code, where that computes the same convention."""
    view = pair.view
    formula = equations.mean_loss(view.shown[LOGIT], pair.ids, chosen.epsilon, chosen.convention)
    if chosen.convention is not EVERYWHERE:
        return _("Mean over the sentence: {mean} nats.").format(mean=number(formula, 4))
    model, __ = trained(pair.view, chosen.epsilon)
    told = _("Mean over the sentence: {mean} nats; the code that trains has {trained}, |Δ| = {difference}.")
    return told.format(
        mean=number(formula, 4), trained=number(model, 4), difference=small(abs(formula - model))
    )


def table(pair: ForcedPair, chosen: Smoothing, columns: dict[str, np.ndarray]) -> layout.Table:
    """The numbers of a figure: a line for each token that it shows, and one for all others."""
    names = [*(pair.view.name_of(token) for token in chosen.ids.tolist()), _("all others")]
    values = [shares(column, chosen.ids) for column in columns.values()]
    return [_("token"), *columns], [
        [name, *(f"{column[i]:.6g}" for column in values)] for i, name in enumerate(names)
    ]


def show_gradient(pair: ForcedPair, chosen: Smoothing, words: Words) -> None:
    """Bars of p − q, the arithmetic of one, and the deviation from automatic differentiation."""
    gradient = equations.logit_gradient(pair.logits, chosen.q)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(words["gradient"])
        layout.figure(
            gradient_bars(
                pair.view.tokenizer.pieces(chosen.ids.tolist()),
                shares(gradient, chosen.ids),
                pair.view.theme,
                **marks(pair, chosen),
            ),
            key="gradient",
            alt=_("The gradient p − q on the logits of row {row}; the label's is {value}").format(
                row=pair.row + 1, value=f"{gradient[pair.label]:.4f}"
            ),
            table=lambda: table(pair, chosen, {"p − q": gradient}),
            says=lambda token: {"next": str(token)},
            part="candidate",
        )
    with right, st.container(key="gradient-story"):
        st.latex(paint(equations.GRADIENT, pair.view.theme))
        token = chosen.token
        title = _("**v =** {token}, in row {row}")
        st.markdown(title.format(token=for_markdown(pair.view.name_of(token)), row=pair.row + 1))
        p = float(probabilities(pair.log_p)[token])
        told = equations.gradient_story(p, float(chosen.q[token]), float(chosen.gradient[token]))
        layout.story(told, pair.view.theme)
        largest = largest_difference(gradient, chosen.gradient)
        checked = _(
            "Checked: the formula equals PyTorch's automatic differentiation of the same loss, all {n} logits: max |Δ| "
            "= {difference}."
        )
        st.caption(checked.format(n=len(gradient), difference=small(largest)))
        if chosen.convention is EVERYWHERE:
            on_x = trained(pair.view, chosen.epsilon)[1][pair.row]
            weights = pair.view.model.parameters[TABLE]
            difference = largest_difference(equations.vector_gradient(gradient, weights), on_x)
            st.latex(paint(equations.ON_VECTOR, pair.view.theme))
            checked = _(
                "One step further back, on the vector x of this row: the code that trains, "
                "`explainer/train/learning/loss.py`, has the same, max |Δ| = {difference}."
            )
            st.caption(checked.format(difference=small(difference)))
