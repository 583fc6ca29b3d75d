"""Positions: the paper's formula, written out number by number."""

import dataclasses
import math

import pytest
import torch

from explainer.model.config import TransformerConfig
from explainer.model.positions import Positions, sinusoidal_positions


@pytest.mark.parametrize(("n_positions", "d_model"), [(7, 12), (512, 256), (3, 2)])
def test_every_number_is_the_formulas(n_positions: int, d_model: int) -> None:
    table = sinusoidal_positions(n_positions, d_model)
    for pos in range(0, n_positions, max(1, n_positions // 20)):
        for i in range(d_model // 2):
            angle = pos / 10000 ** (2 * i / d_model)
            assert float(table[pos, 2 * i]) == pytest.approx(math.sin(angle), abs=1e-6)
            assert float(table[pos, 2 * i + 1]) == pytest.approx(math.cos(angle), abs=1e-6)


def test_check_values() -> None:
    """d_model = 4: frequencies 1 and 1/100; the sines and cosines are those of any table."""
    expected = [
        [0, 1, 0, 1],
        [0.841471, 0.540302, 0.010000, 0.999950],
        [0.909297, -0.416147, 0.019999, 0.999800],
    ]
    torch.testing.assert_close(sinusoidal_positions(3, 4), torch.tensor(expected), atol=1e-6, rtol=0)


def test_a_shift_is_a_rotation() -> None:
    """PE(pos + k) is a linear function of PE(pos), the same for all pos (§3.5)."""
    table, k = sinusoidal_positions(50, 8).double(), 7
    for i in range(4):
        angle = k / 10000 ** (2 * i / 8)
        cos, sin = math.cos(angle), math.sin(angle)
        turn = torch.tensor([[cos, -sin], [sin, cos]], dtype=torch.double)
        pair = table[:, 2 * i : 2 * i + 2]
        torch.testing.assert_close(pair[:-k] @ turn, pair[k:], atol=1e-6, rtol=0)


def test_a_slice_starts_where_the_cache_ends(tiny_config: TransformerConfig) -> None:
    positions = Positions(tiny_config)
    assert torch.equal(positions(5, 3), positions(0, 8)[5:])
    assert positions(39, 1).shape == (1, 12)
    with pytest.raises(ValueError, match="41 tokens: this model has positions for 40"):
        positions(39, 2)


def test_the_other_kinds(tiny_config: TransformerConfig) -> None:
    none = Positions(dataclasses.replace(tiny_config, positions="none"))
    assert not none(0, 40).any()
    learned = Positions(dataclasses.replace(tiny_config, positions="learned"))
    assert [name for name, _ in learned.named_parameters()] == ["table"]
    assert not list(none.parameters())
    assert not list(Positions(tiny_config).parameters())
    assert not none.state_dict()  # a table that follows from the configuration is not stored
