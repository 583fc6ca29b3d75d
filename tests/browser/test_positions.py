"""A visitor of the page about positions, in a real browser."""

import numpy as np
from playwright.sync_api import Page

from tests.browser.conftest import click, drawn_matrix, plot, query_has, query_is, visit
from tests.pages.app import traced

SENTENCE = "The dog that chased the dog was tired."


def test_a_visitor_adds_positions_and_takes_them_away(page: Page, server: str) -> None:
    visit(page, f"{server}/positions?sentence=I+have+some+money.")
    page.get_by_role("button", name=SENTENCE).first.click()
    query_has(page, "sentence", "The dog")
    click(page, "sum", "[6, 4]")  # in the middle matrix: row 5, its second dimension
    query_is(page, "cell", "5.2")
    page.keyboard.press("ArrowDown")
    query_is(page, "cell", "6.2")
    plain, changed = traced(SENTENCE), traced(SENTENCE, "unplaced:source")
    told = page.locator(".st-key-story").inner_text().replace("−", "-")
    for hook in ("hook_sum", "hook_position"):
        assert f"The model has {plain[f'source_embedding.{hook}'][5, 1]:.4f} there" in told

    page.get_by_text("No positions on the English side").click()
    query_is(page, "what", "unplaced:source")
    shown = np.array(drawn_matrix(page, "sum"), dtype=float)
    for part, hook in enumerate(("hook_scaled", "hook_position", "hook_sum")):
        expected = changed[f"source_embedding.{hook}"][:, :4]
        np.testing.assert_allclose(shown[:, 5 * part : 5 * part + 4], expected, atol=1e-5)
    rows = changed["source_embedding.hook_sum"]
    dogs = [i for i, piece in enumerate(plain.info.source) if piece == " dog"]
    assert len(dogs) == 2
    assert np.array_equal(*rows[dogs])  # the two dogs: without positions nothing tells them apart
    assert "no positions: English side" in page.locator(".st-key-whatif-bar").inner_text()


def test_a_wave_is_chosen_in_the_table_and_the_order_test_repeated(page: Page, server: str) -> None:
    visit(page, f"{server}/positions?sentence=I+have+some+money.")
    click(page, "table", "[60, 120]")
    pair, position = (int(query_has(page, name)) for name in ("pairs", "pos"))
    assert abs(pair - 30) <= 1  # a pixel is about half a dimension
    assert abs(position - 120) <= 1
    title = plot(page, "waves").evaluate("plot => plot._fullLayout.annotations[0].text")
    assert title.startswith(f"i = {pair}, wavelength {2 * np.pi * 10000 ** (2 * pair / 256):.1f}")
    labels = plot(page, "curve").evaluate("plot => [...plot._fullData[1].text]")
    assert labels[0] == f"<b>p = {position}</b>"

    before = drawn_matrix(page, "order")
    page.get_by_role("button", name="Shuffle again").click()
    query_is(page, "shuffle", "2")
    after = drawn_matrix(page, "order")
    assert before != after
    differences = np.array(after, dtype=float)
    assert np.abs(differences[:, 33:]).max() < 1e-5 < 0.01 < np.abs(differences[:, :32]).max()
