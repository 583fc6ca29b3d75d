"""The mean of a run's last weights: a run of its own, and its loss before and after."""

import dataclasses
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from explainer.checkpoints import load_checkpoint
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.corpora import read_pairs
from explainer.text.tokenizer import END_ID, START_ID, Tokenizer
from explainer.train.learning.averaging import average_run
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.names import RunError
from explainer.train.runs.status import look
from tests.conftest import randomized
from tests.train.small import REQUEST, made


@pytest.fixture
def model(tiny_config: TransformerConfig, tokenizer: Tokenizer) -> Transformer:
    return randomized(Transformer(dataclasses.replace(tiny_config, vocab_size=len(tokenizer)))).eval()


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return made(tmp_path / "run")


def scaled(model: Transformer, factor: float) -> Transformer:
    with torch.no_grad():
        for value in model.parameters():
            value.mul_(factor)
    return model


def halves(model: Transformer) -> dict[str, Tensor]:
    """The weights as a checkpoint keeps them."""
    return {name: value.detach().half().float() for name, value in model.named_parameters()}


def nll(model: Transformer, tokenizer: Tokenizer, path: Path) -> float:
    """Mean −log p per token, sentence by sentence and by PyTorch's own loss."""
    total, count = 0.0, 0
    for pair in read_pairs(path).pairs:
        source, target = tokenizer.encode(pair.source), tokenizer.encode(pair.target)
        with torch.inference_mode():
            rows = model(torch.tensor([[*source, END_ID]]), torch.tensor([[START_ID, *target]]))[0]
        total += float(F.cross_entropy(rows, torch.tensor([*target, END_ID]), reduction="sum"))
        count += len(target) + 1
    return total / count


def test_the_mean_of_equal_weights_is_these_weights(
    folder: RunFolder, model: Transformer, tokenizer: Tokenizer
) -> None:
    for step in (10, 20, 30):
        folder.save_step(model, tokenizer, step)
    made = average_run(folder.path.parent, "run", 3)
    assert made.steps == (10, 20, 30)
    assert made.before == made.after
    found = load_checkpoint(folder.path.parent / made.name / "steps" / "000030").model
    expected = halves(model)
    for name, value in found.named_parameters():
        assert torch.equal(value, expected[name]), name


def test_only_the_last_are_averaged_and_the_losses_are_those_of_the_weights(
    folder: RunFolder, model: Transformer, tokenizer: Tokenizer
) -> None:
    expected = halves(model)
    folder.save_step(scaled(model, 64.0), tokenizer, 10)  # is not among the last two
    folder.save_step(scaled(model, 1 / 32), tokenizer, 20)  # 2 W
    folder.save_step(scaled(model, 2.0), tokenizer, 30)  # 4 W: the mean is 3 W
    made = average_run(folder.path.parent, "run", 2)
    found = load_checkpoint(folder.path.parent / made.name / "steps" / "000030").model
    for name, value in found.named_parameters():
        torch.testing.assert_close(value, 3 * expected[name], atol=0, rtol=1e-3)  # float16
    valid = folder.path / "valid.tsv"
    last = load_checkpoint(folder.step_folder(30)).model
    assert made.before == pytest.approx(nll(last, tokenizer, valid), rel=1e-4)
    assert made.after == pytest.approx(nll(found, tokenizer, valid), rel=1e-2)  # measured before float16
    assert made.before != pytest.approx(made.after, rel=0.05)


def test_an_average_is_a_finished_run_of_its_own(
    folder: RunFolder, model: Transformer, tokenizer: Tokenizer
) -> None:
    for step in (0, 10, 20):
        folder.save_step(model, tokenizer, step)
    before = sorted(folder.path.rglob("*"))
    names = [average_run(folder.path.parent, "run", 2).name for _ in range(2)]
    assert names == ["run-mean2", "run-mean2-2"]
    assert sorted(folder.path.rglob("*")) == before
    status = look(folder.path.parent / names[0], [])
    assert (status.status, status.step, status.can_resume) == ("finished", 20, False)


def test_without_validation_pairs_nothing_is_measured(
    folder: RunFolder, model: Transformer, tokenizer: Tokenizer
) -> None:
    (folder.path / "valid.tsv").unlink()
    for step in (10, 20):
        folder.save_step(model, tokenizer, step)
    made = average_run(folder.path.parent, "run", 2)
    assert (made.before, made.after) == (None, None)


@pytest.mark.parametrize("last", [0, 1, 3])
def test_what_cannot_be_averaged(
    folder: RunFolder, model: Transformer, tokenizer: Tokenizer, last: int
) -> None:
    for step in (0, 10, 20):  # step 0 is chance: it counts for nothing
        folder.save_step(model, tokenizer, step)
    with pytest.raises(RunError, match=f"run has saved 2 steps: from 2 to 2 can be averaged, not {last}"):
        average_run(folder.path.parent, "run", last)
    with pytest.raises(RunError, match="there is no run called 'none'"):
        average_run(folder.path.parent, "none", 2)
    assert REQUEST.valid == "valid.tsv"
