"""A visitor on the strategies page: watches the proof, selects a strategy, draws anew, shares the link."""

import math

from playwright.sync_api import Page, expect

from explainer.decode.search.beam import greedy
from explainer.decode.search.exact import ExactRules, exact_search
from explainer.decode.search.sampling import SamplingRules, sample
from explainer.figures.style import number
from tests.browser.conftest import click_part, plot, query_is, settle, visit
from tests.pages.app import limit, source

SCORES = "plot => Object.fromEntries(plot._fullData[0].customdata.map((one, i) => [one[1], plot._fullData[0].x[i]]))"


def test_the_proof_a_strategy_and_another_draw(page: Page, server: str) -> None:
    visit(page, f"{server}/strategies?sentence=I+have+some+money.")
    exact = page.locator(".st-key-exact").first
    expect(exact).to_contain_text("Proved", timeout=30_000)  # by itself, without a click
    expect(page.locator(".st-key-exact-stop")).to_have_count(0, timeout=30_000)
    settle(page)
    first = greedy(source(), limit())
    *_, last = exact_search(source(), ExactRules(max_new_tokens=limit()), first)
    assert last.best is not None
    scores = plot(page, "strategies").evaluate(SCORES)
    assert math.isclose(scores["greedy"], first.log_prob, abs_tol=1e-4)
    assert math.isclose(scores["exact search"], last.best.log_prob, abs_tol=1e-4)
    click_part(page, "strategies", 'data[1] === "greedy"')
    query_is(page, "strategy", "greedy")
    expect(page.locator(".st-key-selected-sum").first).to_contain_text("greedy")
    seed = page.get_by_role("spinbutton", name="Seed")
    seed.fill("11")
    seed.press("Enter")
    query_is(page, "seed", "11")
    *_, drawn = sample(source(), SamplingRules(top_p=0.9, seed=11, max_new_tokens=limit()))
    lines = page.locator(".st-key-samples-lines").first
    expect(lines).to_contain_text(number(drawn.log_prob, 3))
    expect(lines).to_contain_text(number(drawn.drawn_log_prob, 3))
    told = lines.inner_text()
    visit(page, page.url)  # whoever opens the link
    expect(page.locator(".st-key-selected-sum").first).to_contain_text("greedy")
    assert page.locator(".st-key-samples-lines").first.inner_text() == told


def test_a_long_search_is_stopped_and_goes_on(page: Page, server: str) -> None:
    visit(
        page,
        f"{server}/strategies?sentence=Colorless+green+ideas+sleep+furiously.&penalty=gnmt&budget=100000",
    )
    exact = page.locator(".st-key-exact").first
    page.locator(".st-key-exact-stop button").click()  # Streamlit has a Stop of its own
    expect(page.get_by_role("button", name="Go on")).to_be_visible(timeout=30_000)
    settle(page)
    stopped = exact.inner_text()
    page.wait_for_timeout(1200)
    assert exact.inner_text() == stopped
    page.get_by_role("button", name="Go on").click()
    expect(exact).not_to_have_text(stopped, timeout=30_000)
