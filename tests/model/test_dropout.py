"""Dropout: mean kept, share dropped, nothing done in eval mode."""

import pytest
import torch

from explainer.model.dropout import Dropout


@pytest.mark.parametrize("p", [0.1, 0.25, 0.5])
def test_the_share_of_zeros_and_the_mean(p: float) -> None:
    n = 200_000
    dropped = Dropout(p).train()(torch.ones(n // 8, 8))
    share = float((dropped == 0).float().mean())
    rounded = round(256 * p) / 256
    assert abs(share - rounded) < 5 * (p * (1 - p) / n) ** 0.5  # five standard deviations
    kept = dropped[dropped != 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / (1 - rounded)))
    assert float(dropped.mean()) == pytest.approx(1.0, abs=5 * (p / (1 - p) / n) ** 0.5)


def test_every_byte_of_a_random_word_is_random() -> None:
    zeros = (Dropout(0.5).train()(torch.ones(20_000, 8)) == 0).double()
    torch.testing.assert_close(zeros.mean(dim=0), torch.full((8,), 0.5).double(), atol=0.02, rtol=0)
    correlation = torch.corrcoef(zeros.T) - torch.eye(8)
    assert float(correlation.abs().max()) < 0.04


def test_eval_mode_does_nothing_any_shape_is_kept_and_a_seed_repeats_it() -> None:
    layer, x = Dropout(0.3).train(), torch.randn(50, 50)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0).train()(x) is x
    for shape in ((1,), (7,), (3, 5), (2, 3, 11)):
        assert layer(torch.ones(shape)).shape == shape
    torch.manual_seed(3)
    first = layer(x)
    torch.manual_seed(3)
    assert torch.equal(layer(x), first)


def test_the_gradient_passes_where_the_value_passed() -> None:
    x = torch.ones(100, requires_grad=True)
    y = Dropout(0.5).train()(x)
    y.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, y.detach())
