"""The words of the pages: no number of one checkpoint, nothing left open, every sentence of a task one click away."""

import re

import pytest

from explainer.pages.frame.layout import filled
from explainer.pages.frame.models import translator
from explainer.pages.frame.page import tasks
from explainer.pages.frame.session import _PAGES

NAMES = ("translate", "tokens", "positions", "self_attention", "multi_head", "masks", "blocks",
         "cross_attention", "output_head")  # fmt: skip


def prose_of(name: str) -> str:
    return (_PAGES / name / "en.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_no_size_of_the_model_is_written_into_the_prose(name: str) -> None:
    config = translator().checkpoint.model.config
    sizes = {config.d_model, config.d_head, config.d_ff, config.vocab_size, config.max_positions}
    numbers = {int(found) for found in re.findall(r"\d+", prose_of(name).replace(",", ""))}
    assert not sizes & numbers


def test_tasks_are_read_from_a_list() -> None:
    first, second = tasks("1. Look at\n   this.\n   - One dog.\n   - Two dogs.\n2. And that?\n")
    assert (first.text, first.sentences) == ("Look at this.", ("One dog.", "Two dogs."))
    assert (second.text, second.sentences) == ("And that?", ())


def test_a_gap_that_nothing_fills_is_an_error() -> None:
    assert filled("$\\sqrt{‹d_k›}$", d_k=64) == "$\\sqrt{64}$"
    with pytest.raises(KeyError):
        filled("‹d_v›", d_k=64)
