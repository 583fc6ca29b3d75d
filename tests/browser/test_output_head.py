"""A visitor on the page about the output head, in a real browser."""

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.conftest import click, plot, query_has, query_is, settle, typed, visit
from tests.pages.app import MONEY, traced


def drawn_bars(page: Page) -> dict[str, list[tuple[int | None, float]]]:
    """Name of each distribution → the token and the height of each bar."""
    found = plot(page, "candidates").evaluate(
        "plot => plot._fullData.map(t => [t.name, t.customdata.map((part, i) => [part[1], t.x[i]])])"
    )
    return {name: [tuple(bar) for bar in bars] for name, bars in found}


def test_a_visitor_chooses_a_row_and_levels_cross_attention(page: Page, server: str) -> None:
    visit(page, f"{server}/output-head")
    typed(page, MONEY)
    click(page, "rows", "[1, 0]")
    query_is(page, "row", "2")
    plot(page, "rows").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => Number(new URL(location.href).searchParams.get('row')) !== 2")
    settle(page)
    row = int(query_has(page, "row")) - 1
    plain = traced(MONEY)["head.hook_log_probs"][row]
    for token, height in drawn_bars(page)["model probability"][:-1]:
        assert abs(height - np.exp(plain[token])) < 1e-5
    page.get_by_text("Cross-attention looks evenly").click()
    chip = page.get_by_role("button", name="uniform attention: cross-attention")
    expect(chip).to_be_visible(timeout=15_000)
    settle(page)
    changed = traced(MONEY, "uniform:cross")["head.hook_log_probs"][row]
    bars = drawn_bars(page)
    assert list(bars) == ["before", "after"]
    for name, expected in (("before", plain), ("after", changed)):
        assert all(abs(height - np.exp(expected[token])) < 1e-5 for token, height in bars[name][:-1])
        assert abs(sum(height for _, height in bars[name]) - 1) < 1e-4


def test_a_bar_is_chosen_by_click_and_by_keyboard(page: Page, server: str) -> None:
    visit(page, f"{server}/output-head?sentence=I+have+some+money.&row=1")
    (_, (second, _), (third, _), *_) = drawn_bars(page)["model probability"]
    assert second is not None
    plot(page, "candidates").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(400)  # a walk alone picks nothing
    assert "next=" not in page.url
    page.keyboard.press("Enter")
    query_is(page, "next", str(third))
    click(page, "candidates", "[0.996 * xaxis.range[0] + 0.004 * xaxis.range[1], 1]")
    query_is(page, "next", str(second))
    logit = traced(MONEY)["head.hook_logits"][0, second]
    told = page.locator(".st-key-logit-story").inner_text().replace("−", "-")
    assert f"The model has {logit:.4f} there" in told
