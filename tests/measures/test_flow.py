"""The numbers of the flow map are those of the trace, and the hooks it asks for are enough."""

import dataclasses
from typing import Literal

import numpy as np
import pytest
import torch

from explainer.capture.record import record
from explainer.capture.trace import Trace, TraceInfo, Wanted
from explainer.measures.flow import FlowNumbers, flow_hooks, flow_numbers, stream_table, top
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer

SOURCE, TARGET, PREDICTED = 7, 5, (9, 4, 30, 11, 2)


def name_of(token_id: int) -> str:
    return f"piece {token_id}"


def trace_of(config: TransformerConfig, wanted: Wanted = flow_hooks) -> Trace:
    torch.manual_seed(3)
    info = TraceInfo(source=tuple("abcdefg"), target=("<s>", *"hijk"))
    inputs = torch.randint(4, 31, (1, SOURCE)), torch.randint(4, 31, (1, TARGET))
    return record(Transformer(config).eval(), *inputs, wanted=wanted, info=info)


@pytest.fixture
def trace(tiny_config: TransformerConfig) -> Trace:
    return trace_of(tiny_config)


@pytest.fixture
def numbers(trace: Trace) -> FlowNumbers:
    return flow_numbers(trace, predicted_ids=PREDICTED, piece=name_of, k=4)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_hooks_asked_for_are_enough_and_few(
    tiny_config: TransformerConfig, norm: Literal["post", "pre"]
) -> None:
    config = dataclasses.replace(tiny_config, norm=norm)
    few, all_of_them = trace_of(config), trace_of(config, wanted=lambda name: True)
    assert len(few) < len(all_of_them) / 2
    one, other = (flow_numbers(t, predicted_ids=PREDICTED, piece=name_of) for t in (few, all_of_them))
    for name, value in vars(one).items():
        if isinstance(value, np.ndarray):  # unheard norms take a fused kernel
            np.testing.assert_allclose(value, vars(other)[name], rtol=1e-5, err_msg=name)
        else:
            assert value == vars(other)[name], name


def test_attention_is_the_mean_of_the_heads_or_one_head(trace: Trace, numbers: FlowNumbers) -> None:
    weights = trace["decoder.layers.2.cross_attention.attend.hook_weights"]
    assert numbers.cross_weights.shape == (3, TARGET, SOURCE)
    np.testing.assert_allclose(numbers.cross_weights[2], weights.sum(axis=0) / 3, rtol=1e-6)
    for part in (numbers.encoder_weights, numbers.decoder_weights, numbers.cross_weights):
        np.testing.assert_allclose(part.sum(axis=-1), 1.0, rtol=1e-5)
    one = flow_numbers(trace, predicted_ids=PREDICTED, piece=name_of, head=1)
    np.testing.assert_array_equal(one.cross_weights[2], weights[1])
    assert (one.head, numbers.head, numbers.n_heads) == (1, None, 3)


def test_streams_are_lengths_of_vectors_in_the_order_of_the_pass(trace: Trace, numbers: FlowNumbers) -> None:
    assert numbers.source_stream.shape == (1 + 2 * 2 * 2 + 1, SOURCE)
    assert numbers.target_stream.shape == (1 + 3 * 3 * 2 + 1, TARGET)
    for station, name in (
        (0, "target_embedding.hook_sum"),
        (1, "decoder.layers.0.self_attention_residual.hook_sum"),
        (2, "decoder.layers.0.self_attention_residual.hook_after"),
        (4, "decoder.layers.0.cross_attention_residual.hook_after"),
        (11, "decoder.layers.1.feed_forward_residual.hook_sum"),
        (-1, "decoder.hook_final"),
    ):
        np.testing.assert_allclose(
            numbers.target_stream[station], np.linalg.norm(trace[name], axis=-1), rtol=1e-5, err_msg=name
        )
    np.testing.assert_allclose(
        numbers.source_stream[-1], np.linalg.norm(trace["encoder.hook_memory"], axis=-1), rtol=1e-5
    )


def test_updates_and_active_neurons(trace: Trace, numbers: FlowNumbers) -> None:
    added = trace["decoder.layers.1.cross_attention.hook_output"][4]
    stream = trace["decoder.layers.1.cross_attention_residual.hook_before"][4]
    ratio = np.linalg.norm(added) / np.linalg.norm(stream)
    assert numbers.decoder_updates[1, 1, 4] == pytest.approx(ratio, rel=1e-5)
    assert numbers.encoder_updates.shape == (2, 2, SOURCE)
    positive = (trace["encoder.layers.1.feed_forward.hook_post"][6] > 0).sum()
    assert numbers.encoder_active[1, 6] == pytest.approx(positive / 20)


def test_candidates_are_the_most_probable_tokens(trace: Trace, numbers: FlowNumbers) -> None:
    probs = np.exp(trace["head.hook_log_probs"])
    for row, (ids, found) in enumerate(zip(numbers.candidate_ids, numbers.probabilities, strict=True)):
        assert ids.tolist() == np.argsort(-probs[row])[:4].tolist()
        np.testing.assert_allclose(found, np.sort(probs[row])[::-1][:4], rtol=1e-6)
        assert numbers.candidates[row] == tuple(f"piece {i}" for i in ids)
        assert numbers.chosen[row] == pytest.approx(probs[row, PREDICTED[row]])
    assert numbers.predicted == tuple(f"piece {i}" for i in PREDICTED)
    assert numbers.vocab_size == 31


def test_strips_are_values_of_the_vectors(trace: Trace, numbers: FlowNumbers) -> None:
    few = flow_numbers(trace, predicted_ids=PREDICTED, piece=name_of, cells=5)
    assert few.dimensions == (0, 3, 6, 8, 11)
    np.testing.assert_array_equal(
        few.target_embedding, trace["target_embedding.hook_scaled"][:, [0, 3, 6, 8, 11]]
    )
    np.testing.assert_array_equal(few.source_position[:, 4], trace["source_embedding.hook_position"][:, 11])
    assert (numbers.dimensions, numbers.d_model) == (tuple(range(12)), 12)


def test_equal_values_keep_their_order() -> None:
    assert top(np.array([[0.2, 0.5, 0.2, 0.5]]), 3).tolist() == [[1, 3, 0]]
    assert top(np.array([[0.2, 0.5]]), 8).tolist() == [[1, 0]]


def test_what_is_missing_is_said(trace: Trace) -> None:
    with pytest.raises(ValueError, match="2 predicted ids for 5 decoder rows"):
        flow_numbers(trace, predicted_ids=(1, 2), piece=name_of)
    without = Trace({name: a for name, a in trace.items() if "hook_memory" not in name}, trace.info)
    with pytest.raises(KeyError, match=r"encoder\.hook_memory"):
        flow_numbers(without, predicted_ids=PREDICTED, piece=name_of)


def test_the_table_holds_the_lengths_after_each_sublayer(trace: Trace, numbers: FlowNumbers) -> None:
    heading, rows = stream_table(numbers)
    assert len(rows) == SOURCE
    assert all(len(row) == len(heading) for row in rows)
    after = trace["encoder.layers.1.self_attention_residual.hook_after"]
    column = heading.index("layer 2 attention")
    shown = [float(row[column]) for row in rows]
    np.testing.assert_allclose(shown, np.sqrt((after.astype(float) ** 2).sum(axis=-1)), atol=6e-4)
