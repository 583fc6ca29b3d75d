"""The language of a visitor in a real browser."""

from playwright.sync_api import Page

from explainer.language import PSEUDO, pseudo
from tests.browser.conftest import query_is, visit

HOVERS = "() => [...document.querySelectorAll('.panel .plot')].flatMap(plot => plot.data.map(one => one.hovertemplate))"


def test_a_part_that_runs_alone_speaks_the_language_of_its_visitor(page: Page, server: str) -> None:
    """A click into what the page shows runs that alone, in a new thread, without main.py."""
    visit(page, f"{server}/self-attention?language={PSEUDO}&sentence=I+have+some+money.")
    main = page.locator("[data-testid=stMain]")
    text, before = main.inner_text(), page.evaluate(HOVERS)
    page.locator(".stepper button").first.click()  # back to the beginning
    query_is(page, "step", "1")
    after = page.evaluate(HOVERS)
    assert main.inner_text() != text  # it was drawn anew
    for hovers in (before, after):
        matrices = [told for told in hovers if told and "%{z:.3f}" in told]
        assert matrices
        assert all(told.startswith(pseudo("row %{y}, column %{x}: %{z:.3f}")) for told in matrices)
