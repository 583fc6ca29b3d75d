"""A visitor in the time machine, in a real browser."""

import numpy as np
from playwright.sync_api import Page

from explainer.translator.moments import KeptMoments
from tests.browser.conftest import drawn_matrix, query_is, visit

HOOK = "decoder.layers.2.cross_attention.attend.hook_weights"


def test_the_steps_of_the_shipped_translator(page: Page, server: str) -> None:
    kept = KeptMoments.load()
    visit(page, f"{server}/time-machine?moment=1&pair=2&kind=cross&layer=3&head=1")
    for number in (0, 1):
        expected = kept.at(kept.steps[number], kept.pairs[1]).trace[HOOK][0]
        np.testing.assert_allclose(drawn_matrix(page, "moment-matrix"), expected, atol=1e-6)
        page.keyboard.press("ArrowRight")
        query_is(page, "moment", str(number + 2))
