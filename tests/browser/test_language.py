"""The language of a visitor in a real browser: every text that is ours is translated, and there is room for it."""

import re
from functools import cache

import pytest
from playwright.sync_api import Page

from explainer.language import LOCALE, PSEUDO, pseudo
from explainer.pages.frame.models import translator
from tests.browser.conftest import ROOT, query_is, settle, visit
from tests.pages.app import MONEY, PAGES

HOVERS = "() => [...document.querySelectorAll('.panel .plot')].flatMap(plot => plot.data.map(one => one.hovertemplate))"
NOT_OURS = """script, style, code, pre, .katex, [data-testid=stHeader], [data-testid=InputInstructions],
  [data-testid=stFileUploader], a[href^='#'], .st-key-examples button, [class*=st-key-task-] button,
  .st-key-ours-story td, .st-key-choose-pair p, .st-key-story td"""
TEXTS = """(notOurs) => {  // in each block what stands outside of « » and has a word in it
  const blocks = new Map(), texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    let block = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || block.closest(notOurs)) continue;
    if (!block.checkVisibility() || getComputedStyle(block).fontFamily.includes("Material")) continue;  // icons
    const inline = () => getComputedStyle(block).display.startsWith("inline") || block.tagName === "tspan";
    while (block.tagName !== "text" && inline()) block = block.parentElement;
    blocks.set(block, (blocks.get(block) ?? "") + texts.currentNode.data);
  }
  return [...blocks].map(([block, text]) => {
    for (let before = ""; before !== text; ) [before, text] = [text, text.replace(/«[^«»]*»/g, "")];
    const drawn = Boolean(block.closest(".plot"));
    return [drawn, drawn ? text.replace(/«[^«»]*-$|^[^«»]*»$/, "") : text];  // a word on two lines
  }).filter(([, text]) => /[A-Za-z]{2}|[«»]/.test(text));
}"""
TOO_WIDE = """() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
  .map((one) => one.scrollWidth - innerWidth).filter((pixels) => pixels > 0)"""
SYMBOLS = re.compile(
    r"E\[token\]|d_model|\bPE\b|\blog p\b|\bmax\(|PNG|SVG|CSV|BLEU|GNMT|\b[kM]B|\bms|cpu|</?s>|<pad>|<unk>"
)


@cache
def tokens() -> tuple[set[str], set[str]]:
    """Words of the vocabulary: all, and those that our English texts do not use or that this sentence does."""
    pieces = translator().checkpoint.tokenizer.pieces(range(len(translator().checkpoint.tokenizer)))
    known = {word for piece in pieces for word in words(piece)}
    texts = [LOCALE / "glassbox.pot", *(ROOT / "explainer/pages").glob("*/en.md")]
    ours = {word for path in texts for word in words(path.read_text(encoding="utf-8"))}
    return known, known - ours | set(words(f"{MONEY} {translator().translate(MONEY).text}"))


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", text)


@pytest.mark.parametrize("name", PAGES)
def test_every_text_is_translated_and_nothing_is_wider_than_the_window(
    page: Page, server: str, name: str
) -> None:
    path = "" if name == "translate" else name.replace("_", "-")
    visit(page, f"{server}/{path}?language={PSEUDO}&sentence=I+have+some+money.")
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate(TOO_WIDE) == []
    in_figures, elsewhere = tokens()
    for is_in_figure, text in page.evaluate(TEXTS, NOT_OURS):
        left = set(words(SYMBOLS.sub("", text)))
        assert left <= (in_figures if is_in_figure else elsewhere), text
        assert not set("«»") & set(text), text
    page.set_viewport_size({"width": 390, "height": 720})
    settle(page)
    assert page.evaluate(TOO_WIDE) == []


def test_a_part_that_runs_alone_speaks_the_language_of_its_visitor(page: Page, server: str) -> None:
    """A click into what the page shows runs that alone, in a new thread, without main.py."""
    visit(page, f"{server}/self-attention?language={PSEUDO}&sentence=I+have+some+money.")
    main = page.locator("[data-testid=stMain]")
    text, before = main.inner_text(), page.evaluate(HOVERS)
    page.locator(".stepper button").first.click()  # back to the beginning
    query_is(page, "step", "1")
    after = page.evaluate(HOVERS)
    assert main.inner_text() != text  # it was drawn anew
    for hovers in (before, after):
        matrices = [told for told in hovers if told and "%{z:.3f}" in told]
        assert matrices
        assert all(told.startswith(pseudo("row %{y}, column %{x}: %{z:.3f}")) for told in matrices)
