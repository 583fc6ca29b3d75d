"""The output head: temperature, and the difference of two logits, which is the logarithm of a ratio."""

import numpy as np
import pytest
import torch

from explainer.equations.output import LOG_PROBS, LOGITS, deciding, margin_story, margin_terms, tempered

LOGIT_ROWS = torch.tensor([[2.0, -1.0, 0.5, 7.25], [-300.0, 0.0, 300.0, 299.0]], dtype=torch.double)


@pytest.mark.parametrize("temperature", [0.05, 0.5, 1.0, 3.0, 100.0])
def test_temperature_agrees_with_torch(temperature: float) -> None:
    expected = (LOGIT_ROWS / temperature).softmax(dim=-1).numpy()
    np.testing.assert_allclose(tempered(LOGIT_ROWS.numpy(), temperature), expected, rtol=1e-12, atol=1e-300)


def test_towards_zero_it_is_greedy_choice() -> None:
    np.testing.assert_array_equal(tempered(LOGIT_ROWS.numpy(), 1e-6), [[0, 0, 0, 1], [0, 0, 1, 0]])


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_must_be_above_zero(temperature: float) -> None:
    with pytest.raises(ValueError, match=r"temperature = .*: must be above 0"):
        tempered(LOGIT_ROWS.numpy(), temperature)


def test_the_terms_add_up_to_the_logarithm_of_the_odds() -> None:
    random = np.random.default_rng(4)
    x, table = random.normal(size=(1, 24)), random.normal(size=(13, 24))
    logits = LOGITS.compute(x, table)
    (log_probs,) = LOG_PROBS.compute(logits)
    terms = margin_terms(x[0], table[3], table[8])
    assert terms.sum() == pytest.approx(log_probs[3] - log_probs[8])
    story = margin_story(x[0], table[3], table[8], float(logits[0, 3] - logits[0, 8]))
    assert story.deviation < 1e-12
    assert {term.place for term in story.terms} == set(deciding(terms, 5).tolist())


def test_the_deciding_terms_are_the_largest_by_absolute_value() -> None:
    assert deciding(np.array([0.1, -4.0, 3.0, 0.0]), 3).tolist() == [1, 2, 0]
