"""The failure gallery: each broken run differs from the healthy one in what its title says, and breaks as told."""

import dataclasses
import re
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID, START_ID
from explainer.train.learning.batches import Example, collate
from explainer.train.learning.forcing import exactly_right, teacher_forced_nll
from explainer.train.learning.loop import Trainer
from explainer.train.learning.schedule import learning_rate_of
from explainer.train.offers.failures import FAILURES, HEALTHY

PROSE = Path(__file__).parents[3] / "explainer" / "pages" / "failures"
CHANGED = {
    "rate": "peak", "warmup": "warmup", "mask": "look_ahead_mask", "positions": "positions",
    "smoothing": "smoothing", "labels": "shift_labels", "dropout": "dropout",
}  # fmt: skip
LETTERS = range(4, 12)  # after the special tokens


SMALL = TransformerConfig(
    vocab_size=12, d_model=16, n_heads=2, d_ff=32, n_encoder_layers=1, n_decoder_layers=1, dropout=0.0,
    max_positions=12,
)  # fmt: skip


def pairs(count: int, length: int = 5) -> list[Example]:
    """Random letters and the same backwards."""
    rows = torch.randint(LETTERS.start, LETTERS.stop, (count, length)).tolist()
    return [Example(row, row[::-1]) for row in rows]


def trained(steps: int, length: int = 5, *, shift_labels: bool = True, masked: bool = True) -> Transformer:
    """A small model after some steps on reversed letters."""
    model = Transformer(dataclasses.replace(SMALL, look_ahead_mask=masked))
    learnt = pairs(400, length)
    trainer = Trainer(
        model, lambda epoch: learnt, learning_rate=lambda step: 5e-3, smoothing=0.0, max_tokens=300,
        shift_labels=shift_labels,
    )  # fmt: skip
    for report in trainer.steps():
        if report.step == steps:
            break
    return model.eval()


def argmax_of(model: Transformer, example: Example) -> list[int]:
    """The likeliest token at every row under teacher forcing."""
    batch = collate([example])
    with torch.inference_mode():
        return model(batch.source, batch.target)[0].argmax(dim=-1).tolist()


def written(model: Transformer, source: list[int], limit: int) -> list[int]:
    """What the model writes by itself, greedily and without any rule."""
    target = [START_ID]
    with torch.inference_mode():
        while len(target) <= limit and target[-1] != END_ID:
            rows = model(torch.tensor([[*source, END_ID]]), torch.tensor([target]))
            target.append(int(rows[0, -1].argmax()))
    return target[1:]


def test_one_thing_is_changed_and_it_is_what_the_title_says() -> None:
    assert FAILURES.keys() == CHANGED.keys()
    healthy = dataclasses.asdict(HEALTHY)
    for name, failure in FAILURES.items():
        broken = dataclasses.asdict(failure.change(HEALTHY))
        assert [field for field, value in broken.items() if value != healthy[field]] == [CHANGED[name]]
        assert 0 <= failure.right < len(failure.answers) == len(set(failure.answers))
    broken = {name: failure.change(HEALTHY) for name, failure in FAILURES.items()}
    assert broken["rate"].peak == pytest.approx(100 * HEALTHY.peak)
    assert "× 100" in FAILURES["rate"].title
    for name in ("smoothing", "dropout"):
        assert getattr(broken[name], name) == 0.9
        assert "0.9" in FAILURES[name].title
    rates = [learning_rate_of(broken["warmup"])(step) for step in (1, 2, 100)]
    assert rates == [HEALTHY.peak] * 3  # no warm-up: the first step has the full rate


@pytest.mark.parametrize("language", sorted(path.stem for path in PROSE.glob("*.md")))
def test_each_failure_is_told_before_and_after(language: str) -> None:
    sections = set(re.findall(r"(?m)^## (.+?)\s*$", (PROSE / f"{language}.md").read_text()))
    assert {word for name in FAILURES for word in (name, f"{name}, why")} <= sections


@pytest.mark.slow
def test_labels_that_are_not_shifted_teach_to_repeat_the_input() -> None:
    model = trained(80, shift_labels=False)
    new = pairs(20)
    batch = collate(new)
    with torch.inference_mode():
        rows = model(batch.source, batch.target)
    repeated = F.nll_loss(rows.flatten(0, 1), batch.target.flatten())
    assert float(repeated) < 0.05  # the loss that it was trained for is almost nothing
    assert teacher_forced_nll(model, new) > float(torch.tensor(12.0).log())  # worse than guessing
    for example in new:
        assert argmax_of(model, example) == [START_ID, *example.target]
        assert written(model, example.source, 8) == [START_ID] * 8  # what it has just read, for ever


@pytest.mark.slow
def test_without_the_look_ahead_mask_the_loss_falls_and_writing_fails() -> None:
    model = trained(250, 9, masked=False)
    new = pairs(40, 9)
    assert teacher_forced_nll(model, new) < 0.2
    forced = sum(argmax_of(model, one) == [*one.target, END_ID] for one in new)
    free = sum(written(model, one.source, 10) == [*one.target, END_ID] for one in new)
    assert forced >= 30
    assert free <= forced / 3
    assert exactly_right(model, new) == free / 40  # the page's "all right" is not taken in


@pytest.mark.slow
def test_all_right_is_what_the_model_writes_itself() -> None:
    model = trained(110)
    new = pairs(60)
    free = [written(model, one.source, 8) == [*one.target, END_ID] for one in new]
    assert exactly_right(model, new) == sum(free) / 60
    assert 0 < sum(free) < 60
