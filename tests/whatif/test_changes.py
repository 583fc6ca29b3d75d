"""Changes: what they do to the numbers, how they combine, what is refused, and that a link carries them."""

import dataclasses
import itertools
import re
from typing import Any

import numpy as np
import pytest
import torch

from explainer.capture.record import changed, record
from explainer.capture.trace import COMPUTED, Trace
from explainer.decode.search.beam import best_hypotheses
from explainer.decode.search.rules import BeamRules
from explainer.decode.sources.transformer import CachedModel, PlainModel
from explainer.language import PSEUDO, speaking
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.whatif.attention import (
    HeadOff,
    MaskCell,
    NoLookAheadMask,
    OnlyHead,
    Score,
    Temperature,
    Uniform,
    Unscaled,
)
from explainer.whatif.change import Change, ImpossibleError, Lengths, Where
from explainer.whatif.changes import ALL, MOST, Changes, check, compiled, edited, parse
from explainer.whatif.stream import NoNorm, NoPositions, NoResidual, Replace, Swap

CONFIG = TransformerConfig(
    vocab_size=31, d_model=24, n_heads=3, d_ff=20, n_encoder_layers=2, n_decoder_layers=1
)
SOURCE = torch.tensor([[7, 9, 11, 13, 2]])
TARGET = torch.tensor([[1, 8, 10, 12]])
LENGTHS = Lengths(source=5, target=4)
DECODER_WEIGHTS = "decoder.layers.0.self_attention.attend.hook_weights"
EXAMPLES: list[Change] = [
    HeadOff(Where("cross", 0, 1)), OnlyHead(Where("encoder", 1, 2)), Unscaled(Where("decoder")),
    Unscaled(Where("encoder", 1, 0)), Temperature(Where("cross", 0), 0.5), Uniform(Where("encoder", 0, 2)),
    Score(Where("encoder", 0, 1), 2, 3, -4.5), Score(Where("cross", 0, 1), 2, 3, 9.0), MaskCell("encoder", 1, 0),
    MaskCell("decoder", 2, 1), MaskCell("decoder", 0, 2), NoLookAheadMask(), NoPositions("source"),
    NoPositions("target"), NoResidual("encoder", 1, "feed_forward"), NoResidual("decoder", 0, "cross_attention"),
    NoNorm("encoder", 0, "self_attention"), Replace(2, 20), Swap(0, 3),
]  # fmt: skip


LOOKING_AHEAD = (MaskCell("decoder", 0, 2), NoLookAheadMask())


@pytest.fixture(scope="module", params=["post", "pre"])
def model(request: pytest.FixtureRequest) -> Transformer:
    torch.manual_seed(5)
    made = Transformer(dataclasses.replace(CONFIG, norm=request.param)).eval().requires_grad_(False)
    for parameter in made.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return made


def traced(model: Transformer, *changes: Change, source: torch.Tensor = SOURCE) -> Trace:
    ids = torch.tensor([[*edited(changes, source[0, :-1].tolist()), 2]])
    return record(model, ids, TARGET, interventions=compiled(changes, model))


@pytest.mark.parametrize("change", EXAMPLES, ids=lambda one: one.spec)
def test_a_link_carries_a_change_that_changes_the_output(model: Transformer, change: Change) -> None:
    assert parse(change.spec) == change
    check((change,), model, LENGTHS)
    before, after = traced(model), traced(model, change)
    assert np.abs(after["head.hook_log_probs"] - before["head.hook_log_probs"]).max() > 1e-6
    assert change.words(str)


def test_every_kind_of_change_has_an_example() -> None:
    assert {type(change) for change in EXAMPLES} == set(ALL)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("nonsense", "no such change"),
        (
            "off:cross.0.1",
            "where 'cross.0.1': expected encoder, decoder, cross and perhaps .layer.head, counted",
        ),
        ("unadded:encoder.1", "expected unadded:side.layer.sublayer"),
        ("replace:1:" + "9" * 5000, "expected a whole number from 0 to 999999"),
    ],
)
def test_a_link_that_names_no_change_is_refused(spec: str, reason: str) -> None:
    """More of them are in links.tsv."""
    with pytest.raises(ValueError, match=re.escape(reason)) as refused:
        parse(spec)
    assert repr(spec[:40]) in str(refused.value)
    assert len(str(refused.value)) < 300
    with speaking(PSEUDO), pytest.raises(ValueError, match="éẋþééçţééð"):
        parse(spec)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (HeadOff(Where("cross", 9, 0)), "no layer 10 of cross-attention"),
        (HeadOff(Where("cross", 0, 9)), "no head 10: 1 to 3"),
        (HeadOff(Where("cross", 0)), "off:cross.1 names no single head: expected cross.layer.head"),
        (Temperature(Where("cross"), 0.0), "temperature 0: must be from"),
        (Temperature(Where("cross"), 1e9), "temperature 1e+09: must be from"),
        (Score(Where("encoder", 0, 0), 5, 0, 1.0), "no row 6 in encoder self-attention, layer 1, head 1: 1 to 5"),
        (Score(Where("encoder", 0, 0), 0, 0, 1e6), "score 1e+06: must be from"),
        (MaskCell("cross", 4, 0), "no row 5 in cross-attention, all layers: 1 to 4"),
        (MaskCell("cross", 0, 5), "no column 6 in cross-attention, all layers: 1 to 5"),
        (MaskCell("decoder", 0, 0), "row 1 of decoder self-attention would see no key"),
        ((MaskCell("decoder", 0, 0), MaskCell("decoder", 0, 1)), "row 1 of decoder self-attention would see"),
        (tuple(MaskCell("encoder", 2, column) for column in range(5)), "row 3 of encoder self-attention"),
        (tuple(HeadOff(Where("encoder", 1, head)) for head in range(3)), "layer 2 would be left on"),
        ((OnlyHead(Where("encoder", 1, 0)), HeadOff(Where("encoder", 1, 0))), "no head of encoder self-attention"),
        (NoResidual("decoder", 1, "feed_forward"), "no layer 2 in the decoder"),
        (NoNorm("encoder", 0, "cross_attention"), "no cross-attention there, only self-attention, feed-forward"),
        (Replace(4, 9), "no token 5 before </s>"),
        *((Replace(0, token), f"token {token} cannot stand in a sentence") for token in (31, 2, 0)),
        (Swap(1, 1), "token 2 cannot be swapped with itself"),
        (Swap(1, 4), "no token 5 before </s>"),
        ((NoLookAheadMask(),) * (MOST + 1), f"{MOST + 1} changes at once"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_the_reason(changes: Change | Changes, reason: str) -> None:
    """In the language of whoever is looking: no English is left but how a link spells the change."""
    changes, model = changes if isinstance(changes, tuple) else (changes,), Transformer(CONFIG)
    with pytest.raises(ImpossibleError, match=re.escape(reason)):
        check(changes, model, LENGTHS)
    with speaking(PSEUDO), pytest.raises(ImpossibleError, match=r"^«.*»\Z") as strange:
        check(changes, model, LENGTHS)
    spelled = " ".join(one.spec for one in changes) + " cross.layer.head"
    assert set(re.findall("[A-Za-z]{3,}", str(strange.value))) <= set(re.findall("[A-Za-z]+", spelled))


def test_without_the_scale_the_scores_are_the_dot_products(model: Transformer) -> None:
    trace = traced(model, Unscaled(Where("encoder", 1, 0)))
    seen = trace.under("encoder.layers.1.self_attention.attend")
    np.testing.assert_allclose(seen["hook_scores"][0], seen["hook_dots"][0], rtol=1e-5)
    np.testing.assert_array_equal(seen["hook_scores"][1:], seen[f"hook_scores{COMPUTED}"][1:])


def test_uniform_attention_shares_evenly_among_what_is_allowed(model: Transformer) -> None:
    weights = traced(model, Uniform(Where("decoder", 0, 1)))[DECODER_WEIGHTS]
    np.testing.assert_allclose(weights[1], np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None], atol=1e-6)


def test_a_temperature_divides_the_scores_and_changes_the_entropy(model: Transformer) -> None:
    path = "encoder.layers.0.self_attention.attend.hook_weights"

    def entropy(weights: np.ndarray) -> float:
        return float(-(weights * np.log(np.maximum(weights, 1e-30))).sum(-1).mean())

    found = [entropy(traced(model, Temperature(Where("encoder", 0), t))[path]) for t in (0.2, 1.0, 5.0)]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_a_flipped_mask_cell_is_exactly_zero_after_the_softmax(model: Transformer) -> None:
    trace = traced(model, MaskCell("encoder", 1, 0))
    for layer in range(2):
        weights = trace[f"encoder.layers.{layer}.self_attention.attend.hook_weights"]
        assert (weights[:, 1, 0] == 0).all()
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)


def test_without_the_look_ahead_mask_a_row_sees_what_comes_later(model: Transformer) -> None:
    weights = traced(model, NoLookAheadMask())[DECODER_WEIGHTS]
    assert (weights[:, *np.triu_indices(4, 1)] > 0).all()


def test_without_positions_the_memory_is_permuted_with_the_words(model: Transformer) -> None:
    plain = traced(model, NoPositions("source"))["encoder.hook_memory"]
    turned = traced(model, NoPositions("source"), source=SOURCE[:, [3, 1, 0, 2, 4]])["encoder.hook_memory"]
    np.testing.assert_allclose(turned, plain[[3, 1, 0, 2, 4]], atol=1e-5)
    placed = traced(model, source=SOURCE[:, [3, 1, 0, 2, 4]])["encoder.hook_memory"]
    assert np.abs(placed - traced(model)["encoder.hook_memory"][[3, 1, 0, 2, 4]]).max() > 1e-3


def test_no_residual_and_no_norm(model: Transformer) -> None:
    seen = traced(model, NoResidual("encoder", 0, "self_attention")).under("encoder.layers.0")
    update = seen["self_attention.hook_output"]
    np.testing.assert_array_equal(seen["self_attention_residual.hook_sum"], update)
    seen = traced(model, NoNorm("encoder", 0, "feed_forward"))
    norm = seen.under("encoder.layers.0.feed_forward_residual.norm")
    np.testing.assert_array_equal(norm["hook_output"], norm["hook_x"])


def test_only_one_head_is_all_others_off(model: Transformer) -> None:
    one = traced(model, OnlyHead(Where("cross", 0, 1)))
    others = traced(model, HeadOff(Where("cross", 0, 0)), HeadOff(Where("cross", 0, 2)))
    np.testing.assert_array_equal(one["head.hook_log_probs"], others["head.hook_log_probs"])


def test_the_order_of_the_chips_does_not_matter(model: Transformer) -> None:
    where = Where("decoder", 0, 1)
    scores: list[Change] = [Unscaled(where), Temperature(where, 0.5), Score(where, 2, 1, 5.0)]
    made = [*scores, NoLookAheadMask(), MaskCell("decoder", 1, 2)]
    expected = traced(model, *made)["head.hook_log_probs"]
    for order in itertools.permutations(made):
        trace = traced(model, *order)
        seen = trace.under("decoder.layers.0.self_attention.attend")
        assert seen["hook_scores"][1, 2, 1] == 5.0
        assert not seen["hook_mask"][:, 1, 2].any()
        np.testing.assert_array_equal(trace["head.hook_log_probs"], expected)


def test_changes_at_one_hook_act_in_turn(model: Transformer) -> None:
    where = Where("encoder", 0, 0)
    trace = traced(model, Temperature(where, 0.5), Temperature(where, 4.0))
    seen = trace.under("encoder.layers.0.self_attention.attend")
    np.testing.assert_allclose(seen["hook_scores"][0], seen[f"hook_scores{COMPUTED}"][0] / 2, rtol=1e-5)


@pytest.mark.parametrize("change", [c for c in EXAMPLES if not c.needs_rows], ids=lambda one: one.spec)
def test_changes_without_rows_act_alike_with_and_without_a_cache(model: Transformer, change: Change) -> None:
    rules = BeamRules(beam_size=3, max_new_tokens=6)
    sources = torch.tensor([[*edited((change,), SOURCE[0, :-1].tolist()), 2]])
    found = []
    kinds: list[Any] = [CachedModel, PlainModel]
    for kind in kinds:
        with changed(model, compiled((change,), model)):
            found.append(best_hypotheses(kind(model, sources), rules))
    cached, plain = found
    assert [one.tokens for one in cached] == [one.tokens for one in plain]
    assert [one.score for one in cached] == pytest.approx([one.score for one in plain], abs=1e-4)


@pytest.mark.parametrize(
    "change", [c for c in EXAMPLES if c.needs_rows and c not in LOOKING_AHEAD], ids=lambda one: one.spec
)
def test_the_log_probability_found_with_rows_is_that_of_teacher_forcing(
    model: Transformer, change: Change
) -> None:
    """A decoder row is the same whether its successors are written or not, unless it may look ahead."""
    with changed(model, compiled((change,), model)):
        best = best_hypotheses(PlainModel(model, SOURCE), BeamRules(beam_size=2, max_new_tokens=6))[0]
    ids = torch.tensor([[1, *best.tokens[:-1]]])
    rows = record(model, SOURCE, ids, interventions=compiled((change,), model))["head.hook_log_probs"]
    total = sum(float(row[token]) for row, token in zip(rows, best.tokens, strict=True))
    assert total == pytest.approx(best.log_prob, abs=1e-4)
