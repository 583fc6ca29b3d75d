"""A visitor on the strategies page: the proof goes on by itself, a strategy is selected, a long search is stopped."""

import math

from playwright.sync_api import Page, expect

from explainer.decode.search.beam import greedy
from tests.browser.conftest import click_part, plot, query_is, settle, visit
from tests.pages.app import limit, source

SCORES = "plot => Object.fromEntries(plot._fullData[0].customdata.map((one, i) => [one[1], plot._fullData[0].x[i]]))"


def test_the_proof_goes_on_by_itself_and_a_long_search_is_stopped(page: Page, server: str) -> None:
    visit(page, f"{server}/strategies?sentence=I+have+some+money.")
    exact = page.locator(".st-key-exact").first
    expect(exact).to_contain_text("Proved", timeout=30_000)  # without a click
    expect(page.locator(".st-key-exact-stop")).to_have_count(0, timeout=30_000)
    settle(page)
    scores = plot(page, "strategies").evaluate(SCORES)
    assert math.isclose(scores["greedy"], greedy(source(), limit()).log_prob, abs_tol=1e-4)
    assert scores["exact search"] >= max(scores.values())
    click_part(page, "strategies", 'data[1] === "greedy"')
    query_is(page, "strategy", "greedy")
    expect(page.locator(".st-key-selected-sum").first).to_contain_text("greedy")

    visit(
        page,
        f"{server}/strategies?sentence=Colorless+green+ideas+sleep+furiously.&penalty=gnmt&budget=100000",
    )
    page.locator(".st-key-exact-stop button").click()  # Streamlit has a Stop of its own
    go_on = page.get_by_role("button", name="Go on")
    expect(go_on).to_be_visible(timeout=30_000)
    settle(page)
    stopped = exact.inner_text()
    page.wait_for_timeout(1200)
    assert exact.inner_text() == stopped
    go_on.click()
    expect(exact).not_to_have_text(stopped, timeout=30_000)
