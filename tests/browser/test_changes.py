"""Changes to the pass: what a link says and nothing knows is dropped, a switch draws anew, and all goes along."""

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    click_part,
    drawn_matrix,
    linked,
    query_is,
    settle,
    typed,
    visit,
    wait_until,
)
from tests.pages.app import MONEY, traced

PATH = "decoder.layers.1.cross_attention.attend.hook_weights"


def test_a_change_is_made_goes_along_and_is_taken_back(page: Page, server: str) -> None:
    page.goto(
        f"{server}/cross-attention?sentence=I+love+my+new+watch.&layer=2&head=3&what=off:cross.9.9~nonsense"
    )
    expect(page.get_by_test_id("stToast")).to_contain_text("dropped", timeout=60_000)
    query_is(page, "what", None)
    bar = page.locator(".st-key-whatif-bar")
    assert bar.count() == 0
    typed(page, MONEY)
    plain, changed = (traced(MONEY, *specs)[PATH][2] for specs in ((), ("uniform:cross.2.3",)))
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), plain, atol=1e-6)
    page.get_by_text("Let layer 2, head 3 look evenly").click()
    query_is(page, "what", "uniform:cross.2.3")
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), changed, atol=1e-6)

    visit(page, page.url)  # whoever opens the link sees the same, and no message in front of the map
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), changed, atol=1e-6)
    click_part(page, "slim", 'data[0] === "output_head"')
    wait_until(page, "() => new URL(location.href).pathname === '/output-head'")
    settle(page)
    assert linked(page)["what"] == "uniform:cross.2.3"
    bar.get_by_role("button", name="uniform attention").click()
    query_is(page, "what", None)
    assert bar.count() == 0
