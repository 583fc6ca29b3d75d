"""The training loop: one step is the optimiser's own, a resumed run is the same run, and it learns."""

import copy
import dataclasses
import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional as F

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import PAD_ID
from explainer.train.learning.batches import Example, collate
from explainer.train.learning.loop import Trainer, TrainStep

EXAMPLES = [Example([4 + i % 20] * (1 + i % 4), [5 + i % 20] * (1 + i % 3)) for i in range(24)]


def trainer(model: Transformer, seed: int = 7, clip: float = 1.0) -> Trainer:
    return Trainer(
        model.requires_grad_(True),
        lambda epoch: EXAMPLES[epoch % 2 :],
        learning_rate=lambda step: 1e-3 * step,
        max_tokens=40,
        seed=seed,
        clip=clip,
    )


def take(trainer: Trainer, count: int) -> list[TrainStep]:
    """The next reports, their times left out."""
    steps = trainer.steps()
    return [dataclasses.replace(next(steps), seconds=0.0) for _ in range(count)]


def test_adam_has_the_papers_settings(tiny_config: TransformerConfig) -> None:
    """Vaswani et al. 2017, §5.3. The first step is the same whatever the betas."""
    (group,) = trainer(Transformer(tiny_config)).optimizer.param_groups
    assert (group["betas"], group["eps"]) == ((0.9, 0.98), 1e-9)


def test_a_step_is_that_of_pytorchs_optimizer(tiny_config: TransformerConfig) -> None:
    model = Transformer(dataclasses.replace(tiny_config, dropout=0.0))
    twin = copy.deepcopy(model)
    batch = collate(EXAMPLES[:6])
    report = trainer(model, clip=0.5).step(batch)

    adam = torch.optim.AdamW(twin.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.01)
    log_probs = twin(batch.source, batch.target).flatten(0, 1)
    loss = F.cross_entropy(log_probs, batch.labels.flatten(), ignore_index=PAD_ID, label_smoothing=0.1)
    loss.backward()
    norm = math.sqrt(sum(float((p.grad**2).sum()) for p in twin.parameters() if p.grad is not None))
    for p in twin.parameters():
        assert p.grad is not None
        p.grad *= min(1.0, 0.5 / norm)
    adam.step()

    assert report.loss == pytest.approx(loss.item(), rel=1e-5)
    nll = F.nll_loss(log_probs, batch.labels.flatten(), ignore_index=PAD_ID)
    assert report.nll == pytest.approx(nll.item(), rel=1e-5)
    assert report.gradient_norm == pytest.approx(norm, rel=1e-4)
    assert report.learning_rate == 1e-3
    assert report.n_tokens == batch.n_tokens
    for (name, ours), theirs in zip(model.named_parameters(), twin.parameters(), strict=True):
        if not name.endswith("key.bias"):  # softmax ignores it: its gradient is noise, which Adam blows up
            torch.testing.assert_close(ours, theirs, atol=2e-6, rtol=1e-4, msg=name)


def test_a_resumed_run_is_the_same_run(tiny_config: TransformerConfig, tmp_path: Path) -> None:
    """Bit for bit, with dropout, across the end of an epoch, through a file."""
    model = Transformer(tiny_config)
    whole = trainer(copy.deepcopy(model))
    expected = take(whole, 11)
    assert {report.epoch for report in expected} == {0, 1, 2, 3}
    for stop in (0, 1, 4, 6):
        first = trainer(copy.deepcopy(model))
        reports = take(first, stop)
        save_file({k: v.contiguous() for k, v in first.state().items()}, tmp_path / "resume")
        second = trainer(Transformer(tiny_config), seed=7)  # other weights, until restored
        second.restore(load_file(tmp_path / "resume"))
        assert reports + take(second, 11 - stop) == expected
        for (name, ours), theirs in zip(second.state().items(), whole.state().values(), strict=True):
            assert torch.equal(ours, theirs), name


def test_an_epoch_is_every_batch_once(tiny_config: TransformerConfig) -> None:
    reports = take(trainer(Transformer(tiny_config)), 11)
    for epoch in (0, 1):
        tokens = sum(report.n_tokens for report in reports if report.epoch == epoch)
        assert tokens == sum(len(e.source) + len(e.target) + 2 for e in EXAMPLES[epoch:])


def test_evaluation_is_the_mean_over_tokens_without_dropout(tiny_config: TransformerConfig) -> None:
    one = trainer(Transformer(tiny_config))
    before = torch.get_rng_state()
    found = one.evaluate(EXAMPLES)
    assert torch.equal(torch.get_rng_state(), before)  # it does not change what is trained after it
    batch = collate(EXAMPLES)
    log_probs = one.model.eval()(batch.source, batch.target).flatten(0, 1)
    expected = F.nll_loss(log_probs, batch.labels.flatten(), ignore_index=PAD_ID)
    assert found == pytest.approx(expected.item(), rel=1e-5)
    one.autocast = torch.bfloat16  # of the products alone
    assert one.evaluate(EXAMPLES) == pytest.approx(found, rel=0.02)
    assert one.evaluate(EXAMPLES) != found
