"""Every equation, in every place of every kind of model, is what the model computed there: with and without changes."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from explainer.capture.record import Intervention, record
from explainer.capture.trace import COMPUTED, Trace
from explainer.equations import equation_of, explained_hooks, register_equations
from explainer.equations.attention import SCORES
from explainer.equations.catalog import Explanation
from explainer.equations.feed_forward import FFN_OUTPUT
from explainer.equations.stream import NORM_OUTPUT, POSITION
from explainer.model.config import TransformerConfig
from explainer.model.hooks import hook_names
from explainer.model.transformer import Transformer
from tests.conftest import randomized
from tests.foreign import OnlyDecoder, OnlyEncoder

POST = TransformerConfig(vocab_size=11, d_model=6, n_heads=3, d_ff=8, n_encoder_layers=2, n_decoder_layers=2)
CONFIGS = {
    "post": POST,
    "pre, untied": replace(POST, norm="pre", tie_embeddings=False),
    "post, untied, looks ahead": replace(POST, tie_embeddings=False, look_ahead_mask=False),
    "pre, learned": replace(POST, norm="pre", positions="learned"),
}
SAME = {"token", "mask", "x", "y", "before", "update", "after", "resid_pre", "resid_post", "memory", "final"}


def drop(head: int) -> Intervention:
    """Zero one head of [batch, head, …]."""
    return lambda value: value * (torch.arange(value.shape[1]) != head)[:, None, None]


def uniform(weights: Tensor) -> Tensor:
    return torch.full_like(weights, 1 / weights.shape[-1])


CHANGES: dict[str, Intervention] = {
    "encoder.layers.0.self_attention.attend.hook_scores": lambda scores: 3 * scores,
    "encoder.layers.1.self_attention.attend.hook_weights": uniform,
    "decoder.layers.0.cross_attention.attend.hook_mixed": drop(1),
    "decoder.layers.0.self_attention.attend.hook_mask": torch.ones_like,
    "decoder.layers.1.cross_attention.hook_y": lambda y: y.flip(1),
    "decoder.layers.1.self_attention.hook_k": lambda k: k.roll(1, dims=2),
    "source_embedding.hook_position": torch.zeros_like,
    "target_embedding.hook_scaled": lambda scaled: scaled / 2,
    "encoder.layers.0.feed_forward_residual.norm.hook_mean": torch.zeros_like,
    "encoder.layers.1.feed_forward_residual.norm.hook_scale": torch.ones_like,
    "decoder.layers.0.feed_forward_residual.norm.hook_x": lambda x: 5 * x + 1,
    "encoder.layers.0.feed_forward.hook_pre": lambda pre: pre - 1,
    "decoder.layers.1.feed_forward.hook_post": lambda post: post.clamp(max=0.5),
    "encoder.layers.1.self_attention_residual.hook_update": torch.zeros_like,
    "decoder.layers.1.self_attention_residual.hook_sum": lambda total: -total,
    "head.hook_logits": lambda logits: logits / 2,
    "decoder.layers.1.feed_forward.hook_output": torch.neg,
}
NORM = "decoder.layers.1.cross_attention_residual.norm"


def recorded(config: TransformerConfig, changes: dict[str, Intervention] | None = None) -> Trace:
    """A pass of a model whose scores are large enough for uneven weights, with its parameters beside it."""
    torch.manual_seed(11)
    model = randomized(Transformer(config))
    for parameter in model.parameters():
        parameter.data *= 1.5
    inputs = torch.randint(3, 11, (1, 5)), torch.randint(3, 11, (1, 4))
    trace = record(model, *inputs, interventions=changes)
    return trace.beside({name: value.numpy() for name, value in model.state_dict().items()})


def norm_left_out() -> dict[str, Intervention]:
    """The output of one norm replaced by its input."""
    kept: list[Tensor] = []

    def keep(x: Tensor) -> Tensor:
        kept.append(x)
        return x

    return {f"{NORM}.hook_x": keep, f"{NORM}.hook_output": lambda output: kept[-1]}


def explanations(trace: Trace) -> Iterator[tuple[str, Explanation]]:
    for name in explained_hooks(trace):
        found = equation_of(name, trace.info.modules)
        assert found is not None
        yield name, found


def some_cells(shape: tuple[int, ...], most: int = 24) -> list[tuple[int, ...]]:
    """Cells drawn with a fixed seed, all of them if they are few."""
    cells = list(np.ndindex(shape))
    return cells if len(cells) <= most else random.Random(0).sample(cells, most)


@pytest.fixture(scope="module", params=CONFIGS)
def config(request: pytest.FixtureRequest) -> TransformerConfig:
    return CONFIGS[request.param]


@pytest.fixture(scope="module", params=["untouched", "changed"])
def trace(request: pytest.FixtureRequest, config: TransformerConfig) -> Trace:
    return recorded(config, None if request.param == "untouched" else {**CHANGES, **norm_left_out()})


def test_every_equation_is_what_the_model_computed(trace: Trace, config: TransformerConfig) -> None:
    for name, (equation, module) in explanations(trace):
        seen = trace.under(module) if module else trace
        assert name.endswith(equation.explains)
        model = equation.computed(seen)
        largest = np.abs(model[np.isfinite(model)]).max()
        assert equation.compute(*equation.operands(seen)).shape == model.shape, name
        assert equation.deviation(seen) <= 2e-6 * max(1.0, largest), name
        assert equation.agrees(seen), name


def test_cell_stories_arrive_at_the_number_of_the_model(trace: Trace, config: TransformerConfig) -> None:
    for name, explanation in explanations(trace):
        equation, seen = explanation.equation, explanation.seen(trace)
        for index in some_cells(equation.computed(seen).shape):
            story = equation.story(seen, index)
            assert story.deviation <= 2e-5 * max(1.0, abs(story.model)), (name, index)
            if story.terms:
                column = sum(term.value for term in story.terms) + story.rest + (story.bias or 0.0)
                assert column == pytest.approx(story.total, abs=1e-9), (name, index)
            for term in story.terms:
                if len(term.factors) > 1:
                    assert np.prod(term.factors) == pytest.approx(term.value), (name, index)


def test_all_that_is_computed_is_explained(config: TransformerConfig) -> None:
    """What no equation explains is read by one, or is the same tensor under another name."""
    trace = recorded(config)
    left = set(hook_names(Transformer(config))) - set(explained_hooks(trace))
    also = set() if config.positions == "sinusoidal" else {"position"}
    assert {name.rpartition("hook_")[2] for name in left} == SAME | also


def test_the_changes_are_not_idle(config: TransformerConfig) -> None:
    changed = recorded(config, {**CHANGES, **norm_left_out()})
    for name in (*CHANGES, f"{NORM}.hook_output"):
        before, after = changed[f"{name}{COMPUTED}"], changed[name]
        idle = np.array_equal(before, after)
        assert idle == (name.endswith("self_attention.attend.hook_mask") and not config.look_ahead_mask), name


def test_where_an_equation_is_read() -> None:
    path, modules = "encoder.layers.0.self_attention", recorded(POST).info.modules
    assert equation_of(f"{path}.attend.hook_scores", modules) == (SCORES, path)
    feed_forward = "decoder.layers.1.feed_forward"
    assert equation_of(f"{feed_forward}.hook_output", modules) == (FFN_OUTPUT, feed_forward)
    modules = recorded(CONFIGS["pre, learned"]).info.modules
    assert equation_of("encoder.norm.hook_output", modules) == (NORM_OUTPUT, "encoder.norm")
    for name in ("encoder.hook_memory", "hook_scores", f"{path}.attend.hook_scores{COMPUTED}", "", "nothing"):
        assert equation_of(name, modules) is None


def test_only_sinusoids_have_a_formula_for_positions() -> None:
    name = "source_embedding.hook_position"
    assert equation_of(name, recorded(POST).info.modules) == (POSITION, "source_embedding")
    assert equation_of(name, recorded(CONFIGS["pre, learned"]).info.modules) is None


def test_a_hook_that_two_equations_explain_is_refused() -> None:
    with pytest.raises(ValueError, match=r"LayerNorm\.hook_output is explained by another equation already"):
        register_equations("LayerNorm", equations=(replace(NORM_OUTPUT, latex="another"),))


@pytest.mark.parametrize("kind", [OnlyEncoder, OnlyDecoder])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_foreign_model_is_explained_by_the_classes_of_its_modules(kind: Any, norm: Any) -> None:
    model = kind(replace(POST, norm=norm)).eval()
    trace = record(model, torch.randint(3, 11, (1, 5)))
    seen = trace.beside({name: value.numpy() for name, value in model.state_dict().items()})
    found = explained_hooks(trace)
    left = {name.rpartition("hook_")[2] for name in trace if name not in found}
    assert left == (SAME & {name.rpartition("hook_")[2] for name in trace}) | {"position"}
    for name in found:
        explanation = equation_of(name, trace.info.modules)
        assert explanation is not None
        assert explanation.equation.agrees(explanation.seen(seen)), name


@pytest.mark.parametrize("missing", ["query.bias", "output.bias"])
def test_a_forgotten_bias_is_noticed(missing: str) -> None:
    trace = recorded(POST)
    module = "decoder.layers.0.cross_attention"
    seen = dict(trace.under(module))
    seen[missing] = np.zeros_like(seen[missing])
    hook = "hook_q" if missing.startswith("query") else "hook_output"
    found = equation_of(f"{module}.{hook}", trace.info.modules)
    assert found is not None
    assert not found.equation.agrees(seen)
