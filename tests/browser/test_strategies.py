"""A visitor on the strategies page: watches the proof, selects a strategy, draws anew, shares the link."""

import math

from playwright.sync_api import Page, expect

from explainer.decode.search.beam import greedy
from explainer.decode.search.exact import ExactRules, exact_search
from explainer.decode.search.sampling import SamplingRules, sample
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.figures.style import number
from explainer.pages.frame.models import translator
from tests.browser.conftest import settle, visit

MONEY = "I have some money."
SCORES = (
    "() => { const t = document.querySelector('.st-key-strategies .plot')._fullData[0]; return [...t.x]; }"
)
NAMES = (
    "() => document.querySelector('.st-key-strategies .plot')._fullData[0].customdata.map((one) => one[1])"
)


def source() -> CachedModel:
    return CachedModel(translator().checkpoint.model, source_batch([translator().source_ids(MONEY)]))


def limit() -> int:
    return translator().limit_for(len(translator().source_ids(MONEY)))


def test_the_proof_a_strategy_and_another_draw(page: Page, server: str) -> None:
    visit(page, f"{server}/strategies?sentence=I+have+some+money.")
    exact = page.locator(".st-key-exact").first
    expect(exact).to_contain_text("Proved", timeout=30_000)  # by itself, without a click
    expect(page.locator(".st-key-exact-stop")).to_have_count(0, timeout=30_000)
    settle(page)
    first = greedy(source(), limit())
    *_, last = exact_search(source(), ExactRules(max_new_tokens=limit()), first)
    assert last.best is not None
    scores = dict(zip(page.evaluate(NAMES), page.evaluate(SCORES), strict=True))
    assert math.isclose(scores["greedy"], first.log_prob, abs_tol=1e-4)
    assert math.isclose(scores["exact search"], last.best.log_prob, abs_tol=1e-4)
    plot = page.locator(".st-key-strategies .plot")
    x, y = plot.evaluate(
        """plot => {
          const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout, dots = plot._fullData[0];
          const i = dots.customdata.findIndex((one) => one[1] === "greedy");
          return [box.left + xaxis._offset + xaxis.d2p(dots.x[i]), box.top + yaxis._offset + yaxis.d2p(dots.y[i])];
        }"""
    )
    page.mouse.click(x, y)
    page.wait_for_function("() => new URL(location.href).searchParams.get('strategy') === 'greedy'")
    settle(page)
    expect(page.locator(".st-key-selected-sum").first).to_contain_text("greedy")
    seed = page.get_by_role("spinbutton", name="Seed")
    seed.fill("11")
    seed.press("Enter")
    page.wait_for_function("() => new URL(location.href).searchParams.get('seed') === '11'")
    settle(page)
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
