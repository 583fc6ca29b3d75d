"""The loss and its parts against PyTorch, and what must hold of every target distribution."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from explainer.equations import loss as ours
from explainer.equations.loss import CONVENTIONS, ELSEWHERE, EVERYWHERE, WITHOUT_PADDING, Convention, smoothed
from explainer.equations.softmax import log_softmax
from explainer.train.learning.loss import cross_entropy

ROWS, VOCAB, PAD = 7, 23, 0
IDS = (3, 22, 1, 9, 9, 4, 2)
ALL = pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=list(CONVENTIONS))


def logits() -> Tensor:
    return 2 * torch.randn(ROWS, VOCAB)


@given(
    vocab=st.integers(4, 60),
    epsilon=st.floats(0, 1),
    name=st.sampled_from(list(CONVENTIONS)),
    data=st.data(),
)
def test_every_target_is_a_distribution(vocab: int, epsilon: float, name: str, data: st.DataObject) -> None:
    label = data.draw(st.integers(1, vocab - 1))
    q = smoothed(vocab, label, epsilon, CONVENTIONS[name])
    assert (q >= 0).all()
    assert q.sum() == pytest.approx(1, abs=1e-12)
    others = np.delete(q, [label, PAD])
    np.testing.assert_allclose(others, others[0])


def test_the_three_conventions_as_their_sources_write_them() -> None:
    """K = 10, ε = 0.1: what Szegedy et al., tensor2tensor and the Annotated Transformer put on label and others."""
    for convention, on_label, elsewhere, on_pad in (
        (EVERYWHERE, 0.91, 0.01, 0.01),
        (ELSEWHERE, 0.9, 0.1 / 9, 0.1 / 9),
        (WITHOUT_PADDING, 0.9, 0.1 / 8, 0.0),
    ):
        q = smoothed(10, 4, 0.1, convention)
        assert (q[4], q[7], q[PAD]) == pytest.approx((on_label, elsewhere, on_pad))
        assert ours.on_another(q, 4) == pytest.approx(elsewhere)


@pytest.mark.parametrize(("label", "epsilon"), [(4, -0.1), (4, 1.01), (0, 0.1), (10, 0.1)])
def test_what_is_no_target_is_refused(label: int, epsilon: float) -> None:
    with pytest.raises(ValueError, match="must be from"):
        smoothed(10, label, epsilon)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.6])
def test_the_mean_is_pytorchs_and_that_of_the_code_that_trains(epsilon: float) -> None:
    rows, labels = logits(), torch.tensor(IDS)
    formula = ours.mean_loss(rows.numpy(), IDS, epsilon, EVERYWHERE)
    assert formula == pytest.approx(float(F.cross_entropy(rows, labels, label_smoothing=epsilon)), rel=1e-5)
    trained, nll = cross_entropy(rows, torch.eye(VOCAB), labels, epsilon)
    assert formula == pytest.approx(float(trained) / ROWS, rel=1e-5)
    each = ours.losses(rows.log_softmax(dim=-1).numpy(), IDS)
    assert each.sum() == pytest.approx(float(nll), rel=1e-5)


@ALL
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.9])
def test_cross_entropy_is_entropy_and_divergence(convention: Convention, epsilon: float) -> None:
    rows = logits()
    log_p = rows.log_softmax(dim=-1)
    for row, label in enumerate(IDS):
        q = smoothed(VOCAB, label, epsilon, convention)
        told = ours.parts(log_p[row].numpy(), q, label)
        target = torch.tensor(q, dtype=torch.float32)
        assert told.cross_entropy == pytest.approx(float(F.cross_entropy(rows[row], target)), rel=1e-5)
        divergence = F.kl_div(log_p[row], target, reduction="sum")
        assert told.divergence == pytest.approx(float(divergence), rel=1e-4, abs=1e-6)
        assert told.entropy == pytest.approx(
            float(torch.distributions.Categorical(target).entropy()), abs=1e-5
        )
        assert told.cross_entropy - told.divergence == pytest.approx(told.entropy, abs=1e-9)
        assert told.residue < 1e-9
        assert told.divergence >= 0
        assert told.nll == pytest.approx(-float(log_p[row, label]))
        if epsilon == 0:
            assert told.entropy == 0
            assert told.cross_entropy == pytest.approx(told.nll)


@ALL
def test_the_gradient_is_that_of_automatic_differentiation(convention: Convention) -> None:
    rows = logits().requires_grad_()
    for row, label in enumerate(IDS):
        q = smoothed(VOCAB, label, 0.1, convention)
        loss = F.cross_entropy(rows[row], torch.tensor(q, dtype=torch.float32))
        (expected,) = torch.autograd.grad(loss, rows)
        formula = ours.logit_gradient(rows[row].detach().numpy(), q)
        np.testing.assert_allclose(formula, expected[row].numpy(), atol=1e-6)
        assert formula.sum() == pytest.approx(0, abs=1e-12)


def test_one_step_back_the_gradient_is_that_of_automatic_differentiation() -> None:
    x, weights = torch.randn(5, requires_grad=True), torch.randn(VOCAB, 5)
    q = smoothed(VOCAB, 4, 0.1)
    scores = weights @ x
    (expected,) = torch.autograd.grad(F.cross_entropy(scores, torch.tensor(q, dtype=torch.float32)), x)
    formula = ours.vector_gradient(ours.logit_gradient(scores.detach().numpy(), q), weights.numpy())
    np.testing.assert_allclose(formula, expected.numpy(), atol=1e-6)


@ALL
def test_the_curve_is_the_cross_entropy_of_such_a_model(convention: Convention) -> None:
    label = 5
    q = smoothed(VOCAB, label, 0.2, convention)
    confidence = np.array([0.01, 0.3, float(q[label]), 0.97])
    curve = ours.loss_by_confidence(confidence, q, label)
    draws = np.random.default_rng(1)
    for p_y, loss in zip(confidence, curve, strict=True):
        model = q / (1 - q[label]) * (1 - p_y)
        model[label] = p_y
        safe = np.log(np.where(model > 0, model, 1.0))
        assert loss == pytest.approx(ours.parts(safe, q, label).cross_entropy)
        other = draws.dirichlet(np.ones(VOCAB))
        other *= (1 - p_y) / (1 - other[label])
        other[label] = p_y
        assert ours.parts(np.log(other), q, label).cross_entropy > loss  # no other sharing costs less
    least = ours.least_loss(VOCAB, label, 0.2, convention)
    assert curve[2] == pytest.approx(least)
    assert (curve >= least - 1e-12).all()
    assert least > 0


def test_without_smoothing_the_curve_falls_to_nothing() -> None:
    plain = ours.loss_by_confidence(np.array([0.5, 1 - 1e-9]), smoothed(VOCAB, 5, 0.0), 5)
    assert plain == pytest.approx([np.log(2), 1e-9])


def test_a_uniform_guess_has_the_perplexity_of_the_vocabulary() -> None:
    even = ours.mean_loss(np.zeros((ROWS, VOCAB), np.float32), IDS, 0.0, EVERYWHERE)
    assert ours.perplexity(even) == pytest.approx(VOCAB)
    assert ours.uniform_loss(VOCAB) == pytest.approx(even)


def test_the_mean_and_the_probabilities_are_pytorchs() -> None:
    rows = logits()
    log_p = rows.log_softmax(dim=-1).numpy()
    assert ours.mean_nll(log_p, IDS) == pytest.approx(
        float(F.cross_entropy(rows, torch.tensor(IDS))), rel=1e-6
    )
    np.testing.assert_allclose(ours.probabilities(log_p), rows.softmax(dim=-1).numpy(), rtol=1e-5)


def test_stories_arrive_at_the_numbers() -> None:
    rows = logits().numpy()
    log_p = log_softmax(rows)
    q = smoothed(VOCAB, IDS[2], 0.1)
    told = ours.parts(log_p[2], q, IDS[2])
    each = ours.losses(log_p, IDS)
    for story, value in (
        (ours.nll_story(rows, 2, IDS[2], told.nll), told.nll),
        (ours.mean_story(each, float(each.mean())), float(each.mean())),
        (ours.cross_entropy_story(log_p[2], q, IDS[2], told.cross_entropy), told.cross_entropy),
        (ours.gradient_story(0.25, 0.75, -0.5), -0.5),
    ):
        assert story.result == pytest.approx(value, rel=1e-5)
        assert story.deviation < 1e-5
    label = ours.cross_entropy_story(log_p[2], q, IDS[2], told.cross_entropy)
    assert label.terms[0].value + label.rest == pytest.approx(told.cross_entropy)


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [((1, 2), (1, 2), None), ((1, 2), (1, 3), 1), ((1, 2), (1, 2, 3), 2), ((), (5,), 0), ((4,), (5,), 0)],
)
def test_where_two_sequences_part(one: tuple[int, ...], other: tuple[int, ...], where: int | None) -> None:
    assert ours.first_difference(one, other) == ours.first_difference(other, one) == where


def test_the_most_probable_token_of_each_row() -> None:
    log_p = logits().log_softmax(dim=-1)
    ids, p = ours.most_probable(log_p.numpy())
    expected = log_p.exp().max(dim=-1)
    assert list(ids) == expected.indices.tolist()
    np.testing.assert_allclose(p, expected.values.numpy(), rtol=1e-6)
