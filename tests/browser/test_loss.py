"""A visitor on the page about the loss: another sentence and target, a row, another ε, and the model left alone."""

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect
from torch.nn import functional as F

from explainer.pages.frame.models import translator
from explainer.text.tokenizer import END_ID
from tests.browser.conftest import click, plot, query_has, query_is, typed, visit

MONEY, GERMAN = "I have some money.", "Ich habe kein Geld."
BARS = """plot => plot._fullData.filter(t => t.type === "bar").map(t => [...t.x])"""


def logits() -> tuple[torch.Tensor, torch.Tensor]:
    """Of the typed pair, and its labels."""
    ids = (*translator().checkpoint.tokenizer.encode(GERMAN), END_ID)
    trace = translator().trace(MONEY, ids)
    return torch.from_numpy(np.array(trace["head.hook_logits"])), torch.tensor(ids)


def test_a_visitor_types_a_target_picks_a_row_and_moves_epsilon(page: Page, server: str) -> None:
    visit(page, f"{server}/loss")
    typed(page, MONEY)
    page.get_by_role("textbox", name="German, the target").fill(GERMAN)
    query_is(page, "target", GERMAN)
    rows, labels = logits()
    ((*drawn,),) = plot(page, "forced").evaluate(BARS)
    np.testing.assert_allclose(drawn, F.cross_entropy(rows, labels, reduction="none").numpy(), atol=1e-5)
    click(page, "forced", "[1.45, 1]")
    query_is(page, "row", "2")
    plot(page, "forced").focus()
    page.keyboard.press("ArrowDown")
    query_is(page, "row", "3")
    page.get_by_role("slider", name="ε").first.press("End")
    query_is(page, "eps", "0.9")
    loss = float(F.cross_entropy(rows[2:3], labels[2:3], label_smoothing=0.9))
    expect(page.locator(".st-key-parts").first).to_contain_text(f"{loss:.4f}")
    gradient, tokens = plot(page, "gradient").evaluate(
        "plot => [[...plot._fullData[0].x], plot._fullData[0].customdata.map((part) => part[1])]"
    )
    leaf = rows.clone().requires_grad_()
    smoothed = F.cross_entropy(leaf[2:3], labels[2:3], label_smoothing=0.9)
    (expected,) = torch.autograd.grad(smoothed, leaf)
    np.testing.assert_allclose(gradient[:-1], expected[2, tokens[:-1]].numpy(), atol=1e-5)
    assert sum(gradient) == pytest.approx(0, abs=1e-5)


def test_a_change_and_a_reversed_target_act_together(page: Page, server: str) -> None:
    visit(page, f"{server}/loss?sentence=I+have+some+money.&what=uniform:cross")
    page.get_by_role("button", name="Reverse the words").click()
    query_has(page, "target")
    own = translator().translate(MONEY).text
    turned = " ".join(own.split()[::-1])
    assert page.get_by_role("textbox", name="German, the target").input_value() == turned
    before, after = plot(page, "forced").evaluate(BARS)
    ids = (*translator().checkpoint.tokenizer.encode(turned), END_ID)
    trace = translator().trace(MONEY, ids)
    np.testing.assert_allclose(before, -trace["head.hook_log_probs"][np.arange(len(ids)), ids], atol=1e-5)
    assert len(after) == len(ids)
    expect(page.locator(".st-key-parting").first).to_contain_text("part at position 1")
