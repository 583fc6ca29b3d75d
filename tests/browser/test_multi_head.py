"""A visitor on the page about several heads, in a real browser."""

import pytest
from playwright.sync_api import Page

from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.figures.style import number
from explainer.pages.frame.models import translator
from explainer.whatif.changes import parse
from tests.browser.conftest import click, drawn_matrix, plot, query_has, query_is, typed, visit
from tests.pages.app import MONEY, traced

WATCH = "I have a new watch."


def test_a_cell_selects_its_head_and_a_bar_switches_one_off(page: Page, server: str) -> None:
    visit(page, f"{server}/multi-head?sentence=I+have+some+money.&kind=cross&layer=3&head=1")
    typed(page, WATCH)
    weights = traced(WATCH)["decoder.layers.2.cross_attention.attend.hook_weights"]
    n_keys = weights.shape[2]
    shown = [row[n_keys + 1 : 2 * n_keys + 1] for row in drawn_matrix(page, "beside")]
    assert shown == [pytest.approx(row, abs=1e-6) for row in weights[1].tolist()]
    click(page, "beside", f"[{n_keys + 1 + 3}, 2]")
    query_is(page, "cell", "3.4")
    query_is(page, "head", "2")

    _, layer, head = plot(page, "effects").evaluate("plot => plot._fullData[0].customdata[0]")
    click(page, "effects", "[plot._fullData[0].x[0] / 2, 0]")
    spec = f"off:cross.{layer + 1}.{head + 1}"
    query_is(page, "what", spec)
    after = sequence_log_prob(traced(WATCH, spec)[LOG_PROB], translator().translate(WATCH).ids)
    table = page.locator("table", has_text="before").first.inner_text()
    assert number(after) in table
    assert translator().translate(WATCH, changes=(parse(spec),)).text in table


def test_keys_walk_through_the_heads_and_a_cell_of_the_concatenation_selects_its_own(
    page: Page, server: str
) -> None:
    visit(page, f"{server}/multi-head?sentence=I+have+some+money.&kind=encoder&layer=2&head=1&cell=1.1")
    plot(page, "beside").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    query_is(page, "head", "4")
    query_is(page, "cell", "2.6")
    click(page, "joined", f"[{2 * 64 + 9}, 3]")
    query_is(page, "head", "3")
    mixed = traced(MONEY)["encoder.layers.1.self_attention.attend.hook_mixed"]
    dim = int(query_has(page, "dim"))
    story = page.locator(".st-key-story").inner_text()
    assert f"The model has {number(float(mixed[2, 3, dim - 1]), 4)} there" in story
