"""The output head: tied weights, temperature."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explainer.equations.output import tempered

LOGIT_ROWS = torch.tensor([[2.0, -1.0, 0.5, 7.25], [-300.0, 0.0, 300.0, 299.0]], dtype=torch.double)


@pytest.mark.parametrize("temperature", [0.05, 0.5, 1.0, 3.0, 100.0])
def test_temperature_agrees_with_torch(temperature: float) -> None:
    expected = (LOGIT_ROWS / temperature).softmax(dim=-1).numpy()
    np.testing.assert_allclose(tempered(LOGIT_ROWS.numpy(), temperature), expected, rtol=1e-12, atol=1e-300)


@given(st.floats(0.1, 50), st.floats(1.01, 10))
def test_higher_temperature_is_flatter(temperature: float, factor: float) -> None:
    row = np.array([1.0, 0.2, -2.0, 3.0])
    sharp, flat = tempered(row, temperature), tempered(row, temperature * factor)
    assert flat.max() < sharp.max()
    assert flat.min() > sharp.min()
    assert sharp.argmax() == flat.argmax() == 3


def test_towards_zero_it_is_greedy_choice() -> None:
    np.testing.assert_array_equal(tempered(LOGIT_ROWS.numpy(), 1e-6), [[0, 0, 0, 1], [0, 0, 1, 0]])


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_must_be_above_zero(temperature: float) -> None:
    with pytest.raises(ValueError, match=r"temperature = .*: must be above 0"):
        tempered(LOGIT_ROWS.numpy(), temperature)
