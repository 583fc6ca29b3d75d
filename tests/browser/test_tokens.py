"""A visitor of the page about tokens, in a real browser."""

import numpy as np
import torch
from playwright.sync_api import Page

from explainer.pages.frame.models import translator
from tests.browser.conftest import click, drawn_matrix, plot, query_has, query_is, settle, typed, visit
from tests.pages.app import traced

SENTENCE = "My dog likes the new street."


def test_a_visitor_cuts_a_word_looks_up_its_row_and_replaces_it(page: Page, server: str) -> None:
    visit(page, f"{server}/tokens?sentence=I+have+some+money.")
    typed(page, SENTENCE)
    click(page, "tokens-source", "[1, 0]")  # the box of "dog"
    query_is(page, "row", "2")
    pieces = plot(page, "merges").evaluate("plot => [...plot._fullData[0].text]")
    assert pieces[:4] == ["␣", "d", "o", "g"]

    click(page, "rows", "[9, 3]")  # in the right matrix: row 4, its third dimension
    query_has(page, "cell", "4.")
    first = page.evaluate("() => Number(new URL(location.href).searchParams.get('dims'))")
    page.keyboard.press("ArrowRight")
    row, column = 4, first + 3
    query_is(page, "cell", f"{row}.{column}")
    plain = traced(SENTENCE)["source_embedding.hook_scaled"]
    told = page.locator(".st-key-story").inner_text().replace("−", "-")
    assert f"The model has {plain[row - 1, column - 1]:.4f} there" in told

    page.get_by_role("textbox", name="In place of token 4").fill("my")
    page.get_by_role("textbox", name="In place of token 4").press("Enter")
    settle(page)
    page.get_by_role("button", name="Replace it by my").click()
    query_has(page, "what", "replace:4:")
    changed = traced(SENTENCE, query_has(page, "what"))["source_embedding.hook_scaled"]
    assert not np.allclose(changed[3], plain[3])
    shown = np.array(drawn_matrix(page, "rows"), dtype=float)[:, 7:]
    np.testing.assert_allclose(shown, changed[:, first - 1 : first + 5], atol=1e-5)


def test_a_click_on_a_neighbour_chooses_it(page: Page, server: str) -> None:
    visit(page, f"{server}/tokens?sentence=I+have+some+money.&row=4")
    token = plot(page, "neighbours").evaluate("plot => plot._fullData[0].customdata[1][1]")
    click(page, "neighbours", "[0.1, 1]")
    query_is(page, "token", str(token))
    seen = plot(page, "embedding-map")
    ringed = seen.evaluate(
        "plot => plot._fullData[1].customdata[[...plot._fullData[1].marker.size].indexOf(13)]"
    )
    assert ringed == token
    cloud = drawn_cloud(page)
    apart = np.linalg.norm(cloud[:, None] - cloud[None], axis=-1) + 9 * np.eye(len(cloud))
    lonely = int(apart.min(axis=1).argmax())
    other = seen.evaluate("(plot, i) => plot._fullData[0].customdata[i]", lonely)
    click(page, "embedding-map", f"[{cloud[lonely, 0]}, {cloud[lonely, 1]}]")
    query_is(page, "token", str(other))
    bars = plot(page, "neighbours")
    assert bars.evaluate("plot => plot._fullData[0].customdata.map(([, id]) => id)") == nearest(other)


def drawn_cloud(page: Page) -> np.ndarray:
    """Where the faint dots of the map are, in its own units."""
    dots = "plot => [...plot._fullData[0].x].map((x, i) => [x, plot._fullData[0].y[i]])"
    return np.array(plot(page, "embedding-map").evaluate(dots))


def nearest(token: int) -> list[int]:
    """The ten rows with the largest cosine, by torch."""
    table = translator().checkpoint.model.source_embedding.table
    found = torch.nn.functional.cosine_similarity(table, table[token : token + 1])
    return found.topk(11).indices[1:].tolist()


def test_the_merges_can_be_stepped_by_key(page: Page, server: str) -> None:
    visit(page, f"{server}/tokens?sentence=The+street.&row=2")
    lines = "plot => Math.max(...plot._fullData[0].customdata.map(([, line]) => line))"
    assert plot(page, "merges").evaluate(lines) > 1
    page.keyboard.press("Home")
    query_is(page, "merge", "1")
    assert plot(page, "merges").evaluate(lines) == 0
    page.keyboard.press("ArrowRight")
    query_is(page, "merge", "2")
