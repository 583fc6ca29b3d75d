"""Moments of a training: what is kept is what a plain pass of that step's weights gives."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from explainer.checkpoints import load_checkpoint
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID, START_ID, Tokenizer
from explainer.train.runs.folder import RunFolder
from explainer.translator.moments import (
    KeptMoments,
    Moment,
    Pair,
    RunMoments,
    keep,
    moment_of,
    pair_of,
    spread,
)
from explainer.translator.translator import Translator
from tests.conftest import randomized

SOURCE = "The street is wide."


@pytest.fixture
def run(tmp_path: Path, tiny_config: TransformerConfig, tokenizer: Tokenizer) -> RunFolder:
    """A run that saved three different models."""
    config = dataclasses.replace(tiny_config, vocab_size=len(tokenizer))
    folder = RunFolder(tmp_path / "run")
    for step in (0, 10, 40):
        folder.save_step(randomized(Transformer(config)), tokenizer, step)
    lines = [{"step": 10, "valid_nll": 2.5}, {"step": 40, "valid_nll": 1.5}, {"step": 11, "loss": 2.0}]
    text = "\n".join(map(json.dumps, lines)) + '\n{"step": 41, "valid_nll'
    (folder.path / "metrics.jsonl").write_text(text, encoding="utf-8")
    return folder


def assert_same(one: Moment, other: Moment, atol: float) -> None:
    assert one.text == other.text
    assert set(one.trace) == set(other.trace)
    for name in one.trace:
        np.testing.assert_allclose(one.trace[name], other.trace[name], rtol=0, atol=atol, err_msg=name)


def test_what_is_kept_is_what_the_weights_of_that_step_do(run: RunFolder, tmp_path: Path) -> None:
    folders = [run.step_folder(step) for step in run.saved_steps()]
    kept = keep(tmp_path / "kept", folders, [SOURCE], valid_nll={10: 2.5})
    assert kept == KeptMoments.load(tmp_path / "kept")
    assert (kept.steps, kept.valid_nll) == ((0, 10, 40), {10: 2.5})
    pair = kept.pairs[0]
    said = Translator.load(folders[-1]).translate(SOURCE)
    assert pair == Pair(SOURCE, said.text, said.ended)
    for step, folder in zip(kept.steps, folders, strict=True):
        found = kept.at(step, pair)
        assert found.step == step
        assert_same(found, moment_of(Translator.load(folder), pair), atol=0)


def test_the_nats_are_those_of_a_plain_forward_pass(run: RunFolder) -> None:
    folder = run.step_folder(10)
    found = moment_of(Translator.load(folder), Pair(SOURCE, "Die Straße ist breit."))
    checkpoint = load_checkpoint(folder)
    source = torch.tensor([[*checkpoint.tokenizer.encode(SOURCE), END_ID]])
    target = checkpoint.tokenizer.encode("Die Straße ist breit.")
    with torch.no_grad():
        log_probs = checkpoint.model.eval()(source, torch.tensor([[START_ID, *target]]))
    expected = torch.nn.functional.nll_loss(log_probs[0], torch.tensor([*target, END_ID]), reduction="none")
    np.testing.assert_allclose(found.nats, expected.numpy(), rtol=1e-5)
    assert found.mean == pytest.approx(float(expected.mean()), rel=1e-5)


def test_what_was_cut_is_forced_without_an_end(run: RunFolder) -> None:
    translator = Translator.load(run.step_folder(10))
    whole, cut = (moment_of(translator, Pair(SOURCE, "Die Straße", ended)) for ended in (True, False))
    assert whole.trace.info.predicted == (*cut.trace.info.predicted, "</s>")
    np.testing.assert_allclose(whole.nats[:-1], cut.nats, rtol=1e-4)


def test_a_run_is_asked_with_the_weights_it_saved(run: RunFolder) -> None:
    moments = RunMoments.load(run)
    assert moments.steps == (0, 10, 40)
    assert moments.valid_nll == {10: 2.5, 40: 1.5}  # the torn last line is skipped
    pair = moments.pair(SOURCE)
    last = Translator.load(run.step_folder(40))
    assert moments.at(40, pair).text == last.translate(SOURCE).text == pair.target


def test_a_run_without_weights_and_a_broken_index_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no step has been saved yet"):
        RunMoments.load(RunFolder(tmp_path))
    for content in ("", '{"pairs": 3}'):
        (tmp_path / "moments.json").write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=r"moments\.json: not an index"):
            KeptMoments.load(tmp_path)


@pytest.mark.parametrize("steps", [range(5), range(0, 10_001, 100), [0, 1, 2, 3, 50_000]])
def test_steps_are_spread(steps: list[int]) -> None:
    found = spread(list(steps), 12)
    assert (found[0], found[-1]) == (steps[0], steps[-1])
    assert len(found) <= 12
    assert list(found) == sorted(set(found) & set(steps))


def test_the_shipped_moments_end_with_the_shipped_weights() -> None:
    """`measure moments pretrained/translator …` would write the last step again."""
    shipped, translator = KeptMoments.load(), Translator.load()
    for pair in shipped.pairs[:2]:
        assert pair == pair_of(translator, pair.source)
        kept = shipped.at(translator.checkpoint.step, pair)
        assert_same(kept, moment_of(translator, pair), atol=1e-5)
