"""A class that trains: a run is started, followed, paused, resumed, stopped, opened, and looked back at."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SIZE, drawn_matrix, plot, query_is, settle, visit

ACTIVE = 60_000  # milliseconds that a process may take on a busy machine to begin


def last_step(page: Page) -> float:
    """The last step of the learning curve."""
    return plot(page, "run-loss").evaluate("plot => Math.max(...plot._fullData[0].x)")


def begin(page: Page, name: str) -> None:
    page.get_by_text("More settings").click()
    for key, text in (("steps-reverse", "20000"), ("name-reverse", name)):  # it ends when it is told to
        field = page.locator(f".st-key-{key} input")
        field.fill(text)
        field.press("Enter")
        expect(field).to_have_value(text)
        settle(page)
    page.get_by_role("button", name="Start", exact=True).click()


@pytest.mark.slow
def test_a_run_from_start_to_time_machine(page: Page, server: str, browser: Browser) -> None:
    visit(page, f"{server}/train")
    begin(page, "mine")
    expect(page.get_by_text("running on cpu")).to_be_visible(timeout=ACTIVE)
    page.wait_for_selector(".st-key-run-loss .plot[data-drawn]", timeout=ACTIVE)
    before = last_step(page)
    page.wait_for_function(
        "before => Math.max(...document.querySelector('.st-key-run-loss .plot')._fullData[0].x) > before + 5",
        arg=before,
        timeout=ACTIVE,
    )

    context = browser.new_context(viewport=SIZE, reduced_motion="reduce")
    other = context.new_page()  # somebody else wants to train, too
    other.goto(f"{server}/train")
    expect(other.get_by_role("button", name="Start", exact=True)).to_be_visible(timeout=ACTIVE)
    begin(other, "yours")
    expect(other.get_by_text("number 1 in the queue")).to_be_visible(timeout=ACTIVE)
    other.locator(".st-key-stop-yours button").click()
    expect(other.get_by_text("· stopped")).to_be_visible(timeout=ACTIVE)
    context.close()

    page.reload()
    page.wait_for_selector(".st-key-run-loss .plot[data-drawn]", timeout=ACTIVE)
    assert "run=mine" in page.url
    assert last_step(page) > before
    page.locator(".st-key-pause-mine button").click()
    expect(page.get_by_text("· paused")).to_be_visible(timeout=ACTIVE)
    paused = last_step(page)
    page.locator(".st-key-resume-mine button").click()
    expect(page.get_by_text("running on cpu")).to_be_visible(timeout=ACTIVE)
    page.wait_for_function(
        "step => Math.max(...document.querySelector('.st-key-run-loss .plot')._fullData[0].x) > step + 5",
        arg=paused,
        timeout=2 * ACTIVE,
    )
    page.locator(".st-key-stop-mine button").click()
    expect(page.get_by_text("· stopped")).to_be_visible(timeout=ACTIVE)

    page.get_by_role("button", name="Use it on all pages").click()
    expect(page.get_by_role("button", name="Model: mine")).to_be_visible(timeout=ACTIVE)
    visit(page, f"{server}/self-attention?model=mine&sentence=a+b+c&layer=1&head=1")
    weights = drawn_matrix(page, "made")
    assert [round(sum(row), 3) for row in weights] == [1.0] * 4  # a, b, c, </s>
    visit(page, f"{server}/time-machine?run=mine&sentence=a+b+c&moment=1&kind=encoder&layer=1&head=1")
    first = drawn_matrix(page, "moment-matrix")
    page.get_by_role("button", name="Next step").click()
    query_is(page, "moment", "2")
    assert drawn_matrix(page, "moment-matrix") != first
