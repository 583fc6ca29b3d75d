"""The blocks: layer norm and feed-forward against PyTorch, and the order of norm and addition."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from torch import nn

from explainer.capture.record import Recorder, record
from explainer.model.blocks import FeedForward, LayerNorm, Residual
from explainer.model.config import TransformerConfig
from explainer.model.hooks import listening


@pytest.fixture
def norm() -> LayerNorm:
    made = LayerNorm(12)
    nn.init.normal_(made.weight)
    nn.init.normal_(made.bias)
    return made.requires_grad_(False)


def test_layer_norm_agrees_with_torch(norm: LayerNorm) -> None:
    x = torch.randn(2, 5, 12) * 3 + 1
    expected = nn.functional.layer_norm(x, (12,), norm.weight, norm.bias, 1e-5)
    torch.testing.assert_close(norm(x), expected)
    with listening(Recorder(norm)):
        torch.testing.assert_close(norm(x), expected)


def test_layer_norm_by_hand(norm: LayerNorm) -> None:
    x = torch.tensor([[[1.0, 2.0, 3.0, 6.0] * 3]])  # mean 3, deviations −2 −1 0 3, variance 14/4
    trace = record(norm, x)
    assert float(trace["hook_mean"].item()) == pytest.approx(3.0)
    assert float(trace["hook_scale"].item()) == pytest.approx(math.sqrt(3.5 + 1e-5))
    expected = [d / math.sqrt(3.50001) for d in (-2, -1, 0, 3)]
    assert trace["hook_normalized"][0, :4].tolist() == pytest.approx(expected)


def test_feed_forward_agrees_with_torch(tiny_config: TransformerConfig) -> None:
    ours = FeedForward(tiny_config).requires_grad_(False)
    theirs = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 12)).requires_grad_(False)
    for one, other in ((ours.inner, theirs[0]), (ours.outer, theirs[2])):
        nn.init.normal_(one.bias)
        other.load_state_dict(one.state_dict())
    x = torch.randn(2, 5, 12)
    torch.testing.assert_close(ours(x), theirs(x))
    trace = record(ours, x)
    assert (trace["hook_post"] == trace["hook_pre"].clip(min=0)).all()


@pytest.mark.parametrize("order", ["post", "pre"])
def test_where_the_norm_stands(tiny_config: TransformerConfig, order: str) -> None:
    residual = Residual(dataclasses.replace(tiny_config, norm=order)).eval().requires_grad_(False)
    nn.init.normal_(residual.norm.weight)
    nn.init.normal_(residual.norm.bias)

    def norm(x: torch.Tensor) -> torch.Tensor:
        return nn.functional.layer_norm(x, (12,), residual.norm.weight, residual.norm.bias)

    x = torch.randn(2, 5, 12)
    expected = norm(x + x.sin()) if order == "post" else x + norm(x).sin()
    torch.testing.assert_close(residual(x, torch.sin), expected)
    trace = record(residual, x, torch.sin)
    assert (trace["hook_before"] == x.numpy()).all()
    np.testing.assert_allclose(trace["hook_after"], expected.numpy(), atol=1e-6)
    same = trace["hook_sum"] if order == "pre" else trace["norm.hook_output"]
    assert (trace["hook_after"] == same).all()


@pytest.mark.parametrize("order", ["pre", "post"])
def test_dropout_acts_on_the_sublayer_and_not_on_the_stream(
    tiny_config: TransformerConfig, order: str
) -> None:
    residual = Residual(dataclasses.replace(tiny_config, norm=order, dropout=0.5)).train()
    residual.register_module("norm", nn.Identity())  # after the sum it would hide what was dropped
    x = torch.randn(2, 5, 12)
    change = residual(x, torch.ones_like) - x
    assert set(change.detach().round(decimals=4).unique().tolist()) == {0.0, 2.0}
