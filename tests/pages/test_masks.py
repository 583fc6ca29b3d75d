"""The page about masks without a browser: its numbers are the model's, and what cannot be is refused."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.pages.frame.models import translator
from explainer.whatif.attention import MaskCell, NoLookAheadMask
from tests.pages.app import MONEY, figure, matrix, opened_on, table_of, told_change, traced


def page(**query: str) -> AppTest:
    return opened_on("masks", MONEY, **query)


def test_the_weights_under_the_mask_are_the_models() -> None:
    app = page()
    trace = traced(MONEY)
    drawn = matrix(app, "weights")
    layer, head = (int(app.session_state[f"choose-{name}"]) - 1 for name in ("layer", "head"))
    expected = trace[f"decoder.layers.{layer}.self_attention.attend.hook_weights"][head]
    allowed = np.tril(np.ones_like(expected, dtype=bool))
    np.testing.assert_allclose(drawn[allowed], expected[allowed], atol=1e-6)
    assert np.isnan(drawn[~allowed]).all()  # hatched, not white
    assert (expected[~allowed] == 0).all()


def test_padding_is_masked_and_changes_no_word() -> None:
    ids = translator().translate(MONEY).ids
    plain, padded = translator().trace(MONEY, ids), translator().trace(MONEY, ids, padding=3)
    n_source, n_target = len(plain.info.source), len(plain.info.target)
    weights = padded["decoder.layers.1.cross_attention.attend.hook_weights"]
    assert (weights[..., n_source:] == 0).all()
    difference = padded["head.hook_log_probs"][:n_target] - plain["head.hook_log_probs"]
    assert np.abs(difference).max() < 1e-4
    app = page()
    app.slider(key="slide-pad").set_value(2).run()
    assert not app.exception
    assert figure(app, "mask")["layout"]["xaxis"]["ticktext"][-2:] == ["&lt;pad&gt;"] * 2


def test_a_row_of_the_whole_pass_is_that_of_its_own_past() -> None:
    app = page()
    said = table_of(app, "differ by at most")
    exponent = said.rpartition("= ")[2].rstrip("*.").replace("−", "-")
    assert float(exponent) < 1e-4


def test_without_the_mask_rows_see_their_future() -> None:
    app = page(what="ahead")
    ids = translator().translate(MONEY).ids
    trace = translator().trace(MONEY, ids, changes=(NoLookAheadMask(),))
    layer, head = (int(app.session_state[f"choose-{name}"]) - 1 for name in ("layer", "head"))
    expected = trace[f"decoder.layers.{layer}.self_attention.attend.hook_weights"][head]
    np.testing.assert_allclose(matrix(app, "weights"), expected, atol=1e-6)
    assert (expected[np.triu_indices(len(expected), 1)] > 0).all()


def test_without_the_mask_padding_stays_hidden() -> None:
    ids = translator().translate(MONEY).ids
    trace = translator().trace(MONEY, ids, changes=(NoLookAheadMask(),), padding=2)
    weights = trace["decoder.layers.0.self_attention.attend.hook_weights"]
    assert (weights[..., -2:] == 0).all()
    assert (weights[:, 0, 1:-2] > 0).all()


def test_a_padding_cell_keeps_its_place_and_cannot_be_opened() -> None:
    app = page(kind="encoder", pad="2", cell="1.8")
    assert not app.toast
    assert any("belongs to padding" in text.value for text in app.caption)


def test_a_sentence_that_is_too_long_for_the_twins_is_said() -> None:
    app = opened_on("masks", "Unbelievably grumpy hippopotamuses " * 4)
    assert any("the limit is" in text.value for text in app.markdown if "small, trained" in text.value)


def test_a_cell_that_would_leave_a_row_without_keys_is_refused() -> None:
    app = page(kind="decoder", cell="1.1")
    switch = app.toggle(key="if-cell")
    assert switch.disabled
    assert any("would see no key" in text.value for text in app.caption)


def test_a_flipped_cell_changes_the_log_probability_on_the_bar() -> None:
    app = page(kind="decoder", cell="3.1")
    app.toggle(key="if-cell").set_value(True).run()
    assert not app.exception
    ids = translator().translate(MONEY).ids
    rows = translator().trace(MONEY, ids, changes=(MaskCell("decoder", 2, 0),))["head.hook_log_probs"]
    expected = sum(float(row[token]) for row, token in zip(rows, ids, strict=True))
    after = told_change(app)[1]
    assert float(after) == pytest.approx(expected, abs=0.6 * 10.0 ** int(after.as_tuple().exponent))


def test_the_words_follow_a_change_of_the_mask() -> None:
    own, changed = page(), page(what="ahead")
    n_rows = len(translator().translate(MONEY).ids)
    said = [" ".join(text.value for text in (*app.markdown, *app.info)) for app in (own, changed)]
    assert "Not the model's own mask" not in said[0]
    assert "hatched cells read" in said[0]
    assert f"{n_rows * (n_rows - 1) // 2} of its cells" in said[1]  # all above the diagonal
    assert "hatched cells read" not in said[1]
    assert "No cell is masked here" in said[1]
