"""A visitor on the page about self-attention, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import click, drawn_matrix, plot, query_is, typed, visit
from tests.pages.app import MONEY, traced

PATH = "encoder.layers.1.self_attention"
WATCH = "I have a new watch."


def test_from_a_sentence_to_a_score_that_is_changed(page: Page, server: str) -> None:
    visit(page, f"{server}/self-attention?sentence=I+have+some+money.&layer=2&head=3")
    typed(page, WATCH)
    weights = traced(WATCH)[f"{PATH}.attend.hook_weights"][2]
    assert drawn_matrix(page, "made") == [pytest.approx(row, abs=1e-6) for row in weights.tolist()]
    click(page, "made", "[1, 4]")
    query_is(page, "cell", "5.2")
    page.get_by_role("spinbutton").fill("12")
    page.get_by_role("button", name="Set", exact=True).click()
    query_is(page, "what", "score:encoder.2.3:5.2:12")
    changed = traced(WATCH, "score:encoder.2.3:5.2:12")
    after = changed[f"{PATH}.attend.hook_weights"][2]
    assert drawn_matrix(page, "made") == [pytest.approx(row, abs=1e-6) for row in after.tolist()]
    assert after[4, 1] > weights[4, 1]
    page.get_by_role("button", name="Next step").click()
    query_is(page, "step", "6")
    mixed = changed[f"{PATH}.attend.hook_mixed"][2]
    assert drawn_matrix(page, "made") == [pytest.approx(row, abs=1e-5) for row in mixed.tolist()]


def test_arrow_keys_step_and_in_a_matrix_they_move_the_cell(page: Page, server: str) -> None:
    visit(page, f"{server}/self-attention?sentence=I+have+some+money.&layer=2&head=3&cell=4.2")
    for key, step in (
        ("ArrowLeft", 4),
        ("ArrowLeft", 3),
        ("Home", 1),
        ("End", 6),
        ("Home", 1),
        ("ArrowRight", 2),
    ):
        page.keyboard.press(key)
        query_is(page, "step", str(step))
    dots = traced(MONEY)[f"{PATH}.attend.hook_dots"][2]
    story = page.locator(".st-key-story")
    expect(story).to_contain_text(f"The model has {dots[3, 1]:.4f} there".replace("-", "−"))
    plot(page, "made").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    query_is(page, "cell", "5.3")
    query_is(page, "step", "2")
    page.get_by_role("button", name="Play or pause").click()
    page.wait_for_function("() => new URL(location.href).searchParams.get('step') === '6'", timeout=20_000)
    expect(page.locator(".stepper .label")).to_contain_text("6 of 6")
