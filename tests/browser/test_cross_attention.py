"""A visitor on the cross-attention page: another sentence, a cell, a change that goes along to another page."""

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.conftest import click, click_part, drawn_matrix, query_is, settle, typed, visit
from tests.pages.app import MONEY, traced

PATH = "decoder.layers.1.cross_attention.attend.hook_weights"


def test_another_sentence_a_cell_and_a_change(page: Page, server: str) -> None:
    page.goto(
        f"{server}/cross-attention?sentence=I+love+my+new+watch.&layer=2&head=3&what=off:cross.9.9~nonsense"
    )
    expect(page.get_by_test_id("stToast")).to_contain_text(
        "dropped", timeout=60_000
    )  # what a link says and nothing knows
    query_is(page, "what", None)
    assert page.locator(".st-key-whatif-bar").count() == 0
    typed(page, MONEY)
    plain, changed = (traced(MONEY, *specs)[PATH][2] for specs in ((), ("uniform:cross.2.3",)))
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), plain, atol=1e-6)
    click(page, "matrix", "[3, 1]")
    query_is(page, "cell", "2.4")
    assert f"The model has {plain[1, 3]:.4f} there" in page.locator(".st-key-story").first.inner_text()
    page.get_by_text("Let layer 2, head 3 look evenly").click()
    expect(page.locator(".st-key-whatif-bar")).to_be_visible(timeout=15_000)
    settle(page)
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), changed, atol=1e-6)
    assert np.ptp(changed) < 1e-6


def test_a_change_goes_along_and_can_be_taken_back(page: Page, server: str) -> None:
    visit(page, f"{server}/cross-attention?sentence=I+have+some+money.&what=off:cross.2.3")
    bar = page.locator(".st-key-whatif-bar")
    expect(bar).to_contain_text("head off")
    click_part(page, "slim", 'data[0] === "output_head"')
    page.wait_for_function("() => new URL(location.href).pathname === '/output-head'")
    settle(page)
    expect(bar).to_contain_text("head off")
    assert "what=off" in page.url
    page.get_by_role("button", name="head off").click()
    expect(bar).to_have_count(0, timeout=15_000)
    query_is(page, "what", None)
