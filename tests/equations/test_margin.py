"""The difference of two logits, dimension by dimension, is the logarithm of the ratio of the probabilities."""

import numpy as np
import pytest

from explainer.equations.output import LOG_PROBS, LOGITS, deciding, margin_story, margin_terms


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
