"""A visitor on the page about beam search, in a real browser."""

import json
import math

import pytest
from playwright.sync_api import Page, expect

from explainer.pages.frame.models import translator
from tests.browser.conftest import click, plot, query_is, visit
from tests.pages.app import MONEY, traced

NODES = "plot._fullData.find((trace) => trace.name === 'nodes')"
CARDS = f"plot => (({{x, y, text}}) => JSON.stringify([[...x], [...y], text]))({NODES})"
CARD = f"""(({{x, y, text}}) => {{
  const i = text.findIndex(text => text.startsWith('<b>PIECE</b>'));
  return [x[i], y[i]];
}})({NODES})"""


def cards(page: Page) -> list[tuple[float, float, str]]:
    """Where the cards of the tree stand, and what they tell."""
    return list(zip(*json.loads(plot(page, "tree").evaluate(CARDS)), strict=True))


def test_a_step_moves_nothing_and_a_card_and_a_bar_are_picked(page: Page, server: str) -> None:
    visit(page, f"{server}/beam-search?sentence=I+have+some+money.&at=2&ghost=off")
    first = cards(page)
    page.keyboard.press("ArrowRight")
    query_is(page, "at", "3")
    assert len(cards(page)) > len(first)
    assert set(first) <= set(cards(page)), "nothing has moved"
    ids = translator().translate(MONEY).ids
    click(page, "tree", CARD.replace("PIECE", translator().checkpoint.tokenizer.piece(ids[1]).strip()))
    query_is(page, "node", f"{ids[0]}.{ids[1]}")
    log_probs = traced(MONEY)["head.hook_log_probs"]
    arithmetic = page.locator(".st-key-arithmetic").inner_text().replace("−", "-")
    assert f"{sum(float(log_probs[i, ids[i]]) for i in range(2)):.3f}" in arithmetic
    drawn = plot(page, "next").evaluate("plot => [...plot._fullData[0].x]")
    expected = sorted(map(float, log_probs[2]), reverse=True)
    assert drawn[:10] == pytest.approx([math.exp(value) for value in expected[:10]], abs=1e-5)
    click(page, "next", "[0.99 * xaxis.range[0] + 0.01 * xaxis.range[1], 0]")
    query_is(page, "force", f"{ids[0]}.{ids[1]}:{ids[2]}")
    expect(page.locator(".st-key-forced-0")).to_be_visible()
