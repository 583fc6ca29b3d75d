"""A visitor on the Translate page, in a real browser."""

from typing import Literal
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import settle, visit

FOX = "The quick brown fox jumps over the lazy dog."
PLOT = ".st-key-{} .plot"


def cell_position(page: Page, key: str, row: float, column: float) -> tuple[float, float]:
    """Where a heat map cell is in the window."""
    plot = page.locator(PLOT.format(key))
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """(plot, [row, column]) => {
          const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
          return [box.left + xaxis._offset + xaxis.d2p(column), box.top + yaxis._offset + yaxis.d2p(row)];
        }""",
        [row, column],
    )
    return x, y


def drawn_matrix(page: Page, key: str) -> list[list[float]]:
    return page.locator(PLOT.format(key)).evaluate("plot => plot._fullData[0].z.map(row => [...row])")


def test_the_translation_follows_the_typing(page: Page, server: str) -> None:
    visit(page, server)
    before = page.locator(".st-key-translation h2").inner_text()
    box = page.get_by_role("textbox", name="English")
    box.fill("")
    box.press_sequentially(FOX, delay=15)
    expect(page.locator(".st-key-translation h2")).not_to_have_text(before, timeout=15_000)
    settle(page)  # nobody has pressed Enter
    assert len(drawn_matrix(page, "attention")[0]) >= len(FOX.split())
    page.wait_for_function(
        "() => new URL(location.href).searchParams.get('sentence')?.startsWith('The quick')"
    )


def test_a_click_on_a_cell_tells_its_arithmetic(page: Page, server: str) -> None:
    visit(page, f"{server}/?sentence=I+have+some+money.&kind=encoder&layer=1&head=1&stage=scores")
    value = drawn_matrix(page, "attention")[1][3]
    page.mouse.click(*cell_position(page, "attention", 1, 3))
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell') === '2.4'")
    settle(page)
    shown = page.locator(".st-key-attention-story").inner_text().replace("−", "-")
    assert f"The model has {value:.4f} there".replace("-0.0000", "0.0000") in shown


def test_the_keyboard_moves_from_cell_to_cell(page: Page, server: str) -> None:
    visit(page, f"{server}/?sentence=I+have+some+money.&kind=encoder&layer=1&head=1&cell=1.1")
    page.locator(PLOT.format("attention")).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell') === '2.2'")
    page.keyboard.press("End")
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell') === '2.6'")


def test_a_shared_link_shows_the_same_to_somebody_else(page: Page, server: str, browser: Browser) -> None:
    visit(page, f"{server}/?sentence=I+love+my+new+watch.")
    page.get_by_role("radio", name="decoder self-attention").click()
    settle(page)
    page.mouse.click(*cell_position(page, "attention", 2, 1))
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell') === '3.2'")
    settle(page)
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    link = page.evaluate("() => window.copied")
    query = parse_qs(urlsplit(link).query)
    assert (query["kind"], query["cell"]) == (["decoder"], ["3.2"])
    assert {"sentence", "row", "next", "layer", "head", "stage"} <= set(query), "defaults, too"
    assert "layer" not in parse_qs(urlsplit(page.url).query), "the address names what was chosen"
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    friend = context.new_page()
    visit(friend, link)
    story = ".st-key-attention-story"
    assert friend.locator(story).inner_text() == page.locator(story).inner_text()
    assert drawn_matrix(friend, "attention") == drawn_matrix(page, "attention")
    assert (
        friend.locator(".st-key-translation h2").inner_text()
        == page.locator(".st-key-translation h2").inner_text()
    )
    context.close()


def test_a_click_on_a_thumbnail_opens_the_head(page: Page, server: str) -> None:
    visit(page, f"{server}/?sentence=I+have+some+money.&kind=encoder&layer=2&head=1")
    plot = page.locator(PLOT.format("heads"))
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """plot => {
          const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout, dots = plot._fullData[1];
          return [box.left + xaxis._offset + xaxis.d2p(dots.x[0]), box.top + yaxis._offset + yaxis.d2p(dots.y[0])];
        }"""
    )
    page.mouse.click(x, y)
    page.wait_for_function("() => new URL(location.href).searchParams.get('layer') === '1'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_spills_over_the_edge(
    server: str, browser: Browser, scheme: Literal["light", "dark"], width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    visitor = context.new_page()
    visit(visitor, server)
    wide = visitor.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    ink, paper = visitor.evaluate(
        """() => {
          const style = getComputedStyle(document.querySelector('[data-testid=stApp]'));
          return [style.color, style.backgroundColor];
        }"""
    )
    assert (sum(map(int, paper[4:-1].split(","))) > 384) == (scheme == "light")
    assert ink != paper
    context.close()


def test_markup_that_was_typed_is_shown_as_text(page: Page, server: str) -> None:
    visit(page, server)
    page.get_by_role("textbox", name="English").fill(
        "<b>bold</b> & <script>window.hacked = 1</script> $\\href{x}{y}$ <s>"
    )
    page.wait_for_function("() => new URL(location.href).searchParams.get('sentence')?.includes('href')")
    settle(page)
    assert page.evaluate("() => window.hacked") is None
    labels = page.locator(PLOT.format("attention")).evaluate(
        "plot => [...plot.querySelectorAll('.xtick text')].map(e => e.textContent)"
    )
    assert (
        "<0x3C>" in labels
    )  # the byte of "<", as the tokenizer spells it: Plotly has not taken it for a tag
    assert labels[-1] == "</s>"


def click_part(page: Page, part: str) -> None:
    """Click the first place of the flow map that carries `part`."""
    plot = page.locator(PLOT.format("map"))
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """(plot, part) => {
          for (const trace of plot._fullData) {
            const i = (trace.customdata ?? []).findIndex((data) => data?.[0] === part);
            if (i < 0) continue;
            const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
            return [box.left + xaxis._offset + xaxis.d2p(trace.x[i]), box.top + yaxis._offset + yaxis.d2p(trace.y[i])];
          }
        }""",
        part,
    )
    page.mouse.move(x, y)
    page.wait_for_timeout(100)
    page.mouse.click(x, y)


def test_a_click_on_the_map_opens_that_part(page: Page, server: str) -> None:
    visit(page, f"{server}/?sentence=I+have+some+money.")
    click_part(page, "encoder.layers.2.self_attention")
    page.wait_for_function("() => new URL(location.href).searchParams.get('kind') === 'encoder'")
    settle(page)
    address = urlsplit(page.url)
    assert address.path == "/self-attention"
    query = parse_qs(address.query)
    assert (query["layer"], query["sentence"]) == (["3"], ["I have some money."])
    expect(page.get_by_role("textbox", name="English")).to_have_value("I have some money.")
    page.get_by_role("link", name="Translate").click()  # and back
    page.wait_for_function("() => new URL(location.href).pathname === '/'")
    settle(page)
    expect(page.get_by_role("textbox", name="English")).to_have_value("I have some money.")


def test_a_head_that_is_switched_off_changes_the_probability(page: Page, server: str) -> None:
    visit(page, f"{server}/?sentence=I+have+some+money.")
    page.get_by_text("Switch off cross-attention").click()
    table = page.locator("table", has_text="before")
    expect(table).to_be_visible(timeout=15_000)
    before, after = (row.split("\t")[-1].split(" (")[0] for row in table.inner_text().splitlines()[-2:])
    assert float(before.replace("−", "-")) != float(after.replace("−", "-"))
    assert parse_qs(urlsplit(page.url).query)["what"][0].startswith("off:cross.")
