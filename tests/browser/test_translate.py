"""A visitor on the Translate page, in a real browser."""

from typing import Literal
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from explainer.figures.style import DARK, LIGHT
from tests.browser.conftest import (
    SIZE,
    click,
    click_part,
    drawn_matrix,
    linked,
    plot,
    query_has,
    query_is,
    settle,
    typed,
    visit,
    wait_until,
)  # fmt: skip
from tests.pages.app import MONEY

FOX = "The quick brown fox jumps over the lazy dog."


def test_the_translation_follows_the_typing(page: Page, server: str) -> None:
    visit(page, server)
    before = page.locator(".st-key-translation h2").inner_text()
    box = page.get_by_role("textbox", name="English")
    box.fill("")
    box.press_sequentially(FOX, delay=15)
    expect(page.locator(".st-key-translation h2")).not_to_have_text(before, timeout=15_000)
    query_has(page, "sentence", "The quick.+")  # nobody has pressed Enter
    assert len(drawn_matrix(page, "attention")[0]) >= len(FOX.split())

    markup = "<b>bold</b> & <script>window.hacked = 1</script> $\\href{x}{y}$ <s>"
    typed(page, markup)
    assert page.evaluate("() => window.hacked") is None
    labels = plot(page, "attention").evaluate(
        "plot => [...plot.querySelectorAll('.xtick text')].map(e => e.textContent)"
    )
    assert "<0x3C>" in labels  # the byte of "<", as the tokenizer spells it: Plotly took it for no tag
    assert labels[-1] == "</s>"


def test_cells_and_heads_are_chosen_by_click_and_by_key(page: Page, server: str) -> None:
    visit(page, f"{server}/?sentence=I+have+some+money.&kind=encoder&layer=2&head=1&stage=scores")
    value = drawn_matrix(page, "attention")[1][3]
    click(page, "attention", "[3, 1]")
    query_is(page, "cell", "2.4")
    shown = page.locator(".st-key-attention-story").inner_text().replace("−", "-")
    assert f"The model has {value:.4f} there".replace("-0.0000", "0.0000") in shown
    plot(page, "attention").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    query_is(page, "cell", "3.5")
    page.keyboard.press("End")
    query_is(page, "cell", "3.6")
    click(page, "heads", "[plot._fullData[1].x[0], plot._fullData[1].y[0]]")  # a thumbnail
    query_is(page, "layer", "1")


def test_a_copied_link_shows_the_same_to_somebody_else(page: Page, server: str, browser: Browser) -> None:
    visit(page, f"{server}/?sentence=I+love+my+new+watch.")
    page.get_by_role("radio", name="decoder self-attention").click()
    query_is(page, "kind", "decoder")
    click(page, "attention", "[1, 2]")
    query_is(page, "cell", "3.2")
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    link = page.evaluate("() => window.copied")
    query = dict(parse_qsl(urlsplit(link).query))
    assert (query["kind"], query["cell"]) == ("decoder", "3.2")
    assert {"sentence", "row", "next", "layer", "head", "stage"} <= set(query), "defaults, too"
    assert "layer" not in linked(page), "the address names what was chosen"
    context = browser.new_context(viewport=SIZE)  # of another computer
    friend = context.new_page()
    visit(friend, link)
    assert drawn_matrix(friend, "attention") == drawn_matrix(page, "attention")
    for words in (".st-key-attention-story", ".st-key-translation h2"):
        assert friend.locator(words).inner_text() == page.locator(words).inner_text()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_are_those_of_the_visitors_theme(
    page: Page, server: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    visit(page, f"{server}/failures")
    ink, paper = page.evaluate(
        """() => {
          const style = getComputedStyle(document.querySelector('[data-testid=stApp]'));
          return [style.color, style.backgroundColor];
        }"""
    )
    assert (sum(map(int, paper[4:-1].split(","))) > 384) == (scheme == "light")
    assert ink != paper


def test_a_click_on_the_map_opens_that_part(page: Page, server: str) -> None:
    visit(page, f"{server}/?sentence=I+have+some+money.")
    click_part(page, "map", 'data[0] === "encoder.layers.2.self_attention"')
    query_is(page, "kind", "encoder")
    assert urlsplit(page.url).path == "/self-attention"
    query = linked(page)
    assert (query["layer"], query["sentence"]) == ("3", MONEY)
    expect(page.get_by_role("textbox", name="English")).to_have_value(MONEY)
    page.get_by_role("link", name="Translate").click()  # and back
    wait_until(page, "() => new URL(location.href).pathname === '/'")
    settle(page)
    expect(page.get_by_role("textbox", name="English")).to_have_value(MONEY)


def test_the_page_is_drawn_anew_when_the_visitor_chooses_another_theme(server: str, page: Page) -> None:
    background = "getComputedStyle(document.documentElement).getPropertyValue('--background') === '{}'"
    visit(page, server)
    for name, theme in (("Dark", DARK), ("System", LIGHT)):  # what the browser asks for is light
        page.get_by_test_id("stMainMenu").click()
        page.get_by_test_id(f"stMainMenuItem-theme-{name}").click()
        wait_until(page, f"() => {background.format(theme.background)}")
        settle(page)
        page.keyboard.press("Escape")
