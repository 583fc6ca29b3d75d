"""A visitor on the page about masks: another sentence, a cell by keyboard, the mask removed."""

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.conftest import drawn_matrix, plot, settle, typed, visit
from tests.pages.app import MONEY, traced

PATH = "decoder.layers.0.self_attention.attend.hook_weights"


def test_the_mask_removed_changes_what_the_figure_shows(page: Page, server: str) -> None:
    visit(page, f"{server}/masks?sentence=I+love+my+new+watch.&kind=decoder&layer=1&head=2")
    typed(page, MONEY)
    plain, changed = (traced(MONEY, *specs)[PATH][1] for specs in ((), ("ahead",)))
    drawn = np.array(drawn_matrix(page, "weights"), dtype=float)
    hidden = np.triu(np.ones_like(plain, dtype=bool), 1)
    assert np.isnan(drawn[hidden]).all()
    np.testing.assert_allclose(drawn[~hidden], plain[~hidden], atol=1e-6)
    plot(page, "masked").focus()
    page.keyboard.press("Home")
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell')?.endsWith('.1')")
    settle(page)
    page.get_by_text("Remove the look-ahead mask of the decoder").click()
    expect(page.locator(".st-key-whatif-bar")).to_contain_text("no look-ahead mask", timeout=15_000)
    settle(page)
    np.testing.assert_allclose(drawn_matrix(page, "weights"), changed, atol=1e-6)
    assert (changed[hidden] > 0).all()
