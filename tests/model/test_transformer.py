"""The whole model: what may influence what, and the options of its configuration.

The numbers are compared with independent implementations in test_parity.py.
"""

import dataclasses
import itertools
import math

import pytest
import torch
from torch import Tensor

from explainer.capture.record import Recorder, record
from explainer.model.config import TransformerConfig
from explainer.model.hooks import listening
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID, START_ID
from tests.conftest import randomized

SOURCE = torch.tensor([[5, 9, 7, 11, END_ID]])
TARGET = torch.tensor([[START_ID, 4, 8, 6]])
VARIANTS = itertools.product(("post", "pre"), ("sinusoidal", "learned", "none"), (True, False))


@pytest.fixture(params=VARIANTS, ids=str)
def variant(request: pytest.FixtureRequest, tiny_config: TransformerConfig) -> Transformer:
    """A model for each combination of the options."""
    norm, positions, tied = request.param
    config = dataclasses.replace(tiny_config, norm=norm, positions=positions, tie_embeddings=tied)
    return randomized(Transformer(config))


def test_a_later_target_token_does_not_change_earlier_rows(variant: Transformer) -> None:
    before = variant(SOURCE, TARGET)
    for t in range(1, TARGET.shape[1]):
        changed = TARGET.clone()
        changed[0, t] = 20
        after = variant(SOURCE, changed)
        assert torch.equal(after[:, :t], before[:, :t])
        assert not torch.allclose(after[:, t:], before[:, t:])


def test_the_rows_of_teacher_forcing_are_those_of_one_step_at_a_time(variant: Transformer) -> None:
    whole = variant(SOURCE, TARGET)
    for t in range(TARGET.shape[1]):
        torch.testing.assert_close(variant(SOURCE, TARGET[:, : t + 1])[:, -1], whole[:, t])


def test_every_source_token_matters_to_every_row(variant: Transformer) -> None:
    before = variant(SOURCE, TARGET)
    for i in range(SOURCE.shape[1]):
        changed = SOURCE.clone()
        changed[0, i] = 20
        assert ((variant(changed, TARGET) - before).abs().amax(dim=-1) > 1e-6).all()


def test_without_positions_the_encoder_is_equivariant_to_order(tiny_config: TransformerConfig) -> None:
    order = torch.tensor([3, 0, 4, 1, 2])

    def difference(positions: str) -> Tensor:
        model = randomized(Transformer(dataclasses.replace(tiny_config, positions=positions)))
        return (model.encode(SOURCE[:, order]) - model.encode(SOURCE)[:, order]).abs().max()

    assert difference("none") < 1e-5
    assert difference("sinusoidal") > 1e-2
    assert difference("learned") > 1e-3
    model = randomized(Transformer(dataclasses.replace(tiny_config, positions="none")))
    torch.testing.assert_close(model(SOURCE[:, order], TARGET), model(SOURCE, TARGET))


def test_the_fused_and_the_observed_path_agree(variant: Transformer) -> None:
    fused = variant(SOURCE, TARGET)
    with listening(Recorder(variant)):
        torch.testing.assert_close(variant(SOURCE, TARGET), fused, atol=1e-5, rtol=1e-5)


def test_tied_embeddings_are_one_tensor(tiny_config: TransformerConfig) -> None:
    tied = Transformer(tiny_config)
    assert tied.source_embedding.table is tied.target_embedding.table is tied.head.table
    untied = Transformer(dataclasses.replace(tiny_config, tie_embeddings=False))
    parts = (untied.source_embedding, untied.target_embedding, untied.head)
    assert len({id(part.table) for part in parts}) == 3
    count = {model: sum(p.numel() for p in model.parameters()) for model in (tied, untied)}
    assert count[untied] - count[tied] == 2 * 31 * 12


def test_the_number_of_weights_is_the_textbooks(tiny_config: TransformerConfig) -> None:
    """Vd + per attention 4(d² + d) + per FFN 2·d·d_ff + d_ff + d + per norm 2d (post-norm)."""
    d, d_ff, v, n_encoder, n_decoder = 12, 20, 31, 2, 3
    attention, ffn, norm = 4 * (d * d + d), 2 * d * d_ff + d_ff + d, 2 * d
    expected = v * d + n_encoder * (attention + ffn + 2 * norm) + n_decoder * (2 * attention + ffn + 3 * norm)
    assert sum(p.numel() for p in Transformer(tiny_config).parameters()) == expected


def test_embeddings_are_scaled_and_given_a_position(tiny_model: Transformer) -> None:
    trace = record(tiny_model, SOURCE, TARGET).under("source_embedding")
    table = tiny_model.source_embedding.table
    torch.testing.assert_close(torch.tensor(trace["hook_token"]), table[SOURCE[0]])
    torch.testing.assert_close(torch.tensor(trace["hook_scaled"]), math.sqrt(12) * table[SOURCE[0]])
    total = trace["hook_scaled"] + trace["hook_position"]
    torch.testing.assert_close(torch.tensor(trace["hook_sum"]), torch.tensor(total))


def test_a_cached_decoder_goes_on_at_its_position(tiny_model: Transformer) -> None:
    whole = tiny_model.target_embedding(TARGET)
    torch.testing.assert_close(tiny_model.target_embedding(TARGET[:, 2:], 2), whole[:, 2:])


def test_what_the_heads_of_all_layers_are_called(tiny_model: Transformer) -> None:
    trace = record(tiny_model, SOURCE, TARGET)
    for name, shape in {
        "source_embedding.hook_sum": (5, 12),
        "encoder.layers.1.self_attention.attend.hook_scores": (3, 5, 5),
        "encoder.layers.0.feed_forward.hook_pre": (5, 20),
        "encoder.hook_memory": (5, 12),
        "decoder.layers.0.cross_attention.attend.hook_weights": (3, 4, 5),
        "decoder.layers.2.self_attention.attend.hook_weights": (3, 4, 4),
        "decoder.layers.2.hook_resid_post": (4, 12),
        "head.hook_logits": (4, 31),
        "head.hook_log_probs": (4, 31),
    }.items():
        assert trace[name].shape == shape, name


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"d_model": 10}, "must be a multiple of n_heads = 3"),
        ({"d_model": 9}, "must be even for sinusoidal positions"),
        ({"vocab_size": 0}, "vocab_size = 0: must be at least 1"),
        ({"n_heads": 0}, "n_heads = 0: must be at least 1"),
        ({"dropout": 1.0}, "dropout = 1.0: must be at least 0 and less than 1"),
        ({"dropout": math.nan}, "dropout = nan"),
        ({"norm": "sandwich"}, "norm"),
        ({"positions": "rotary"}, "positions"),
        ({"tie_embeddings": 2}, "tie_embeddings"),
        ({"d_ff": 2.5}, "d_ff"),
    ],
)
def test_an_impossible_configuration_is_refused(
    tiny_config: TransformerConfig, field: dict[str, object], message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        TransformerConfig.from_json({**tiny_config.to_json(), **field})
