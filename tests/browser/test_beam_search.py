"""A visitor on the page about beam search, in a real browser."""

import json
import math
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from explainer.decode.search.beam import beam_search, first_beam, force
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.pages.frame.models import translator
from tests.browser.conftest import click, plot, query_has, query_is, visit
from tests.pages.app import MONEY, traced

NODES = "plot => plot._fullData.find((trace) => trace.name === 'nodes')"
CARD = f"""(nodes => {{
  const i = nodes.text.findIndex(text => text.startsWith('<b>PIECE</b>'));
  return [nodes.x[i], nodes.y[i]];
}})(({NODES})(plot))"""
HUGGING_FACE = LengthPenalty("huggingface", 0.6)


def tree(page: Page) -> list[Any]:
    """Where the cards stand and what they tell."""
    found = plot(page, "tree").evaluate(
        f"plot => {{ const found = ({NODES})(plot); return JSON.stringify([[...found.x], [...found.y], found.text]); }}"
    )
    return json.loads(found)


def scores(page: Page) -> list[str]:
    return page.locator(".st-key-finished [role=radiogroup] label strong").all_inner_texts()


def test_forward_back_penalty_force_and_the_link(page: Page, server: str, browser: Browser) -> None:
    visit(page, f"{server}/beam-search?sentence=I+have+some+money.&at=1&beam=3&ghost=off")
    first = tree(page)
    for step in range(2, 7):
        page.keyboard.press("ArrowRight")
        query_is(page, "at", str(step))
    for step in (5, 4):
        page.keyboard.press("ArrowLeft")
        query_is(page, "at", str(step))
    grown = list(zip(*tree(page), strict=True))
    assert all(card in grown for card in zip(*first, strict=True)), "nothing has moved"
    page.get_by_role("radio", name="Hugging Face").click()
    query_is(page, "penalty", "huggingface")
    ids = translator().source_ids(MONEY)
    model = CachedModel(translator().checkpoint.model, source_batch([ids]))
    rules = BeamRules(beam_size=3, max_new_tokens=translator().limit_for(len(ids)), penalty=HUGGING_FACE)
    steps = list(beam_search(model, rules))
    text = " ".join(tree(page)[2])
    for score in steps[3].scores:
        assert f"score {score:.3f}".replace("-", "−") in text
    page.get_by_role("textbox", name="Force a token or word here").fill("aber")
    page.get_by_role("button", name="Force it").click()
    prefix, tokens = query_has(page, "force").split(":")
    assert [int(token) for token in tokens.split(".")] == translator().checkpoint.tokenizer.encode("aber")
    beam = first_beam(model)
    for token in map(int, [*prefix.split("."), *tokens.split(".")]):
        beam = force(model, beam, 0, token)
    *_, last = beam_search(model, rules, start=beam)
    assert scores(page) == [f"{h.score:.3f}".replace("-", "−") for h in last.finished]
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    friend = context.new_page()
    visit(friend, page.url)
    assert tree(friend) == tree(page)
    assert scores(friend) == scores(page)
    context.close()
    page.get_by_role("button", name="aber after").click()
    query_is(page, "force", None)
    assert scores(page) == [f"{h.score:.3f}".replace("-", "−") for h in steps[-1].finished]


def test_a_click_on_a_card_tells_its_hypothesis_and_one_on_a_bar_forces_a_token(
    page: Page, server: str
) -> None:
    visit(page, f"{server}/beam-search?sentence=I+have+some+money.&at=3")
    ids = translator().translate(MONEY).ids
    click(page, "tree", CARD.replace("PIECE", translator().checkpoint.tokenizer.piece(ids[1]).strip()))
    query_is(page, "node", f"{ids[0]}.{ids[1]}")
    log_probs = traced(MONEY)["head.hook_log_probs"]
    arithmetic = page.locator(".st-key-arithmetic").inner_text().replace("−", "-")
    assert f"{sum(float(log_probs[i, ids[i]]) for i in range(2)):.3f}" in arithmetic
    drawn = plot(page, "next").evaluate("plot => [...plot._fullData[0].x]")
    expected = sorted(map(float, log_probs[2]), reverse=True)
    assert drawn[:10] == pytest.approx([math.exp(value) for value in expected[:10]], abs=1e-5)
    click(page, "next", "[0.99 * xaxis.range[0] + 0.01 * xaxis.range[1], 0]")
    query_is(page, "force", f"{ids[0]}.{ids[1]}:{ids[2]}")
    expect(page.locator(".st-key-forced-0")).to_be_visible()


def test_by_hand_a_number_is_typed_into_the_table(page: Page, server: str) -> None:
    visit(page, f"{server}/beam-search?search=table&table=parent")
    canvas = page.locator("[data-testid=stDataFrame] canvas").first
    canvas.scroll_into_view_if_needed()
    page.wait_for_timeout(500)  # the table is drawn on a canvas
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.dblclick(box["x"] + box["width"] * 0.4, box["y"] + 52)  # the first row, the first token
    field = page.locator("#portal input")
    expect(field).to_be_focused()
    field.fill("0.9")
    expect(field).to_have_value("0.9")
    field.press("Enter")
    query_has(page, "rows")
    expect(page.get_by_text("sum to 1.3, must be 1")).to_be_visible()
    page.get_by_role("button", name="Put the example back").click()
    query_is(page, "rows", None)
    assert len(scores(page)) == 2
