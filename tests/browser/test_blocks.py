"""A visitor on the page about blocks, in a real browser."""

import numpy as np
from playwright.sync_api import Page, expect

from explainer.measures.flow import stream
from tests.browser.conftest import (
    click,
    click_part,
    drawn_matrix,
    plot,
    query_has,
    query_is,
    settle,
    typed,
    visit,
)
from tests.pages.app import MONEY, traced


def test_a_visitor_follows_a_number_and_takes_the_residual_away(page: Page, server: str) -> None:
    visit(page, f"{server}/blocks?side=encoder&layer=1&sublayer=self_attention")
    typed(page, MONEY)
    click(page, "matrix", "[100, 2]")
    query_has(page, "cell", "3.")
    plot(page, "matrix").focus()
    page.keyboard.press("ArrowDown")
    dim = int(query_has(page, "cell", "4.").partition(".")[2]) - 1
    total = traced(MONEY)["encoder.layers.0.self_attention_residual.hook_sum"]
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), total, atol=1e-5)
    told = page.locator(".st-key-story").inner_text().replace("−", "-")
    assert f"The model has {total[3, dim]:.4f} there" in told

    page.get_by_text("No residual here").click()
    expect(page.get_by_role("button", name="no residual: encoder layer 1")).to_be_visible(timeout=15_000)
    settle(page)
    changed = traced(MONEY, "unadded:encoder.1.self_attention")
    update = changed["encoder.layers.0.self_attention.hook_output"]
    np.testing.assert_allclose(drawn_matrix(page, "matrix"), update, atol=1e-5)
    lines = plot(page, "depth").evaluate(
        "plot => Object.fromEntries(plot._fullData.filter(t => t.xaxis === 'x').map(t => [t.name, [...t.y]]))"
    )
    expected = stream(changed, "encoder")[:, 3]
    np.testing.assert_allclose(lines["selected token"], expected, rtol=1e-4)


def test_a_click_on_the_flow_opens_the_stage(page: Page, server: str) -> None:
    visit(page, f"{server}/blocks?sentence=I+have+some+money.&side=decoder&layer=1&sublayer=feed_forward")
    click_part(page, "block", 'data[1] === "relu"')
    query_is(page, "stage", "relu")
    assert min(min(row) for row in drawn_matrix(page, "units")) == 0.0
