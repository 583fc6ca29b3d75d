"""What a model has is read off its modules; the stages of its sublayers are its hook points."""

import ast
import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch

import explainer
from explainer.capture.record import classes_of, record
from explainer.capture.trace import Trace
from explainer.equations.catalog import equation_of
from explainer.measures.anatomy import (
    Kind,
    Side,
    Sublayer,
    all_weights,
    anatomy_of,
    attention_path,
    part_of,
    parts_of,
    place_of,
)
from explainer.measures.sublayers import (
    has_words,
    moments,
    most_active,
    most_changed,
    strip_rows,
    usual_bound,
    zero_share,
)
from explainer.model.attention import MultiHeadAttention
from explainer.model.blocks import LayerNorm, Residual
from explainer.model.config import TransformerConfig
from explainer.model.embedding import InputEmbedding
from explainer.model.hooks import hook_names
from explainer.model.transformer import Transformer
from tests.conftest import randomized
from tests.foreign import OnlyDecoder, OnlyEncoder

PACKAGE = Path(explainer.__file__).parent
SPELLED = re.compile(
    r"(en|de)coder\.(layers|norm|hook)|(source|target)_embedding|(^|\W)head\.(hook|table|$)|_(attention|residual)\."
)


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
        (LayerNorm, anatomy.norms),
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
    old, new = parts_of(Trace(trace.arrays)), parts_of(trace)
    assert (old.attentions, old.sublayers, old.positions) == (new.attentions, new.sublayers, new.positions)
    assert sorted(old.norms) == sorted(new.norms)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize(
    ("family", "side", "language"), [(OnlyEncoder, "encoder", "source"), (OnlyDecoder, "decoder", "target")]
)
def test_a_family_with_names_of_its_own_has_its_parts(
    tiny_config: TransformerConfig,
    family: type[OnlyEncoder],
    side: Side,
    language: str,
    norm: Literal["post", "pre"],
) -> None:
    trace = record(family(replace(tiny_config, norm=norm)).eval(), torch.randint(3, 31, (1, 4)))
    found = parts_of(trace)
    assert found.attentions == {side: ("looks.0", "looks.1")}
    assert found.norms == ("adds.0.norm", "adds.1.norm")
    assert found.positions == {language: "words.hook_position"}
    assert list(found.sublayers) == [side]
    for i, layer in enumerate(found.sublayers[side]):
        (one,) = layer.values()
        assert (one.layer, one.name, one.path, one.residual) == (
            i,
            "self_attention",
            f"looks.{i}",
            f"adds.{i}",
        )
        assert one.pre_norm == (norm == "pre")
        np.testing.assert_array_equal(trace[one.hooks["update"]], trace[f"adds.{i}.hook_update"])
        np.testing.assert_array_equal(trace[one.result], trace[f"adds.{i}.hook_after"])
    assert all_weights(trace, side).shape == (2, 3, 4, 4)


def test_one_file_spells_the_paths_of_the_transformer() -> None:
    spelled = {}
    for path in PACKAGE.rglob("*.py"):
        parts = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        told = {id(one.value) for one in parts if isinstance(one, ast.Expr)}  # docstrings
        texts = [one.value for one in parts if isinstance(one, ast.Constant) and id(one) not in told]
        if found := [text for text in texts if isinstance(text, str) and SPELLED.search(text)]:
            spelled[path.relative_to(PACKAGE).as_posix()] = found
    assert spelled.pop("measures/anatomy.py")
    assert {name: found for name, found in spelled.items() if not name.startswith("model/")} == {}


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


def all_sublayers(trace: Trace) -> list[Sublayer]:
    return [one for stack in parts_of(trace).sublayers.values() for layer in stack for one in layer.values()]


@pytest.fixture(params=["post", "pre"])
def trace(request: pytest.FixtureRequest, tiny_config: TransformerConfig) -> Trace:
    norm: Literal["post", "pre"] = request.param
    model = randomized(Transformer(replace(tiny_config, norm=norm)))
    return record(model, torch.randint(3, 31, (1, 7)), torch.randint(3, 31, (1, 5)))


def test_x_is_what_the_residual_addition_reads(trace: Trace) -> None:
    for one in all_sublayers(trace):
        np.testing.assert_array_equal(trace[one.hooks["before"]], trace[f"{one.residual}.hook_before"])
        np.testing.assert_array_equal(trace[one.hooks["update"]], trace[f"{one.residual}.hook_update"])
        np.testing.assert_array_equal(trace[one.result], trace[f"{one.residual}.hook_after"])


def test_each_stage_has_an_equation_and_the_order_is_that_of_the_pass(
    trace: Trace,
) -> None:
    order = list(trace)
    for one in all_sublayers(trace):
        assert all(equation_of(hook, trace.info.modules) is not None for hook in one.hooks.values())
        places = [order.index(hook) for hook in one.hooks.values()]
        assert places == sorted(places)


def test_what_a_stage_reads_comes_before_it(trace: Trace) -> None:
    for one in all_sublayers(trace):
        stages = list(one.hooks)
        for stage in stages:
            assert all(stages.index(source) < stages.index(stage) for source in one.sources(stage))


def test_the_norm_reads_the_sum_or_the_stream(trace: Trace) -> None:
    for one in all_sublayers(trace):
        (source,) = one.sources("normalised")
        np.testing.assert_array_equal(trace[one.hooks[source]], trace[f"{one.residual}.norm.hook_x"])


def test_gain_and_bias_stand_between_the_two_halves_of_the_norm() -> None:
    rows = strip_rows(tuple(Sublayer("encoder", 0, "feed_forward", "f", "f_residual").hooks))
    assert rows == ["before", "update", "sum", "normalised", "gain", "bias", "output"]


def test_most_changed_looks_at_words_where_it_is_told_to() -> None:
    ratios = np.zeros((2, 3, 4))
    ratios[1, 2, 3] = 9.0  # </s>
    ratios[0, 1, 2] = 3.0
    ratios[1, 0, 1] = 2.0
    pieces = [" I", " have", " money", "</s>"]
    assert most_changed(ratios, pieces) == (0, 1, 2)
    assert most_changed(ratios, pieces, layer=1) == (1, 0, 1)
    assert most_changed(ratios, pieces, sublayer=0) == (1, 0, 1)
    assert most_changed(ratios, [".", ",", "!", "</s>"]) == (1, 2, 3)


def test_a_special_token_or_a_byte_is_no_word() -> None:
    assert has_words([".", " money", "</s>"])
    assert not has_words(["<0xF0>", "!", " ", "</s>"])


def test_mean_and_variance_are_torchs() -> None:
    x = torch.randn(5, 24, dtype=torch.double) * 3 + 2
    variance, mean = torch.var_mean(x, dim=-1, correction=0)
    np.testing.assert_allclose(moments(x.numpy()), torch.stack([mean, variance]).numpy())


def test_the_most_active_units_fall_and_one_is_kept() -> None:
    units = np.array([0.5, -3.0, 2.0, -1.0, 4.0, 0.1])
    assert most_active(units, 2, 2, keep=4).tolist() == [4, 2, 3, 1]
    assert most_active(units, 2, 2, keep=5).tolist() == [4, 5, 3, 1]
    assert most_active(units, 5, 5, keep=0).tolist() == [4, 2, 0, 5, 3, 1]  # none twice


def test_zero_share_counts_what_relu_left_out() -> None:
    assert zero_share(np.array([[0.0, 1.0, 0.0, 0.0], [2.0, 1.0, 3.0, 0.5]])).tolist() == [0.75, 0.0]


def test_an_outlier_sets_no_colour_range() -> None:
    values = np.append(np.linspace(-1, 1, 1000), 70.0)
    assert 0.9 < usual_bound(values) <= 1.0
    assert usual_bound(np.zeros((3, 4))) == 1.0
