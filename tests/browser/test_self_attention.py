"""A visitor on the page about self-attention, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from explainer.capture.trace import Trace
from explainer.translator.translator import Translator
from explainer.whatif.changes import parse
from tests.browser.conftest import settle, visit
from tests.browser.test_translate import PLOT, cell_position, drawn_matrix

PATH = "encoder.layers.1.self_attention"


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load()


def traced(translator: Translator, sentence: str, *specs: str) -> Trace:
    ids = translator.translate(sentence).ids
    return translator.trace(sentence, ids, changes=tuple(map(parse, specs)))


def query_is(page: Page, name: str, value: str) -> None:
    page.wait_for_function(
        "([name, value]) => new URL(location.href).searchParams.get(name) === value", arg=[name, value]
    )
    settle(page)


def test_from_a_sentence_to_a_score_that_is_changed(page: Page, server: str, translator: Translator) -> None:
    visit(page, f"{server}/self-attention?sentence=I+have+some+money.&layer=2&head=3")
    page.get_by_role("textbox", name="English").fill("I have a new watch.")
    query_is(page, "sentence", "I have a new watch.")
    expected = traced(translator, "I have a new watch.")
    weights = expected[f"{PATH}.attend.hook_weights"][2]
    assert drawn_matrix(page, "made") == [pytest.approx(row, abs=1e-6) for row in weights.tolist()]
    page.mouse.click(*cell_position(page, "made", 4, 1))
    query_is(page, "cell", "5.2")
    page.get_by_role("spinbutton").fill("12")
    page.get_by_role("button", name="Set", exact=True).click()
    query_is(page, "what", "score:encoder.2.3:5.2:12")
    changed = traced(translator, "I have a new watch.", "score:encoder.2.3:5.2:12")
    after = changed[f"{PATH}.attend.hook_weights"][2]
    assert drawn_matrix(page, "made") == [pytest.approx(row, abs=1e-6) for row in after.tolist()]
    assert after[4, 1] > weights[4, 1]
    page.get_by_role("button", name="Next step").click()
    query_is(page, "step", "6")
    mixed = changed[f"{PATH}.attend.hook_mixed"][2]
    assert drawn_matrix(page, "made") == [pytest.approx(row, abs=1e-5) for row in mixed.tolist()]


def test_arrow_keys_step_and_the_pair_stays(page: Page, server: str, translator: Translator) -> None:
    visit(page, f"{server}/self-attention?sentence=I+have+some+money.&layer=2&head=3&cell=4.2")
    for key, step in (
        ("ArrowLeft", "4"),
        ("ArrowLeft", "3"),
        ("Home", "1"),
        ("ArrowRight", "2"),
        ("End", "6"),
    ):
        page.keyboard.press(key)
        query_is(page, "step", step)
    page.keyboard.press("Home")
    query_is(page, "step", "1")
    page.keyboard.press("ArrowRight")
    query_is(page, "step", "2")
    dots = traced(translator, "I have some money.")[f"{PATH}.attend.hook_dots"][2]
    story = page.locator(".st-key-story")
    expect(story).to_contain_text(f"The model has {dots[3, 1]:.4f} there".replace("-", "−"))


def test_arrow_keys_in_a_matrix_move_the_cell_and_not_the_step(page: Page, server: str) -> None:
    visit(page, f"{server}/self-attention?sentence=I+have+some+money.&cell=4.2")
    page.locator(PLOT.format("made")).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    query_is(page, "cell", "5.3")
    assert "step=" not in page.url


def test_play_walks_to_the_last_step(page: Page, server: str) -> None:
    visit(page, f"{server}/self-attention?sentence=I+have+some+money.&step=4")
    page.get_by_role("button", name="Play or pause").click()
    page.wait_for_function("() => new URL(location.href).searchParams.get('step') === '6'", timeout=15_000)
    expect(page.locator(".stepper .label")).to_contain_text("6 of 6")
