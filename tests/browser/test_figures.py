"""Clicks and keys in the figures of all pages: the link follows, and the words tell the number that was picked."""

import pytest
from playwright.sync_api import Page, expect

from explainer.decode.sources.batch import source_batch
from explainer.decode.watched.walk import walk
from explainer.figures.style import number
from explainer.pages.frame.models import translator
from tests.browser.conftest import click, click_part, linked, plot, query_has, query_is, visit
from tests.pages.app import MONEY, traced

STAGES = {
    "self-attention": "encoder.layers.1.self_attention.attend.hook_dots",
    "multi-head": "encoder.layers.1.self_attention.attend.hook_mixed",
    "blocks": "encoder.layers.0.self_attention_residual.hook_sum",
    "cross-attention": "decoder.layers.1.cross_attention.attend.hook_weights",
    "positions": "source_embedding.hook_sum",
    "tokens": "source_embedding.hook_scaled",
}
SECOND = "[plot._fullData[0].x[1] / 2 + 0.001, 1]"  # of the bars; "{second}" is its token
VISITS = {  # page and link: what is clicked or pressed, in which figure ("": in none), and what the link says then
    "tokens?row=4": [
        ("neighbours", SECOND, "token={second}"),
        ("tokens-source", "[1, 0]", "row=2"),
        ("rows", "[9, 3]", r"cell=4\.\d+"),
        ("rows", "ArrowRight ArrowUp", r"cell=3\.\d+"),
    ],
    "positions?at=1": [
        ("table", "[60, 120]", "pairs=29|30|31 pos=119|120|121"),
        ("sum", "[6, 4]", r"cell=5\.2"),
        ("sum", "ArrowDown", r"cell=6\.2"),
    ],
    "self-attention?layer=2&head=3": [
        ("", "ArrowLeft", "step=4"),
        ("", "Home", "step=1"),
        ("", "End", "step=6"),
        ("", "Home", "step=1"),
        ("", "ArrowRight", "step=2"),
        ("made", "[1, 4]", r"cell=5\.2"),
        ("made", "ArrowRight ArrowUp", r"cell=4\.3"),
    ],
    "multi-head?kind=encoder&layer=2&head=1&cell=1.1": [
        ("beside", "End ArrowDown", r"cell=2\.6 head=4"),
        ("beside", "[10, 2]", r"cell=3\.4 head=2"),  # seven columns a head: six keys and a gap
        ("joined", "[137, 3]", r"head=3 dim=\d+"),
    ],
    "multi-head?kind=cross&layer=3": [("effects", "[plot._fullData[0].x[0] / 2, 0]", r"what=off:cross\.\d\.\d")],
    "masks?kind=decoder&layer=1&head=2": [
        ("masked", "[2, 4]", r"cell=5\.3"),
        ("masked", "Home", r"cell=5\.1"),
    ],
    "blocks?side=encoder&layer=1&sublayer=self_attention": [
        ("matrix", "[100, 2]", r"cell=3\.\d+"),
        ("matrix", "ArrowDown", r"cell=4\.\d+"),
    ],
    "blocks?side=decoder&layer=1&sublayer=feed_forward": [("block", 'data[1] === "relu"', "stage=relu")],
    "cross-attention?layer=2&head=3": [("matrix", "[3, 1]", r"cell=2\.4")],
    "output-head?row=1": [("rows", "[1, 0]", "row=2"), ("rows", "ArrowRight", "row=[13-9]")],
    "greedy?row=2": [
        ("candidates", SECOND, r"next=2\.{second}"),
        ("", "ArrowLeft", "row=1"),
    ],
    "loss": [("forced", "[1.45, 1]", "row=2"), ("forced", "ArrowDown", "row=3")],
    "time-machine?moment=1&pair=2&kind=cross&layer=3&head=1": [("", "ArrowRight", "moment=2")],
}  # fmt: skip


@pytest.mark.parametrize("address", VISITS)
def test_clicks_and_keys_reach_the_link_and_the_words(page: Page, server: str, address: str) -> None:
    visit(page, f"{server}/{address}{'&' if '?' in address else '?'}sentence=I+have+some+money.")
    for key, act, said in VISITS[address]:
        token = ""
        if "{second}" in said:
            token = str(plot(page, key).evaluate("plot => plot._fullData[0].customdata[1][1]"))
        if act.startswith("["):
            click(page, key, act)
        elif act.startswith("data"):
            click_part(page, key, act)
        else:
            plot(page, key).focus() if key else page.locator("h1").click()
            for name in act.split():
                page.keyboard.press(name)
        for one in said.replace("{second}", token).split():
            query_has(page, *one.split("=", 1))
    link, name = linked(page), address.partition("?")[0]
    if name in STAGES and "cell" in link and "what" not in link:
        row, column = (int(one) - 1 for one in link["cell"].split("."))
        values = traced(MONEY)[STAGES[name]]
        if "head" in link:
            values = values[int(link["head"]) - 1]
        column = int(link["dim"]) - 1 if name == "multi-head" else column
        told = page.locator(".st-key-story").first.inner_text().replace("−", "-")
        assert f"The model has {number(float(values[row, column]), 4)} there".replace("−", "-") in told


def test_a_walk_through_bars_picks_nothing_until_enter(page: Page, server: str) -> None:
    visit(page, f"{server}/output-head?sentence=I+have+some+money.&row=1")
    tokens = plot(page, "candidates").evaluate("plot => plot._fullData[0].customdata.map((part) => part[1])")
    plot(page, "candidates").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(400)  # a walk alone picks nothing
    assert "next=" not in page.url
    page.keyboard.press("Enter")
    query_is(page, "next", str(tokens[2]))


def test_it_plays_to_the_end_and_shows_the_last_step(page: Page, server: str) -> None:
    found = walk(translator().checkpoint.model, source_batch([translator().source_ids(MONEY)]), "cache")
    n = len(found.tokens)
    visit(page, f"{server}/greedy?sentence=I+have+some+money.&row={n - 2}")
    page.get_by_role("button", name="Play or pause").click()
    query_is(page, "row", str(n))
    expect(page.locator(".stepper .label")).to_contain_text(f"{n} of {n}: ")
    expect(page.locator(".stepper .label")).to_contain_text("→ </s>")
    total = f"{found.sums[-1]:.4f}".replace("-", "−")
    expect(page.locator(".st-key-choice")).to_contain_text(f"The model has {total} there")


def test_a_dot_of_the_map_chooses_its_token(page: Page, server: str) -> None:
    visit(page, f"{server}/tokens?sentence=I+have+some+money.")
    lonely = """plot => {
      const {x, y, customdata} = plot._fullData[0], far = (i) => Math.min(
        ...x.keys().filter((j) => j !== i).map((j) => Math.hypot(x[i] - x[j], y[i] - y[j])));
      const i = [...x.keys()].reduce((best, i) => (far(i) > far(best) ? i : best));
      return [customdata[i], x[i], y[i]];
    }"""
    token, x, y = plot(page, "embedding-map").evaluate(lonely)
    click(page, "embedding-map", f"[{x}, {y}]")
    query_is(page, "token", str(token))
    ring = "plot => plot._fullData[1].customdata[[...plot._fullData[1].marker.size].indexOf(13)]"
    assert plot(page, "embedding-map").evaluate(ring) == token
