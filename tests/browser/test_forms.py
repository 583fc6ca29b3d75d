"""What is typed, slid and chosen in Streamlit's own fields, in a real browser: the page follows without Enter."""

import numpy as np
import torch
from playwright.sync_api import Page, expect
from torch.nn import functional as F

from explainer.pages.frame.models import translator
from explainer.text.tokenizer import END_ID
from tests.browser.conftest import linked, plot, query_has, query_is, visit
from tests.pages.app import MONEY

GERMAN = "Ich habe kein Geld."


def test_a_target_is_typed_and_epsilon_slid_by_key(page: Page, server: str) -> None:
    visit(page, f"{server}/loss?sentence=I+have+some+money.&row=3")
    page.get_by_role("textbox", name="German, the target").fill(GERMAN)
    query_is(page, "target", GERMAN)
    ids = (*translator().checkpoint.tokenizer.encode(GERMAN), END_ID)
    rows = torch.from_numpy(np.array(translator().trace(MONEY, ids)["head.hook_logits"]))
    drawn = plot(page, "forced").evaluate("plot => [...plot._fullData.find((one) => one.type === 'bar').x]")
    np.testing.assert_allclose(drawn, F.cross_entropy(rows, torch.tensor(ids), reduction="none"), atol=1e-5)
    page.get_by_role("slider", name="ε").first.press("End")
    query_is(page, "eps", "0.9")
    row = int(linked(page).get("row", "3")) - 1
    loss = float(F.cross_entropy(rows[row], torch.tensor(ids[row]), label_smoothing=0.9))
    expect(page.locator(".st-key-parts").first).to_contain_text(f"{loss:.4f}")


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
    assert page.locator(".st-key-finished [role=radiogroup] label").count() == 2
