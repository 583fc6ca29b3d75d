"""`</s>` as a sink, on matrices small enough to add up by hand."""

import numpy as np
import pytest

from explainer.measures.heads import end_share

KEYS = ["Hello", "</s>"]


def test_the_row_that_predicts_the_end_is_no_sink() -> None:
    weights = np.array([[0.9, 0.1], [0.1, 0.9]], dtype=np.float32)
    found = end_share(weights, weights, np.ones((2, 2), dtype=bool), ["Hallo", "</s>"], KEYS)
    assert found is not None
    assert (found.weight, found.n_rows) == (pytest.approx(0.1), 1)


def test_much_weight_on_a_short_value_is_little_length() -> None:
    weights = np.array([[0.2, 0.8], [0.4, 0.6]], dtype=np.float32)
    lengths = weights * np.array([3.0, 0.5], dtype=np.float32)  # 0.6 and 0.4, 1.2 and 0.3
    found = end_share(weights, lengths, np.ones((2, 2), dtype=bool), ["Guten", " Tag"], KEYS)
    assert found is not None
    assert found.weight == pytest.approx((0.8 + 0.6) / 2)
    assert found.length == pytest.approx((0.4 / 1.0 + 0.3 / 1.5) / 2)


def test_nobody_who_could_look_there() -> None:
    weights = np.eye(2, dtype=np.float32)
    allowed = np.array([[True, False], [True, True]])
    assert end_share(weights, weights, allowed, ["Hello", "</s>"], KEYS) is None
    assert end_share(weights, weights, np.ones((2, 2), dtype=bool), ["a", "b"], ["a", "b"]) is None
    dead = np.zeros((2, 2), dtype=np.float32)  # a head that is switched off adds nothing
    found = end_share(weights, dead, np.ones((2, 2), dtype=bool), ["a", "b"], KEYS)
    assert found is not None
    assert found.length == 0.0
