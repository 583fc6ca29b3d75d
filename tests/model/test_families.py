"""A family that only this file knows is recorded, explained, checked, trained, saved and loaded like any other."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from explainer.capture.record import record
from explainer.checkpoints import CheckpointError, load_checkpoint, save_checkpoint
from explainer.equations import catalog, equation_of, explained_hooks, register_equations
from explainer.equations.equation import Equation
from explainer.equations.story import sum_story
from explainer.model import FAMILIES
from explainer.model.config import TransformerConfig
from explainer.model.families import Seq2Seq, family_of, register_family
from explainer.model.hooks import HookPoint, hook_names
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.batches import Example
from explainer.train.learning.forcing import exactly_right
from explainer.train.learning.loop import Trainer
from explainer.translator.translator import Translator
from tests.foreign import OnlyDecoder, OnlyEncoder


@dataclass(frozen=True, kw_only=True)
class ToyConfig(TransformerConfig):
    """The same sizes, of another family."""


class Pool(nn.Module):
    """One vector for a sentence: the mean over its positions."""

    def __init__(self) -> None:
        super().__init__()
        self.hook_x, self.hook_mean = HookPoint(), HookPoint()

    def forward(self, x: Tensor) -> Tensor:
        return self.hook_mean(self.hook_x(x).mean(dim=1))


class Toy(OnlyEncoder):
    """An encoder alone whose log-probabilities are averaged."""

    def __init__(self, config: ToyConfig) -> None:
        super().__init__(config)
        self.config, self.pool = config, Pool()

    def forward(self, tokens: Tensor) -> Tensor:
        return self.pool(super().forward(tokens))


MEAN = Equation(
    latex=r"\bar x = \tfrac{1}{T} \sum_t x_t",
    source="here",
    reads=("hook_x",),
    explains="hook_mean",
    compute=lambda x: x.mean(axis=0),
    cell=lambda x, index: sum_story(
        r"\bar x", (x[:, index[0]],), roles=("",), divisor=len(x), finish=rf"\div {len(x)}"
    ),
)


@pytest.fixture(autouse=True)
def _family() -> Iterator[None]:
    register_family("toy", ToyConfig, Toy)
    register_equations("Pool", equations=(MEAN,))
    yield
    del FAMILIES["toy"], catalog._BY_CLASS["Pool"]


@pytest.fixture
def toy(tokenizer: Tokenizer) -> Toy:
    return Toy(ToyConfig(vocab_size=len(tokenizer), d_model=12, n_heads=3, d_ff=20, max_positions=40)).eval()


@pytest.fixture
def folder(tmp_path: Path, toy: Toy, tokenizer: Tokenizer) -> Path:
    save_checkpoint(tmp_path, toy, tokenizer, step=3)
    return tmp_path


def test_its_hooks_are_recorded_explained_and_checked(toy: Toy) -> None:
    trace = record(toy, torch.tensor([[5, 9, 30, 7]]))
    assert set(trace) == set(hook_names(toy))
    seen = trace.beside({name: value.numpy(force=True) for name, value in toy.state_dict().items()})
    assert {"pool.hook_mean", "says.hook_logits", "looks.1.hook_q"} <= set(explained_hooks(trace))
    for name in explained_hooks(trace):
        found = equation_of(name, trace.info.modules)
        assert found is not None
        assert found.equation.agrees(found.seen(seen)), name
    assert MEAN.story(trace.under("pool"), (7,)).deviation < 1e-6
    assert not MEAN.agrees({**trace.under("pool"), "hook_mean": trace["pool.hook_mean"] + 0.01})


def test_its_checkpoint_is_written_and_loaded(folder: Path, toy: Toy) -> None:
    assert json.loads((folder / "config.json").read_text())["model"] == "toy"
    loaded = load_checkpoint(folder)
    assert type(loaded.model) is Toy
    assert (loaded.model.config, loaded.step, loaded.model.training) == (toy.config, 3, False)
    tokens = torch.tensor([[5, 9, 30, 7]])
    assert torch.equal(loaded.model(tokens), toy(tokens))


def test_it_is_no_translator(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="holds a model of the family Toy, expected a Transformer"):
        Translator.load(folder)


def test_a_damaged_one_is_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    save_file(tensors | {"looks.1.query.weight": torch.zeros(12, 13)}, path)
    with pytest.raises(
        CheckpointError, match=r"looks\.1\.query\.weight has shape \(12, 13\), expected \(12, 12\)"
    ):
        load_checkpoint(folder)
    save_file({name: value for name, value in tensors.items() if "query.bias" not in name}, path)
    with pytest.raises(CheckpointError, match=r"tensor looks\.0\.query\.bias is missing"):
        load_checkpoint(folder)
    fields = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(fields | {"model": "transformer"}))
    with pytest.raises(CheckpointError, match=r"tensor adds\.0.* is not part of the model"):
        load_checkpoint(folder)


def test_a_name_means_one_family(toy: Toy, tiny_model: Transformer) -> None:
    assert family_of(toy).module is Toy
    assert family_of(tiny_model.config) is family_of(tiny_model) is FAMILIES["transformer"]
    register_family("toy", ToyConfig, Toy)  # again: its file may be imported twice
    with pytest.raises(ValueError, match="'toy' is another family's name already"):
        register_family("toy", ToyConfig, Transformer)
    with pytest.raises(LookupError, match="Pool belongs to no family"):
        family_of(Pool())


class LanguageModel(OnlyDecoder):
    """Predicts the target from what is before in it alone."""

    is_causal = True

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.config, self.head = config, self.says

    def hidden(self, source: Tensor, target: Tensor) -> Tensor:
        return self.stack(self.last(self.words(target)), self.mask(target))


def test_the_trainer_takes_whatever_has_hidden_vectors_and_a_head(tiny_config: TransformerConfig) -> None:
    model: Seq2Seq = LanguageModel(tiny_config)
    examples = [Example([5], [first, first + 1, first + 2]) for first in range(4, 28)]
    trainer = Trainer(model, lambda epoch: examples, learning_rate=lambda step: 0.01, smoothing=0.0)
    before = trainer.evaluate(examples)
    for report in trainer.steps():
        if report.step == 60:
            break
    assert trainer.evaluate(examples) < 0.5 * before
    assert exactly_right(model, examples) <= 1 / len(examples)  # nothing tells it how a sentence begins
