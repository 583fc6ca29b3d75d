"""Attention is compared with PyTorch's own, fused kernel and whole module."""

import math

import pytest
import torch
from torch import Tensor, nn

from explainer.capture.record import Recorder, record
from explainer.model.attention import Attend, MultiHeadAttention
from explainer.model.config import TransformerConfig
from explainer.model.hooks import listening

Inputs = tuple[Tensor, Tensor, Tensor, Tensor]
Heads = tuple[MultiHeadAttention, nn.MultiheadAttention]  # ours and PyTorch's
BATCH, HEAD, QUERY, KEY, D_HEAD = 2, 3, 5, 7, 11  # distinct primes: a swapped axis cannot fit


@pytest.fixture
def inputs() -> Inputs:
    q, k, v = (torch.randn(BATCH, HEAD, n, D_HEAD, dtype=torch.double) for n in (QUERY, KEY, KEY))
    return q, k, v, torch.rand(BATCH, QUERY, KEY).bernoulli().bool() | torch.eye(QUERY, KEY).bool()


def explicit(module: nn.Module, *inputs: object) -> Tensor:
    """What the module computes while somebody listens to all of its hooks."""
    with listening(Recorder(module)):
        return module(*inputs)


def test_agrees_with_torch(inputs: Inputs) -> None:
    q, k, v, allowed = inputs
    expected = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed[:, None])
    torch.testing.assert_close(explicit(Attend(), *inputs), expected)
    torch.testing.assert_close(Attend()(*inputs), expected)


def test_one_cell_by_hand(inputs: Inputs) -> None:
    q, k, v, allowed = inputs
    trace = record(Attend(), *inputs)
    b, h, i = 1, 2, 3
    scores = [
        sum(float(q[b, h, i, d] * k[b, h, j, d]) for d in range(D_HEAD)) / math.sqrt(D_HEAD)
        for j in range(KEY)
    ]
    exps = [math.exp(s) if allowed[b, i, j] else 0.0 for j, s in enumerate(scores)]
    weights = [e / sum(exps) for e in exps]
    assert trace["hook_scores"][b, h, i].tolist() == pytest.approx(scores)
    assert trace["hook_weights"][b, h, i].tolist() == pytest.approx(weights)
    mixed = [sum(weights[j] * float(v[b, h, j, d]) for j in range(KEY)) for d in range(D_HEAD)]
    assert trace["hook_mixed"][b, h, i].tolist() == pytest.approx(mixed)


def test_rows_of_weights_sum_to_one_and_masked_cells_are_zero(inputs: Inputs) -> None:
    trace = record(Attend(), *inputs)
    weights, mask = (torch.tensor(trace[name]) for name in ("hook_weights", "hook_mask"))
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(BATCH, HEAD, QUERY, dtype=torch.double))
    assert torch.equal(mask, inputs[3][:, None].expand(-1, HEAD, -1, -1))
    assert (weights[~mask] == 0).all()
    assert (weights[mask] > 0).all()


def test_equal_scores_share_evenly() -> None:
    q, k = torch.zeros(1, 1, 1, 4), torch.randn(1, 1, 5, 4)
    v = torch.arange(5.0).view(1, 1, 5, 1).expand(-1, -1, -1, 4)
    mixed = Attend()(q, k, v, torch.tensor([[[True, True, False, True, False]]]))
    torch.testing.assert_close(mixed, torch.full((1, 1, 1, 4), (0 + 1 + 3) / 3))


@pytest.fixture
def heads() -> Heads:
    """Ours and PyTorch's module with the same random weights."""
    config = TransformerConfig(vocab_size=9, d_model=12, n_heads=3, d_ff=5)
    ours, theirs = MultiHeadAttention(config), nn.MultiheadAttention(12, 3, batch_first=True)
    projections = (ours.query, ours.key, ours.value)
    for linear in (*projections, ours.output):
        nn.init.normal_(linear.bias)
    theirs.in_proj_weight.data = torch.cat([linear.weight for linear in projections]).detach()
    theirs.in_proj_bias.data = torch.cat([linear.bias for linear in projections]).detach()
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    return ours.eval().requires_grad_(False), theirs.eval().requires_grad_(False)


def test_the_heads_agree_with_torch(heads: Heads) -> None:
    ours, theirs = heads
    x, memory = torch.randn(BATCH, QUERY, 12), torch.randn(BATCH, KEY, 12)
    padding = torch.tensor([[True] * KEY, [True] * 4 + [False] * 3])
    expected, weights = theirs(x, memory, memory, key_padding_mask=~padding, average_attn_weights=False)
    allowed = padding[:, None].expand(-1, QUERY, -1)
    torch.testing.assert_close(ours(x, ours.keys_values(memory), allowed), expected)
    trace = record(ours, x, ours.keys_values(memory), allowed)
    torch.testing.assert_close(torch.from_numpy(trace["attend.hook_weights"].copy()), weights)


def test_a_cache_grows_by_what_is_appended(heads: Heads) -> None:
    ours, _ = heads
    x = torch.randn(BATCH, KEY, 12)
    parts = [ours.keys_values(x[:, t : t + 1]) for t in range(KEY)]
    cached = tuple(torch.cat(part, dim=2) for part in zip(*parts, strict=True))
    torch.testing.assert_close(cached, tuple(ours.keys_values(x)))


def test_head_j_takes_the_jth_block_of_dimensions(heads: Heads) -> None:
    x = torch.arange(2 * 12.0).view(1, 2, 12)
    split = heads[0].split_heads(x)
    for j in range(3):
        assert torch.equal(split[0, j], x[0, :, 4 * j : 4 * j + 4])
