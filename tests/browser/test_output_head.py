"""A visitor on the page about the output head, in a real browser."""

import numpy as np
from playwright.sync_api import Page, expect

from explainer.translator.translator import Translator
from explainer.whatif.changes import parse
from tests.browser.conftest import settle, visit
from tests.browser.test_translate import PLOT, cell_position

MONEY = "I have some money."


def drawn_bars(page: Page) -> dict[str, list[tuple[int | None, float]]]:
    """Name of each distribution → the token and the height of each bar."""
    found = page.locator(PLOT.format("candidates")).evaluate(
        "plot => plot._fullData.map(t => [t.name, t.customdata.map((part, i) => [part[1], t.x[i]])])"
    )
    return {name: [tuple(bar) for bar in bars] for name, bars in found}


def test_a_visitor_chooses_a_row_and_levels_cross_attention(page: Page, server: str) -> None:
    visit(page, f"{server}/output-head")
    box = page.get_by_role("textbox", name="English")
    box.fill(MONEY)
    box.press("Enter")
    translator = Translator.load()
    ids = translator.translate(MONEY).ids
    page.wait_for_function(
        "n => document.querySelector('.st-key-rows .plot')._fullLayout.xaxis.ticktext.length === n",
        arg=len(ids),
    )
    settle(page)
    page.mouse.click(*cell_position(page, "rows", 0, 1))
    page.wait_for_function("() => new URL(location.href).searchParams.get('row') === '2'")
    settle(page)
    page.locator(PLOT.format("rows")).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => Number(new URL(location.href).searchParams.get('row')) !== 2")
    settle(page)
    row = int(page.evaluate("() => new URL(location.href).searchParams.get('row')")) - 1
    plain = translator.trace(MONEY, ids)["head.hook_log_probs"][row]
    for token, height in drawn_bars(page)["model probability"][:-1]:
        assert abs(height - np.exp(plain[token])) < 1e-5
    page.get_by_text("Cross-attention looks evenly").click()
    expect(page.get_by_role("button", name="uniform attention: cross-attention")).to_be_visible(
        timeout=15_000
    )
    settle(page)
    changed = translator.trace(MONEY, ids, changes=(parse("uniform:cross"),))["head.hook_log_probs"][row]
    bars = drawn_bars(page)
    assert list(bars) == ["before", "after"]
    for name, expected in (("before", plain), ("after", changed)):
        assert all(abs(height - np.exp(expected[token])) < 1e-5 for token, height in bars[name][:-1])
        assert abs(sum(height for _, height in bars[name]) - 1) < 1e-4


def test_a_click_on_a_bar_tells_its_token(page: Page, server: str) -> None:
    visit(page, f"{server}/output-head?sentence=I+have+some+money.&row=1")
    (second, _) = drawn_bars(page)["model probability"][1]
    plot = page.locator(PLOT.format("candidates"))
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """plot => {
          const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
          return [box.left + xaxis._offset + 1, box.top + yaxis._offset + yaxis.d2p(1)];
        }"""
    )
    page.mouse.click(x, y)
    page.wait_for_function(f"() => new URL(location.href).searchParams.get('next') === '{second}'")
    settle(page)
    translator = Translator.load()
    logit = translator.trace(MONEY, translator.translate(MONEY).ids)["head.hook_logits"][0, second]
    told = page.locator(".st-key-logit-story").inner_text().replace("−", "-")
    assert f"The model has {logit:.4f} there" in told


def test_a_bar_is_chosen_by_keyboard(page: Page, server: str) -> None:
    visit(page, f"{server}/output-head?sentence=I+have+some+money.&row=1")
    (third, _) = drawn_bars(page)["model probability"][2]
    page.locator(PLOT.format("candidates")).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(400)  # a walk alone picks nothing
    assert "next=" not in page.url
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => new URL(location.href).searchParams.get('next') === '{third}'")
