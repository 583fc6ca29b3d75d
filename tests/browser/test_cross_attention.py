"""A visitor on the cross-attention page: another sentence, a cell, a change that goes along to another page."""

import numpy as np
from playwright.sync_api import Page, expect

from explainer.pages.frame.models import translator
from explainer.whatif.attention import HeadOff, Uniform
from explainer.whatif.change import Where
from tests.browser.conftest import settle, visit
from tests.browser.test_translate import cell_position, drawn_matrix

MONEY = "I have some money."
PATH = "decoder.layers.1.cross_attention.attend.hook_weights"


def weights(sentence: str, *changes: HeadOff | Uniform) -> np.ndarray:
    ids = translator().translate(sentence).ids
    return translator().trace(sentence, ids, changes=changes)[PATH][2]


def test_another_sentence_a_cell_and_a_change(page: Page, server: str) -> None:
    visit(page, f"{server}/cross-attention?sentence=I+love+my+new+watch.&layer=2&head=3")
    page.get_by_role("textbox", name="English").fill(MONEY)
    page.wait_for_function("() => new URL(location.href).searchParams.get('sentence')?.includes('money')")
    settle(page)
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), weights(MONEY), atol=1e-6)
    page.mouse.click(*cell_position(page, "matrix", 1, 3))
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell') === '2.4'")
    settle(page)
    story = page.locator(".st-key-story").first.inner_text()
    assert f"The model has {weights(MONEY)[1, 3]:.4f} there" in story
    page.get_by_text("Let layer 2, head 3 look evenly").click()
    expect(page.locator(".st-key-whatif-bar")).to_be_visible(timeout=15_000)
    settle(page)
    changed = weights(MONEY, Uniform(Where("cross", 1, 2)))
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), changed, atol=1e-6)
    assert np.ptp(changed) < 1e-6


def test_a_change_goes_along_and_can_be_taken_back(page: Page, server: str) -> None:
    visit(page, f"{server}/cross-attention?sentence=I+have+some+money.&what=off:cross.2.3")
    bar = page.locator(".st-key-whatif-bar")
    expect(bar).to_contain_text("head off")
    plot = page.locator(".st-key-slim .plot")
    x, y = plot.evaluate(
        """plot => {
          const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
          for (const trace of plot._fullData) {
            const i = (trace.customdata ?? []).findIndex((data) => data?.[0] === "output_head");
            if (i < 0) continue;
            return [box.left + xaxis._offset + xaxis.d2p(trace.x[i]), box.top + yaxis._offset + yaxis.d2p(trace.y[i])];
          }
        }"""
    )
    page.mouse.click(x, y)
    page.wait_for_function("() => new URL(location.href).pathname === '/output-head'")
    settle(page)
    expect(bar).to_contain_text("head off")
    assert "what=off" in page.url
    page.get_by_role("button", name="head off").click()
    expect(bar).to_have_count(0, timeout=15_000)
    page.wait_for_function("() => !location.href.includes('what=')")


def test_an_unknown_change_in_a_link_is_dropped_and_said(page: Page, server: str) -> None:
    visit(page, f"{server}/cross-attention?sentence=I+have+some+money.&what=off:cross.9.9~nonsense")
    expect(page.get_by_test_id("stToast")).to_contain_text("dropped")
    assert page.locator(".st-key-whatif-bar").count() == 0
    assert "what=" not in page.url
