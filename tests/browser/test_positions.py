"""A visitor of the page about positions, in a real browser."""

import numpy as np
import pytest
from playwright.sync_api import Page

from explainer.translator.translator import Translator
from explainer.whatif.changes import parse
from tests.browser.conftest import settle, visit
from tests.browser.test_translate import PLOT, cell_position, drawn_matrix

SENTENCE = "The dog that chased the dog was tired."


@pytest.fixture(scope="module")
def model() -> Translator:
    return Translator.load()


def test_a_visitor_adds_positions_and_takes_them_away(page: Page, server: str, model: Translator) -> None:
    visit(page, f"{server}/positions?sentence=I+have+some+money.")
    page.get_by_role("button", name=SENTENCE).first.click()
    page.wait_for_function("() => new URL(location.href).searchParams.get('sentence')?.startsWith('The dog')")
    settle(page)
    page.mouse.click(*cell_position(page, "sum", 4, 6))  # in the middle matrix: row 5, its second dimension
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell') === '5.2'")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell') === '6.2'")
    settle(page)
    ids = model.translate(SENTENCE).ids
    plain = model.trace(SENTENCE, ids)
    told = page.locator(".st-key-story").inner_text().replace("−", "-")
    for hook in ("hook_sum", "hook_position"):
        assert f"The model has {plain[f'source_embedding.{hook}'][5, 1]:.4f} there" in told

    page.get_by_text("No positions on the English side").click()
    page.wait_for_function("() => new URL(location.href).searchParams.get('what') === 'unplaced:source'")
    settle(page)
    changed = model.trace(SENTENCE, ids, changes=(parse("unplaced:source"),))
    shown = np.array(drawn_matrix(page, "sum"), dtype=float)
    for part, hook in enumerate(("hook_scaled", "hook_position", "hook_sum")):
        expected = changed[f"source_embedding.{hook}"][:, :4]
        np.testing.assert_allclose(shown[:, 5 * part : 5 * part + 4], expected, atol=1e-5)
    rows = changed["source_embedding.hook_sum"]
    dogs = [i for i, piece in enumerate(plain.info.source) if piece == " dog"]
    assert len(dogs) == 2
    assert np.array_equal(*rows[dogs])  # the two dogs: without positions nothing tells them apart
    assert "no positions: English side" in page.locator(".st-key-whatif-bar").inner_text()


def test_a_click_into_the_table_shows_that_wave(page: Page, server: str) -> None:
    visit(page, f"{server}/positions?sentence=I+have+some+money.")
    page.mouse.click(*cell_position(page, "table", 120, 60))
    page.wait_for_function("() => Number(new URL(location.href).searchParams.get('pairs')) > 0")
    settle(page)
    pair, position = page.evaluate(
        "() => ['pairs', 'pos'].map((name) => Number(new URL(location.href).searchParams.get(name)))"
    )
    assert abs(pair - 30) <= 1  # a pixel is about half a dimension
    assert abs(position - 120) <= 1
    title = page.locator(PLOT.format("waves")).evaluate("plot => plot._fullLayout.annotations[0].text")
    assert title.startswith(f"i = {pair}, wavelength {2 * np.pi * 10000 ** (2 * pair / 256):.1f}")
    labels = page.locator(PLOT.format("curve")).evaluate("plot => [...plot._fullData[1].text]")
    assert labels[0] == f"<b>p = {position}</b>"


def test_the_order_test_can_be_repeated_with_another_shuffle(page: Page, server: str) -> None:
    visit(page, f"{server}/positions?sentence=I+have+some+money.")
    before = drawn_matrix(page, "order")
    page.get_by_role("button", name="Shuffle again").click()
    page.wait_for_function("() => new URL(location.href).searchParams.get('shuffle') === '2'")
    settle(page)
    after = drawn_matrix(page, "order")
    assert before != after
    differences = np.array(after, dtype=float)
    assert np.abs(differences[:, 33:]).max() < 1e-5 < 0.01 < np.abs(differences[:, :32]).max()
