"""A visitor of the page about tokens, in a real browser."""

import numpy as np
import pytest
import torch
from playwright.sync_api import Page

from explainer.translator.translator import Translator
from explainer.whatif.changes import parse
from tests.browser.conftest import settle, visit
from tests.browser.test_translate import PLOT, cell_position, drawn_matrix

SENTENCE = "My dog likes the new street."


@pytest.fixture(scope="module")
def model() -> Translator:
    return Translator.load()


def test_a_visitor_cuts_a_word_looks_up_its_row_and_replaces_it(
    page: Page, server: str, model: Translator
) -> None:
    visit(page, f"{server}/tokens?sentence=I+have+some+money.")
    page.get_by_role("textbox", name="English").fill(SENTENCE)
    page.wait_for_function("() => new URL(location.href).searchParams.get('sentence')?.startsWith('My dog')")
    settle(page)
    page.mouse.click(*cell_position(page, "tokens-source", 0, 1))  # the box of "dog"
    page.wait_for_function("() => new URL(location.href).searchParams.get('row') === '2'")
    settle(page)
    pieces = page.locator(PLOT.format("merges")).evaluate("plot => [...plot._fullData[0].text]")
    assert pieces[:4] == ["␣", "d", "o", "g"]

    page.mouse.click(*cell_position(page, "rows", 3, 9))  # in the right matrix: row 4, its third dimension
    page.wait_for_function("() => new URL(location.href).searchParams.get('cell')?.startsWith('4.')")
    settle(page)
    first = page.evaluate("() => Number(new URL(location.href).searchParams.get('dims'))")
    page.keyboard.press("ArrowRight")
    row, column = 4, first + 3
    page.wait_for_function(
        "at => new URL(location.href).searchParams.get('cell') === at", arg=f"{row}.{column}"
    )
    settle(page)
    ids = model.translate(SENTENCE).ids
    plain = model.trace(SENTENCE, ids)["source_embedding.hook_scaled"]
    told = page.locator(".st-key-story").inner_text().replace("−", "-")
    assert f"The model has {plain[row - 1, column - 1]:.4f} there" in told

    page.get_by_role("textbox", name="In place of token 4").fill("my")
    page.get_by_role("textbox", name="In place of token 4").press("Enter")
    settle(page)
    page.get_by_role("button", name="Replace it by my").click()
    page.wait_for_function("() => new URL(location.href).searchParams.get('what')?.startsWith('replace:4:')")
    settle(page)
    spec = page.evaluate("() => new URL(location.href).searchParams.get('what')")
    changed = model.trace(SENTENCE, ids, changes=(parse(spec),))["source_embedding.hook_scaled"]
    assert not np.allclose(changed[3], plain[3])
    shown = np.array(drawn_matrix(page, "rows"), dtype=float)[:, 7:]
    np.testing.assert_allclose(shown, changed[:, first - 1 : first + 5], atol=1e-5)


def test_a_click_on_a_neighbour_chooses_it(page: Page, server: str, model: Translator) -> None:
    visit(page, f"{server}/tokens?sentence=I+have+some+money.&row=4")
    token = page.locator(PLOT.format("neighbours")).evaluate("plot => plot._fullData[0].customdata[1][1]")
    page.mouse.click(*cell_position(page, "neighbours", 1, 0.1))
    page.wait_for_function("id => new URL(location.href).searchParams.get('token') === String(id)", arg=token)
    settle(page)
    plot = page.locator(PLOT.format("embedding-map"))
    ringed = plot.evaluate(
        "plot => plot._fullData[1].customdata[[...plot._fullData[1].marker.size].indexOf(13)]"
    )
    assert ringed == token
    cloud = drawn_cloud(page)
    apart = np.linalg.norm(cloud[:, None] - cloud[None], axis=-1) + 9 * np.eye(len(cloud))
    lonely = int(apart.min(axis=1).argmax())
    other = plot.evaluate("(plot, i) => plot._fullData[0].customdata[i]", lonely)
    page.mouse.click(*cell_position(page, "embedding-map", float(cloud[lonely, 1]), float(cloud[lonely, 0])))
    page.wait_for_function("id => new URL(location.href).searchParams.get('token') === String(id)", arg=other)
    settle(page)
    bars = page.locator(PLOT.format("neighbours"))
    assert bars.evaluate("plot => plot._fullData[0].customdata.map(([, id]) => id)") == nearest(model, other)


def drawn_cloud(page: Page) -> np.ndarray:
    """Where the faint dots of the map are, in its own units."""
    plot = page.locator(PLOT.format("embedding-map"))
    return np.array(
        plot.evaluate("plot => [...plot._fullData[0].x].map((x, i) => [x, plot._fullData[0].y[i]])")
    )


def nearest(model: Translator, token: int) -> list[int]:
    """The ten rows with the largest cosine, by torch."""
    table = model.checkpoint.model.source_embedding.table
    found = torch.nn.functional.cosine_similarity(table, table[token : token + 1])
    return found.topk(11).indices[1:].tolist()


def test_the_merges_can_be_stepped_by_key(page: Page, server: str) -> None:
    visit(page, f"{server}/tokens?sentence=The+street.&row=2")
    lines = "plot => Math.max(...plot._fullData[0].customdata.map(([, line]) => line))"
    assert page.locator(PLOT.format("merges")).evaluate(lines) > 1
    page.keyboard.press("Home")
    page.wait_for_function("() => new URL(location.href).searchParams.get('merge') === '1'")
    settle(page)
    assert page.locator(PLOT.format("merges")).evaluate(lines) == 0
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => new URL(location.href).searchParams.get('merge') === '2'")
