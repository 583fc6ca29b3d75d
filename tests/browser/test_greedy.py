"""A visitor on the page about greedy decoding, in a real browser."""

from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from explainer.decode.sources.batch import source_batch
from explainer.decode.watched.walk import Walk, walk
from explainer.pages.frame.models import translator
from tests.browser.conftest import click, plot, query_is, settle, typed, visit
from tests.pages.app import MONEY


@cache
def decoded(sentence: str) -> Walk:
    return walk(translator().checkpoint.model, source_batch([translator().source_ids(sentence)]), "cache")


def bars(page: Page) -> tuple[list[int], list[float]]:
    """Tokens and probabilities of the bars, without the last, which is all others."""
    tokens, heights = plot(page, "candidates").evaluate(
        "plot => [plot._fullData[0].customdata.map(one => one[1]), [...plot._fullData[0].x]]"
    )
    return tokens[:-1], heights[:-1]


def shows(page: Page, sentence: str, step: int) -> None:
    """The bars, the label and the sum are those of this step."""
    found = decoded(sentence)
    tokens, heights = bars(page)
    assert tokens[0] == found.tokens[step]
    assert heights == pytest.approx(np.exp(found.log_probs[step, tokens]).tolist(), abs=1e-5)
    total = f"{found.sums[step]:.4f}".replace("-", "−")
    expect(page.locator(".st-key-choice")).to_contain_text(f"The model has {total} there")
    expect(page.locator(".stepper .label")).to_contain_text(f"{step + 1} of {len(found.tokens)}")


def test_steps_by_keyboard_in_both_modes_and_play_to_the_end(page: Page, server: str) -> None:
    visit(page, f"{server}/greedy?sentence=I+love+my+new+watch.")
    typed(page, MONEY)
    page.locator("h1").click()  # the arrow keys belong to the input while it has the focus
    for key, step in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        query_is(page, "row", str(step + 1))
        shows(page, MONEY, step)
    before = bars(page)
    page.get_by_role("radio", name="re-feed everything").click()
    query_is(page, "decoder", "re-feed")
    tokens, heights = bars(page)
    assert tokens == before[0]
    assert heights == pytest.approx(before[1], abs=1e-5)
    queries = plot(page, "computed").evaluate("plot => [...plot._fullData[1].z[0]].slice(0, 2)")
    assert queries == [2, 2]  # Q of both tokens is computed
    page.get_by_role("button", name="Play or pause").click()
    n = len(decoded(MONEY).tokens)
    page.wait_for_function(
        "n => new URL(location.href).searchParams.get('row') === n", arg=str(n), timeout=30_000
    )
    settle(page)
    shows(page, MONEY, n - 1)
    expect(page.locator(".stepper .label")).to_contain_text("→ </s>")


def test_a_click_on_a_bar_tries_another_token_and_the_link_keeps_it(page: Page, server: str) -> None:
    visit(page, f"{server}/greedy?sentence=I+have+some+money.&row=2")
    token = bars(page)[0][1]
    click(page, "candidates", "[plot._fullData[0].x[1] / 2 + 0.001, 1]")
    query_is(page, "next", f"2.{token}")
    expect(page.locator(".st-key-detour")).to_contain_text("instead, then greedy")
    told = page.locator(".st-key-detour").inner_text()
    visit(page, page.url)
    assert page.locator(".st-key-detour").inner_text() == told
    page.keyboard.press("ArrowLeft")
    query_is(page, "row", "1")
    expect(page.locator(".st-key-detour")).not_to_contain_text("instead, then greedy")
