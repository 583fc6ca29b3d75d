"""A visitor on the page about several heads, in a real browser."""

import pytest
from playwright.sync_api import Page

from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.figures.style import number
from explainer.translator.translator import Translator
from explainer.whatif.changes import parse
from tests.browser.conftest import settle, visit
from tests.browser.test_self_attention import query_is, traced
from tests.browser.test_translate import PLOT, cell_position, drawn_matrix

WATCH = "I have a new watch."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load()


def test_a_cell_selects_its_head_and_a_bar_switches_one_off(
    page: Page, server: str, translator: Translator
) -> None:
    visit(page, f"{server}/multi-head?sentence=I+have+some+money.&kind=cross&layer=3&head=1")
    page.get_by_role("textbox", name="English").fill(WATCH)
    query_is(page, "sentence", WATCH)
    plain = traced(translator, WATCH)
    weights = plain["decoder.layers.2.cross_attention.attend.hook_weights"]
    n_keys = weights.shape[2]
    shown = [row[n_keys + 1 : 2 * n_keys + 1] for row in drawn_matrix(page, "beside")]
    assert shown == [pytest.approx(row, abs=1e-6) for row in weights[1].tolist()]
    page.mouse.click(*cell_position(page, "beside", 2, n_keys + 1 + 3))
    query_is(page, "cell", "3.4")
    query_is(page, "head", "2")

    _, layer, head = page.locator(PLOT.format("effects")).evaluate("plot => plot._fullData[0].customdata[0]")
    page.mouse.click(*bar_position(page, "effects", 0))
    spec = f"off:cross.{layer + 1}.{head + 1}"
    query_is(page, "what", spec)
    ids = translator.translate(WATCH).ids
    after = sequence_log_prob(traced(translator, WATCH, spec)[LOG_PROB], ids)
    table = page.locator("table", has_text="before").first.inner_text()
    assert number(after) in table
    assert translator.translate(WATCH, changes=(parse(spec),)).text in table


def test_the_keyboard_walks_through_the_heads(page: Page, server: str) -> None:
    visit(page, f"{server}/multi-head?sentence=I+have+some+money.&kind=encoder&layer=1&head=1&cell=1.1")
    page.locator(PLOT.format("beside")).focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    query_is(page, "head", "4")
    query_is(page, "cell", "2.6")


def test_a_cell_of_the_concatenation_selects_the_head_it_came_from(
    page: Page, server: str, translator: Translator
) -> None:
    visit(page, f"{server}/multi-head?sentence=I+have+some+money.&kind=encoder&layer=2&head=1&cell=2.1")
    page.mouse.click(*cell_position(page, "joined", 3, 2 * 64 + 9))
    query_is(page, "head", "3")
    settle(page)
    mixed = traced(translator, "I have some money.")["encoder.layers.1.self_attention.attend.hook_mixed"]
    dim = int(page.evaluate("() => new URL(location.href).searchParams.get('dim')"))
    story = page.locator(".st-key-story").inner_text()
    assert f"The model has {number(float(mixed[2, 3, dim - 1]), 4)} there" in story


def bar_position(page: Page, key: str, row: int) -> tuple[float, float]:
    """The middle of a bar in the window."""
    plot = page.locator(PLOT.format(key))
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """(plot, row) => {
          const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout, bars = plot._fullData[0];
          return [box.left + xaxis._offset + xaxis.d2p(bars.x[row] / 2), box.top + yaxis._offset + yaxis.d2p(row)];
        }""",
        row,
    )
    return x, y
