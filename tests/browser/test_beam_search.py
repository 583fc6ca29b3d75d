"""A visitor on the page about beam search, in a real browser."""

import json
import math
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from explainer.decode.search.beam import beam_search, first_beam, force
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.translator.translator import Translator
from tests.browser.conftest import settle, visit
from tests.browser.test_self_attention import query_is
from tests.browser.test_translate import PLOT

MONEY = "I have some money."
NODES = "plot => plot._fullData.find((trace) => trace.name === 'nodes')"
HUGGING_FACE = LengthPenalty("huggingface", 0.6)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load()


def tree(page: Page) -> list[Any]:
    """Where the cards stand and what they tell."""
    found = page.locator(PLOT.format("tree")).evaluate(
        f"plot => {{ const found = ({NODES})(plot); return JSON.stringify([[...found.x], [...found.y], found.text]); }}"
    )
    return json.loads(found)


def card_position(page: Page, text: str) -> tuple[float, float]:
    """Where in the window the first card is whose story begins with this token."""
    plot = page.locator(PLOT.format("tree"))
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        f"""(plot, text) => {{
          const box = plot.getBoundingClientRect(), {{xaxis, yaxis}} = plot._fullLayout, found = ({NODES})(plot);
          const i = found.text.findIndex((one) => one.startsWith(`<b>${{text}}</b>`));
          return [box.left + xaxis._offset + xaxis.d2p(found.x[i]), box.top + yaxis._offset + yaxis.d2p(found.y[i])];
        }}""",
        text,
    )
    return x, y


def scores(page: Page) -> list[str]:
    return page.locator(".st-key-finished [role=radiogroup] label strong").all_inner_texts()


def test_forward_back_penalty_force_and_the_link(
    page: Page, server: str, browser: Browser, translator: Translator
) -> None:
    visit(page, f"{server}/beam-search?sentence=I+have+some+money.&at=1&beam=3&ghost=off")
    first = tree(page)
    for step in range(2, 7):
        page.keyboard.press("ArrowRight")
        query_is(page, "at", str(step))
    for step in (5, 4):
        page.keyboard.press("ArrowLeft")
        query_is(page, "at", str(step))
    grown = tree(page)
    assert [one for one in zip(*first, strict=True) if one not in zip(*grown, strict=True)] == [], (
        "nothing has moved"
    )
    page.get_by_role("radio", name="Hugging Face").click()
    query_is(page, "penalty", "huggingface")
    sources = source_batch([translator.source_ids(MONEY)])
    model = CachedModel(translator.checkpoint.model, sources)
    limit = translator.limit_for(len(translator.source_ids(MONEY)))
    rules = BeamRules(beam_size=3, max_new_tokens=limit, penalty=HUGGING_FACE)
    steps = list(beam_search(model, rules))
    text = " ".join(tree(page)[2])
    for score in steps[3].scores:
        assert f"score {score:.3f}".replace("-", "−") in text
    page.get_by_role("textbox", name="Force a token or word here").fill("aber")
    page.get_by_role("button", name="Force it").click()
    page.wait_for_function("() => new URL(location.href).searchParams.has('force')")
    settle(page)
    prefix, tokens = parse_qs(urlsplit(page.url).query)["force"][0].split(":")
    assert [int(token) for token in tokens.split(".")] == translator.checkpoint.tokenizer.encode("aber")
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
    page.wait_for_function("() => !new URL(location.href).searchParams.has('force')")
    settle(page)
    assert scores(page) == [f"{h.score:.3f}".replace("-", "−") for h in steps[-1].finished]


def test_a_click_on_a_card_tells_its_hypothesis(page: Page, server: str, translator: Translator) -> None:
    visit(page, f"{server}/beam-search?sentence=I+have+some+money.&at=3")
    ids = translator.translate(MONEY).ids
    page.mouse.click(*card_position(page, translator.checkpoint.tokenizer.piece(ids[1]).strip()))
    query_is(page, "node", f"{ids[0]}.{ids[1]}")
    trace = translator.trace(MONEY, ids)
    total = sum(float(trace["head.hook_log_probs"][i, ids[i]]) for i in range(2))
    arithmetic = page.locator(".st-key-arithmetic").inner_text().replace("−", "-")
    assert f"{total:.3f}" in arithmetic
    drawn = page.locator(PLOT.format("next")).evaluate("plot => [...plot._fullData[0].x]")
    expected = sorted(map(float, trace["head.hook_log_probs"][2]), reverse=True)
    assert drawn[:10] == pytest.approx([math.exp(value) for value in expected[:10]], abs=1e-5)


def test_a_click_on_a_bar_forces_that_token(page: Page, server: str, translator: Translator) -> None:
    ids = translator.translate(MONEY).ids
    visit(page, f"{server}/beam-search?sentence=I+have+some+money.&node={ids[0]}")
    plot = page.locator(PLOT.format("next"))
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """(plot) => {
          const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
          return [box.left + xaxis._offset + 1, box.top + yaxis._offset + yaxis.d2p(0)];
        }"""
    )
    page.mouse.click(x + 3, y)
    query_is(page, "force", f"{ids[0]}:{ids[1]}")
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
    page.wait_for_function("() => new URL(location.href).searchParams.has('rows')")
    settle(page)
    expect(page.get_by_text("sum to 1.3, must be 1")).to_be_visible()
    page.get_by_role("button", name="Put the example back").click()
    page.wait_for_function("() => !new URL(location.href).searchParams.has('rows')")
    settle(page)
    assert len(scores(page)) == 2
