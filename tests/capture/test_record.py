"""Recording: what is asked for, nothing copied, nothing changed, and no thread hears another."""

import contextlib
import io
import math
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from explainer.capture.record import Intervention, Recorder, record
from explainer.capture.trace import Trace, TraceInfo
from explainer.model.hooks import HookPoint, heard, hook_names, listening
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID, START_ID

SOURCE, TARGET = torch.tensor([[5, 9, 7, END_ID]]), torch.tensor([[START_ID, 4, 8]])
WEIGHTS = "encoder.layers.1.self_attention.attend.hook_weights"
MIXED = "encoder.layers.1.self_attention.attend.hook_mixed"


class TestWhatIsRecorded:
    def test_only_what_is_wanted(self, tiny_model: Transformer) -> None:
        name = "cross_attention.attend.hook_weights"
        trace = record(tiny_model, SOURCE, TARGET, wanted=lambda hook: hook.endswith(name))
        assert list(trace) == [f"decoder.layers.{i}.{name}" for i in range(3)]
        assert trace[next(iter(trace))].shape == (3, 3, 4)
        with pytest.raises(KeyError, match=r"head\.hook_logits was not recorded"):
            trace["head.hook_logits"]

    def test_everything_is_each_hook_once_in_the_order_of_the_pass(self, tiny_model: Transformer) -> None:
        trace = record(tiny_model, SOURCE, TARGET)
        assert set(trace) == set(hook_names(tiny_model))
        names = list(trace)
        assert names[0] == "source_embedding.hook_token"
        assert names[-1] == "head.hook_log_probs"
        assert names.index("encoder.hook_memory") < names.index("decoder.layers.0.hook_resid_pre")
        result = tiny_model(SOURCE, TARGET)[0].numpy()
        np.testing.assert_allclose(trace["head.hook_log_probs"], result, atol=1e-5)

    def test_a_batch_keeps_its_axis(self, tiny_model: Transformer) -> None:
        trace = record(tiny_model, SOURCE.expand(2, -1), TARGET.expand(2, -1))
        assert trace[WEIGHTS].shape == (2, 3, 4, 4)

    def test_a_part_named_as_the_module_names_it(self, tiny_model: Transformer) -> None:
        trace = record(tiny_model, SOURCE, TARGET)
        part = trace.under("encoder.layers.1.self_attention.attend")
        assert part["hook_weights"] is trace[WEIGHTS]
        stages = ("dots", "scores", "mask", "masked", "weights", "mixed")
        assert set(part) == {f"hook_{stage}" for stage in stages}

    def test_a_method_can_be_run_instead(self, tiny_model: Transformer) -> None:
        trace = record(tiny_model, SOURCE, run=tiny_model.encode)
        assert "encoder.hook_memory" in trace
        assert not any(name.startswith("decoder") for name in trace)

    def test_no_gradients(self, tiny_model: Transformer) -> None:
        tiny_model.requires_grad_(True)
        trace = record(tiny_model, SOURCE, TARGET)  # numpy() of a tensor that needs grad raises
        assert trace[WEIGHTS].dtype == np.float32


class TestMemory:
    def test_arrays_share_the_memory_of_the_tensors(self, tiny_model: Transformer) -> None:
        seen: dict[str, Tensor] = {}

        def keep(value: Tensor) -> Tensor:
            seen["weights"] = value
            return value

        trace = record(tiny_model, SOURCE, TARGET, interventions={WEIGHTS: keep})
        assert np.shares_memory(trace[WEIGHTS], seen["weights"].numpy())

    def test_arrays_are_read_only(self, tiny_model: Transformer) -> None:
        trace = record(tiny_model, SOURCE, TARGET)
        for name, array in trace.items():
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
            assert not array.flags.writeable, name

    def test_recording_changes_neither_model_nor_result(self, tiny_model: Transformer) -> None:
        before = {name: value.clone() for name, value in tiny_model.state_dict().items()}
        first, second = record(tiny_model, SOURCE, TARGET), record(tiny_model, SOURCE, TARGET)
        for name, value in tiny_model.state_dict().items():
            assert torch.equal(value, before[name])
        for name in first:
            np.testing.assert_array_equal(first[name], second[name])


class TestInterventions:
    def test_what_is_put_in_place_is_what_is_used_and_seen(self, tiny_model: Transformer) -> None:
        uniform = torch.full((1, 3, 4, 4), 0.25)
        trace = record(tiny_model, SOURCE, TARGET, interventions={WEIGHTS: lambda _: uniform})
        np.testing.assert_array_equal(trace[WEIGHTS], uniform[0].numpy())
        values = trace["encoder.layers.1.self_attention.hook_v"]
        expected = np.broadcast_to(values.mean(axis=1, keepdims=True), values.shape)
        np.testing.assert_allclose(trace[MIXED], expected, atol=1e-6)
        plain = record(tiny_model, SOURCE, TARGET)
        assert np.abs(trace["head.hook_logits"] - plain["head.hook_logits"]).max() > 1e-4
        before = "encoder.layers.0.hook_resid_post"
        np.testing.assert_array_equal(trace[before], plain[before])

    def test_an_intervention_need_not_be_recorded(self, tiny_model: Transformer) -> None:
        logits = "head.hook_logits"
        acts = {WEIGHTS: torch.zeros_like}
        zero = record(tiny_model, SOURCE, TARGET, wanted=logits.__eq__, interventions=acts)
        assert list(zero) == [logits]
        assert np.abs(zero[logits] - record(tiny_model, SOURCE, TARGET)[logits]).max() > 1e-4

    def test_the_next_pass_knows_nothing_of_it(self, tiny_model: Transformer) -> None:
        before = tiny_model(SOURCE, TARGET)
        record(tiny_model, SOURCE, TARGET, interventions={MIXED: torch.zeros_like})
        assert torch.equal(tiny_model(SOURCE, TARGET), before)

    def test_the_identity_changes_nothing(self, tiny_model: Transformer) -> None:
        plain = record(tiny_model, SOURCE, TARGET)
        acts = dict.fromkeys(hook_names(tiny_model), lambda value: value)
        same = record(tiny_model, SOURCE, TARGET, interventions=acts)
        for name in plain:
            np.testing.assert_array_equal(same[name], plain[name])

    def test_an_unknown_hook_is_an_error(self, tiny_model: Transformer) -> None:
        with pytest.raises(KeyError, match=r"no hook point is called 'encoder\.hook_wieghts'"):
            record(tiny_model, SOURCE, TARGET, interventions={"encoder.hook_wieghts": torch.zeros_like})

    def test_after_an_error_nobody_listens(self, tiny_model: Transformer) -> None:
        def fail(value: Tensor) -> Tensor:
            raise RuntimeError("from the intervention")

        with pytest.raises(RuntimeError, match="from the intervention"):
            record(tiny_model, SOURCE, TARGET, interventions={WEIGHTS: fail})
        assert not heard(*hook_names(tiny_model).values())


def test_training_mode_is_refused(tiny_model: Transformer) -> None:
    with pytest.raises(ValueError, match=r"training mode.*eval"):
        record(tiny_model.train(), SOURCE, TARGET)


def test_a_hook_without_a_listener_is_the_identity() -> None:
    hook, value = HookPoint(), torch.randn(3)
    assert hook(value) is value
    assert not heard(hook)


def test_listeners_nest(tiny_model: Transformer) -> None:
    outer, inner = Recorder(tiny_model), Recorder(tiny_model)
    with listening(outer):
        with listening(inner):
            tiny_model.encode(SOURCE)
        assert not outer.heard
        tiny_model.encode(SOURCE[:, :2])
    assert outer.heard["encoder.hook_memory"].shape == (1, 2, 12)
    assert inner.heard["encoder.hook_memory"].shape == (1, 4, 12)


class TestSaving:
    INFO = TraceInfo(
        source=(" the", "</s>"),
        target=("<s>", " 😀"),
        predicted=("<0xF0>", "</s>"),
        checkpoint="abc",
        step=7,
        interventions=("head 2 off",),
    )

    def test_what_is_saved_is_what_is_loaded(self, tiny_model: Transformer, tmp_path: Path) -> None:
        trace = record(tiny_model, SOURCE, TARGET, info=self.INFO)
        trace.save(tmp_path / "trace.npz")
        again = Trace.load(tmp_path / "trace.npz")
        assert again.info == replace(self.INFO, modules=trace.info.modules)
        assert list(again) == list(trace)
        for name in trace:
            np.testing.assert_array_equal(again[name], trace[name])
            assert again[name].dtype == trace[name].dtype
            assert not again[name].flags.writeable

    def test_a_trace_can_hold_infinities(self, tiny_model: Transformer, tmp_path: Path) -> None:
        trace = record(tiny_model, SOURCE, TARGET, wanted=lambda name: name.endswith("hook_masked"))
        trace.save(tmp_path / "trace.npz")
        loaded = Trace.load(tmp_path / "trace.npz")["decoder.layers.0.self_attention.attend.hook_masked"]
        assert loaded[0, 0, 1] == -math.inf

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"no archive",
            b"PK\x03\x04 half an archive",
            pytest.param({"a": np.zeros(3)}, id="no info"),
            pytest.param({"info": np.array("not json")}, id="info is no JSON"),
            pytest.param({"info": np.array("[1]")}, id="info is a list"),
            pytest.param({"info": np.array('{"colour": 1}')}, id="info of something else"),
            pytest.param({"info": np.array({"a": 1}, dtype=object)}, id="a pickle"),
        ],
    )
    def test_what_is_no_trace_is_refused(
        self, tmp_path: Path, content: bytes | dict[str, np.ndarray]
    ) -> None:
        path = tmp_path / "trace.npz"
        if isinstance(content, dict):
            buffer = io.BytesIO()
            np.savez(buffer, allow_pickle=True, **content)
            content = buffer.getvalue()
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"trace\.npz: not a trace"):
            Trace.load(path)

    def test_a_damaged_file_is_refused_or_read(self, tiny_model: Transformer, tmp_path: Path) -> None:
        path, chance = tmp_path / "trace.npz", random.Random(0)
        record(tiny_model, SOURCE, TARGET, wanted=lambda name: "cross" in name, info=self.INFO).save(path)
        whole = path.read_bytes()
        for _ in range(200):
            damaged = bytearray(whole)
            damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            path.write_bytes(damaged)
            with contextlib.suppress(ValueError):
                Trace.load(path)

    def test_a_truncated_file_is_refused(self, tiny_model: Transformer, tmp_path: Path) -> None:
        path = tmp_path / "trace.npz"
        record(tiny_model, SOURCE, TARGET).save(path)
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(ValueError, match="not a trace"):
            Trace.load(path)


class TestThreads:
    """One model, many visitors: none may see or change what belongs to another."""

    N_THREADS, ROUNDS = 8, 8

    def visitor(self, number: int) -> tuple[Tensor, Tensor, dict[str, Intervention]]:
        """A visitor's sentence, translation and intervention; the third of them has none."""
        source = torch.tensor([[3 + number, *range(4, 6 + number % 5), END_ID]])
        target = torch.tensor([[START_ID, 25 - number, *range(7, 9 + number % 3)]])
        changes: list[dict[str, Intervention]] = [
            {WEIGHTS: lambda value: value.roll(number, dims=-1)},
            {MIXED: lambda value: value * number},
            {},
            {"encoder.hook_memory": lambda value: value + number},
        ]
        return source, target, changes[number % 4]

    def test_no_thread_finds_a_tensor_of_another(self, tiny_model: Transformer) -> None:
        visitors = [self.visitor(number) for number in range(self.N_THREADS)]
        alone = [record(tiny_model, s, t, interventions=changes) for s, t, changes in visitors]
        together = threading.Barrier(self.N_THREADS)

        def visit(number: int) -> int:
            source, target, changes = visitors[number]
            together.wait()
            wrong = 0
            for _ in range(self.ROUNDS):
                trace = record(tiny_model, source, target, interventions=changes)
                wrong += list(trace) != list(alone[number])
                wrong += sum(not np.array_equal(trace[name], alone[number][name]) for name in trace)
            return wrong

        with ThreadPoolExecutor(self.N_THREADS) as pool:
            assert list(pool.map(visit, range(self.N_THREADS))) == [0] * self.N_THREADS

    def test_a_thread_without_a_listener_hears_and_changes_nothing(self, tiny_model: Transformer) -> None:
        recorder = Recorder(tiny_model, interventions={MIXED: torch.zeros_like})
        plain = tiny_model(SOURCE, TARGET)
        with listening(recorder), ThreadPoolExecutor(1) as pool:
            assert torch.equal(pool.submit(tiny_model, SOURCE, TARGET).result(), plain)
        assert not recorder.heard
