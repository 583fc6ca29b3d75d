"""What a model has is read off its modules; where a path leads is told by the path alone."""

from dataclasses import replace
from typing import Literal

import pytest
import torch

from explainer.capture.record import classes_of, record
from explainer.capture.trace import Trace
from explainer.measures.anatomy import Kind, anatomy_of, attention_path, part_of, parts_of, place_of
from explainer.model.attention import MultiHeadAttention
from explainer.model.blocks import Residual
from explainer.model.config import TransformerConfig
from explainer.model.embedding import InputEmbedding
from explainer.model.hooks import hook_names
from explainer.model.transformer import Transformer


@pytest.fixture(params=["post", "pre"])
def model(request: pytest.FixtureRequest, tiny_config: TransformerConfig) -> Transformer:
    norm: Literal["post", "pre"] = request.param
    return Transformer(replace(tiny_config, norm=norm)).eval()


def trace_of(model: Transformer) -> Trace:
    return record(model, torch.randint(3, 31, (1, 4)), torch.randint(3, 31, (1, 5)))


def test_a_transformer_has_every_part_that_is_named_and_no_other(model: Transformer) -> None:
    anatomy, modules = anatomy_of(classes_of(model)), dict(model.named_modules())
    assert {kind: len(paths) for kind, paths in anatomy.attentions.items()} == {
        "encoder": 2, "decoder": 3, "cross": 3,
    }  # fmt: skip
    sublayers = [one for stack in anatomy.sublayers.values() for layer in stack for one in layer.values()]
    for kind, found in (
        (MultiHeadAttention, [path for paths in anatomy.attentions.values() for path in paths]),
        (Residual, [one.residual for one in sublayers]),
        (InputEmbedding, [hook.removesuffix(".hook_position") for hook in anatomy.positions.values()]),
    ):
        assert sorted(found) == sorted(name for name, one in modules.items() if isinstance(one, kind))
    assert {one.pre_norm for one in sublayers} == {model.config.norm == "pre"}
    assert {hook for one in sublayers for hook in one.hooks.values()} <= set(hook_names(model))


def test_a_trace_tells_what_the_model_tells(model: Transformer) -> None:
    assert parts_of(trace_of(model)) == anatomy_of(classes_of(model))


def test_an_old_trace_without_classes_has_what_its_hooks_belong_to(tiny_model: Transformer) -> None:
    trace = trace_of(tiny_model)
    assert trace.info.modules
    assert parts_of(Trace(trace.arrays)).attentions == parts_of(trace).attentions


def test_what_is_not_there_is_not_found(tiny_model: Transformer) -> None:
    modules = classes_of(tiny_model)
    without = anatomy_of({path: kind for path, kind in modules.items() if "cross" not in path})
    assert list(without.attentions) == ["encoder", "decoder"]
    assert list(without.sublayers["decoder"][2]) == ["self_attention", "feed_forward"]
    alone = anatomy_of(
        {path: kind for path, kind in modules.items() if path.startswith(("encoder", "source"))}
    )
    assert [list(one) for one in (alone.attentions, alone.sublayers, alone.positions)] == [
        ["encoder"], ["encoder"], ["source"],
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_path_leads_to_its_place(kind: Kind) -> None:
    path = attention_path(kind, 2)
    assert place_of(path) == place_of(f"{path}.attend.hook_weights") == (kind, 2)
    assert part_of(path) == ("encoder" if kind == "encoder" else "decoder", 2, path.rpartition(".")[2])


@pytest.mark.parametrize("path", ["", "head", "encoder.hook_memory", "encoder.layers", "decoder.layers.x"])
def test_a_path_that_leads_into_no_layer(path: str) -> None:
    assert part_of(path) is None
    assert place_of(path) is None
