"""A visitor on the page about masks: another sentence, a cell by keyboard, the mask removed."""

import numpy as np
from playwright.sync_api import Page, expect

from explainer.pages.frame.models import translator
from explainer.whatif.attention import NoLookAheadMask
from tests.browser.conftest import settle, visit
from tests.browser.test_translate import PLOT, drawn_matrix

MONEY = "I have some money."
PATH = "decoder.layers.0.self_attention.attend.hook_weights"


def test_the_mask_removed_changes_what_the_figure_shows(page: Page, server: str) -> None:
    visit(page, f"{server}/masks?sentence=I+love+my+new+watch.&kind=decoder&layer=1&head=2")
    page.get_by_role("textbox", name="English").fill(MONEY)
    page.wait_for_function("() => new URL(location.href).searchParams.get('sentence')?.includes('money')")
    settle(page)
    ids = translator().translate(MONEY).ids
    plain = translator().trace(MONEY, ids)[PATH][1]
    drawn = np.array(drawn_matrix(page, "weights"), dtype=float)
    hidden = np.triu(np.ones_like(plain, dtype=bool), 1)
    assert np.isnan(drawn[hidden]).all()
    np.testing.assert_allclose(drawn[~hidden], plain[~hidden], atol=1e-6)
    page.locator(PLOT.format("masked")).focus()
    page.keyboard.press("Home")
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell')?.endsWith('.1')")
    settle(page)
    page.get_by_text("Remove the look-ahead mask of the decoder").click()
    expect(page.locator(".st-key-whatif-bar")).to_contain_text("no look-ahead mask", timeout=15_000)
    settle(page)
    changed = translator().trace(MONEY, ids, changes=(NoLookAheadMask(),))[PATH][1]
    np.testing.assert_allclose(drawn_matrix(page, "weights"), changed, atol=1e-6)
    assert (changed[hidden] > 0).all()
