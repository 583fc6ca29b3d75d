"""A visitor on the page about blocks, in a real browser."""

import numpy as np
from playwright.sync_api import Page, expect

from explainer.measures.flow import stream
from explainer.translator.translator import Translator
from explainer.whatif.changes import parse
from tests.browser.conftest import settle, visit
from tests.browser.test_translate import PLOT, cell_position, drawn_matrix

MONEY = "I have some money."


def test_a_visitor_follows_a_number_and_takes_the_residual_away(page: Page, server: str) -> None:
    visit(page, f"{server}/blocks?side=encoder&layer=1&sublayer=self_attention")
    box = page.get_by_role("textbox", name="English")
    box.fill(MONEY)
    box.press("Enter")
    page.wait_for_function(
        "() => document.querySelector('.st-key-matrix .plot')._fullLayout.yaxis.ticktext.length === 6"
    )
    settle(page)
    page.mouse.click(*cell_position(page, "matrix", 2, 100))
    page.wait_for_function("() => /^3\\.[0-9]+$/.test(new URL(location.href).searchParams.get('cell'))")
    settle(page)
    page.locator(PLOT.format("matrix")).focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell').startsWith('4.')")
    settle(page)
    translator = Translator.load()
    ids = translator.translate(MONEY).ids
    dim = int(page.evaluate("() => new URL(location.href).searchParams.get('cell').split('.')[1]")) - 1
    total = translator.trace(MONEY, ids)["encoder.layers.0.self_attention_residual.hook_sum"]
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), total, atol=1e-5)
    told = page.locator(".st-key-story").inner_text().replace("−", "-")
    assert f"The model has {total[3, dim]:.4f} there" in told

    page.get_by_text("No residual here").click()
    expect(page.get_by_role("button", name="no residual: encoder layer 1")).to_be_visible(timeout=15_000)
    settle(page)
    changed = translator.trace(MONEY, ids, changes=(parse("unadded:encoder.1.self_attention"),))
    update = changed["encoder.layers.0.self_attention.hook_output"]
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), update, atol=1e-5)
    lines = page.locator(PLOT.format("depth")).evaluate(
        "plot => Object.fromEntries(plot._fullData.filter(t => t.xaxis === 'x').map(t => [t.name, [...t.y]]))"
    )
    expected = stream(changed, "encoder")[:, 3]
    np.testing.assert_allclose(lines["selected token"], expected, rtol=1e-4)


def test_a_click_on_the_flow_opens_the_stage(page: Page, server: str) -> None:
    visit(page, f"{server}/blocks?sentence=I+have+some+money.&side=decoder&layer=1&sublayer=feed_forward")
    plot = page.locator(PLOT.format("block"))
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """plot => {
          const dots = plot._fullData.at(-1), i = dots.customdata.findIndex(part => part[1] === 'relu');
          const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
          return [box.left + xaxis._offset + xaxis.d2p(dots.x[i]), box.top + yaxis._offset + yaxis.d2p(dots.y[i])];
        }"""
    )
    page.mouse.click(x, y)
    page.wait_for_function("() => new URL(location.href).searchParams.get('stage') === 'relu'")
    settle(page)
    assert min(min(row) for row in drawn_matrix(page, "units")) == 0.0
